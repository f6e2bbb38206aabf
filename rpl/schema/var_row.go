package schema

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	rbits "github.com/tendonengine/tendon/rpl/bits"
)

// This file writes and reads rows of words and vars as bits: of arguments and of the
// elements of lists and maps. Items have a coder of their own in the stream (record.go).

// bounded reports whether a word is written in a fixed number of bits, and in how many:
// if it has bounds, or is the bits of a float. Other words are varints.
func (w *Word) bounded() (n uint, ok bool) {
	if w.Raw || w.Min == math.MinInt32 && w.Max == math.MaxInt32 {
		return 32, w.Raw
	}
	return uint(bits.Len32(uint32(w.Max) - uint32(w.Min))), true
}

// write appends a row whole.
func (l *fieldLayout) write(w *rbits.Writer, words []int32, vars []any) {
	for i := range l.words {
		l.words[i].write(w, words[i])
	}
	for i := range l.vars {
		l.vars[i].Codec().write(w, vars[i])
	}
}

// read fills a row; the reader fails on what write cannot have written.
func (l *fieldLayout) read(r *rbits.Reader, words []int32, vars []any) {
	for i := range l.words {
		words[i] = l.words[i].read(r)
	}
	for i := range l.vars {
		if r.Err() != nil {
			return
		}
		vars[i] = l.vars[i].Codec().read(r)
	}
}

func (t *Word) write(w *rbits.Writer, v int32) {
	if n, ok := t.bounded(); ok {
		w.Write(uint64(uint32(v)-t.base()), n)
		return
	}
	w.Varint(int64(v))
}

func (t *Word) read(r *rbits.Reader) int32 {
	n, ok := t.bounded()
	if !ok {
		return varintWord(r)
	}
	v := uint32(r.Read(n)) + t.base()
	if !t.Raw && uint32(t.Max)-uint32(t.Min) < v-t.base() {
		r.Fail(errBounds)
	}
	return int32(v)
}

// base is what a bounded word is written relative to.
func (t *Word) base() uint32 {
	if t.Raw {
		return 0
	}
	return uint32(t.Min)
}

func varintWord(r *rbits.Reader) int32 {
	v := r.Varint()
	if v != int64(int32(v)) {
		r.Fail(errBounds)
		return 0
	}
	return int32(v)
}

// writeDelta appends what turns the base row into words and vars: a bit for
// each, and those that differ. Words without bounds are written as differences.
func (l *fieldLayout) writeDelta(w *rbits.Writer, baseWords []int32, baseVars []any, words []int32, vars []any) {
	for i := range l.words {
		changed := words[i] != baseWords[i]
		w.Bool(changed)
		if !changed {
			continue
		}
		if _, ok := l.words[i].bounded(); ok {
			l.words[i].write(w, words[i])
		} else {
			w.Varint(int64(words[i] - baseWords[i])) // wraps
		}
	}
	for i := range l.vars {
		c := l.vars[i].Codec()
		changed := !c.Equal(baseVars[i], vars[i])
		w.Bool(changed)
		if changed {
			c.writeDelta(w, baseVars[i], vars[i])
		}
	}
}

// size is how many bits write appends.
func (t *Word) size(v int32) int {
	if n, ok := t.bounded(); ok {
		return int(n)
	}
	return varintSize(v)
}

// varintSize is how many bits Writer.Varint appends.
func varintSize(v int32) int { return 8 * max(1, (bits.Len32(rbits.Zigzag32(v))+6)/7) }

// deltaSize is how many bits writeDelta appends, where a value of variable length counts as
// varBits.
func (l *fieldLayout) deltaSize(baseWords []int32, baseVars []any, words []int32, vars []any) int {
	n := len(words) + len(vars)
	for i := range words {
		if words[i] == baseWords[i] {
			continue
		}
		if b, ok := l.words[i].bounded(); ok {
			n += int(b)
		} else {
			n += varintSize(words[i] - baseWords[i])
		}
	}
	for i := range vars {
		if !l.vars[i].Type.Equal(baseVars[i], vars[i]) {
			n += varBits
		}
	}
	return n
}

// readDelta applies a delta to a row, which holds its base.
func (l *fieldLayout) readDelta(r *rbits.Reader, words []int32, vars []any) {
	for i := range l.words {
		if !r.Bool() {
			continue
		}
		if _, ok := l.words[i].bounded(); ok {
			words[i] = l.words[i].read(r)
		} else {
			words[i] += varintWord(r)
		}
	}
	for i := range l.vars {
		if r.Bool() && r.Err() == nil {
			vars[i] = l.vars[i].Codec().readDelta(r, vars[i])
		}
	}
}

// Sized is whether no value of a row can take more than maxBits.
func (l *fieldLayout) Sized() bool {
	return !slices.ContainsFunc(l.vars, func(v Var) bool { return !v.Codec().Sized() })
}

// maxBits is the most bits that write appends, if the layout is sized.
func (l *fieldLayout) maxBits() int {
	n := 0
	for i := range l.words {
		if b, ok := l.words[i].bounded(); ok {
			n += int(b)
		} else {
			n += 40
		}
	}
	for i := range l.vars {
		n += l.vars[i].Codec().maxBits()
	}
	return n
}

// hash is equal for equal rows.
func (l *fieldLayout) hash(words []int32, vars []any) uint64 {
	h := uint64(hashStart)
	for _, w := range words {
		h = hashWord(h, uint64(uint32(w)))
	}
	for i := range l.vars {
		h = hashWord(h, l.vars[i].Codec().hash(vars[i]))
	}
	return h
}

// describe tells the layout's fields and bounds, for people and the schema hash.
func (l *fieldLayout) describe() string {
	var b strings.Builder
	for i := range l.props {
		if i > 0 {
			b.WriteString("; ")
		}
		if name := elementName(l.props[i].Name); name != "" {
			b.WriteString(name + " ")
		}
		b.WriteString(l.describeProp(i))
	}
	return b.String()
}

// elementName is a field's name within the element that it belongs to.
func elementName(path string) string {
	return strings.TrimPrefix(path[strings.LastIndexByte(path, ']')+1:], ".")
}

// describeProp tells all of a prop that the wire depends on, except its name.
func (l *fieldLayout) describeProp(i int) string {
	p := &l.props[i]
	s := p.Kind
	if p.Tag != "" {
		s += " " + p.Tag
	}
	n := p.Words[1] - p.Words[0]
	if n == 0 {
		return s
	}
	switch w := &l.words[p.Words[0]]; {
	case w.Raw:
		return fmt.Sprintf("%s, %d bits", s, 32*n)
	case w.Min == math.MinInt32 && w.Max == math.MaxInt32:
		return fmt.Sprintf("%s, %s", s, count(n, "word"))
	case n == 1:
		return fmt.Sprintf("%s, %d…%d", s, w.Min, w.Max)
	default:
		return fmt.Sprintf("%s, %d × %d…%d", s, n, w.Min, w.Max)
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

const (
	hashStart = 14695981039346656037 // FNV-1a
	hashPrime = 1099511628211
)

func hashWord(h, v uint64) uint64 {
	for range 8 {
		h = (h ^ v&0xff) * hashPrime
		v >>= 8
	}
	return h
}

func hashString(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * hashPrime
	}
	return h
}
