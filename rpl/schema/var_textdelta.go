package schema

import (
	"math"
	"math/bits"
	"strings"

	rbits "github.com/tendonengine/tendon/rpl/bits"
)

// The delta of a text is the text whole, or how long a start and an end it shares with
// its base, and what is between. That is a single text, with its length in a fixed number
// of bits, or it is runs: how many bytes of the base a run replaces, and by which; how many
// bytes stay before the next run; and so on until the base's bytes between are used up.
//
// Where two shared lengths are more together than the base has, runs follow, and each is
// written as what it lacks to the largest number of its width. No bit has to say which of
// the two it is, so a change in one place is as short as if there were no runs.

func (t textVar) writeDelta(w *rbits.Writer, base, v any) {
	from, _ := base.(string)
	to, _ := v.(string)
	head := 0
	for head < len(from) && head < len(to) && from[head] == to[head] {
		head++
	}
	tail := 0
	for tail < len(from)-head && tail < len(to)-head && from[len(from)-1-tail] == to[len(to)-1-tail] {
		tail++
	}
	d := textDiff{from: from[head : len(from)-tail], to: to[head : len(to)-tail]}
	ends, length := width(len(from)), width(t.limit-head-tail)
	whole := int(width(t.limit)) + 8*len(to)
	single := int(2*ends+length) + 8*len(d.to)
	apart := math.MaxInt
	if d.from != "" { // else the shared lengths are all of the base, which cannot mean runs
		apart = int(2 * ends)
		d.align()
		d.each(func(r textRun) { apart += r.bits() })
	}
	w.Bool(min(single, apart) < whole)
	switch most := 1<<ends - 1; {
	case min(single, apart) >= whole:
		t.write(w, to)
	case single <= apart:
		w.Write(uint64(head), ends)
		w.Write(uint64(tail), ends)
		w.Write(uint64(len(d.to)), length)
		writeBytes(w, d.to)
	default:
		w.Write(uint64(most-head), ends)
		w.Write(uint64(most-tail), ends)
		d.each(func(r textRun) { r.write(w) })
	}
}

func (t textVar) readDelta(r *rbits.Reader, base any) any {
	from, _ := base.(string)
	if !r.Bool() {
		return t.read(r)
	}
	n := width(len(from))
	head, tail := int(r.Read(n)), int(r.Read(n))
	apart := head+tail > len(from)
	if apart {
		most := 1<<n - 1
		head, tail = most-head, most-tail
	}
	if head+tail > len(from) || apart && head+tail == len(from) || head+tail > t.limit {
		r.Fail(errBounds)
		return ""
	}
	var b strings.Builder
	b.Grow(min(len(from), t.limit))
	b.WriteString(from[:head])
	if apart {
		readRuns(r, &b, from[head:len(from)-tail], t.limit-tail)
	} else {
		b.WriteString(readBytes(r, t.limit-head-tail))
	}
	if r.Err() != nil {
		return ""
	}
	b.WriteString(from[len(from)-tail:])
	return b.String()
}

// A textRun is one change in a text: fresh stands for gone bytes of the base, and stay
// bytes of it follow unchanged, 0 behind the last run.
type textRun struct {
	gone  int
	fresh string
	stay  int
}

func (r textRun) write(w *rbits.Writer) {
	w.Bool(r.gone == len(r.fresh))
	if r.gone == len(r.fresh) {
		writeGamma(w, r.gone)
	} else {
		writeGamma(w, r.gone+1)
		writeGamma(w, len(r.fresh)+1)
	}
	writeBytes(w, r.fresh)
	if r.stay > 0 {
		writeGamma(w, r.stay)
	}
}

// bits is how many bits write appends.
func (r textRun) bits() int {
	n := 1 + gammaBits(r.gone) + 8*len(r.fresh)
	if r.gone != len(r.fresh) {
		n = 1 + gammaBits(r.gone+1) + gammaBits(len(r.fresh)+1) + 8*len(r.fresh)
	}
	if r.stay > 0 {
		n += gammaBits(r.stay)
	}
	return n
}

// readRuns writes to b what runs make of the base's bytes between the shared ends. b holds
// the shared start, and may have limit bytes then.
func readRuns(r *rbits.Reader, b *strings.Builder, from string, limit int) {
	for {
		same := r.Bool()
		gone := readGamma(r)
		n := gone
		if !same {
			gone, n = gone-1, readGamma(r)-1
		}
		if n < 0 || gone > len(from) || n > limit-b.Len() || gone+n == 0 {
			r.Fail(errBounds)
		}
		if n > r.Left()/8 {
			r.Fail(rbits.ErrShort)
		}
		if r.Err() != nil {
			return
		}
		for range n {
			b.WriteByte(byte(r.Read(8)))
		}
		if from = from[gone:]; from == "" {
			return
		}
		stay := readGamma(r)
		if stay > len(from) || stay > limit-b.Len() {
			r.Fail(errBounds)
			return
		}
		b.WriteString(from[:stay])
		from = from[stay:]
	}
}

// A textDiff is two texts without the ends that they share, laid side by side.
type textDiff struct {
	from, to string
	alignment
}

func (d *textDiff) align() {
	d.alignment, _ = align(len(d.from), len(d.to), func(i, j int) bool { return d.from[i] == d.to[j] })
}

// each calls do for the runs in turn. What stays between two of them goes with them where
// that is shorter.
func (d *textDiff) each(do func(textRun)) {
	var held textRun   // may have more to come
	start, end := 0, 0 // of it in the new text, with what stays behind it
	for c := 0; c < d.cells(); {
		r, n := textRun{}, 0
		for ; c < d.cells(); c++ {
			i, j, gone, fresh := d.cell(c)
			if gone == fresh && d.from[i] == d.to[j] {
				break
			}
			r.gone += gone
			n += fresh
		}
		for ; c < d.cells(); c++ {
			i, j, gone, fresh := d.cell(c)
			if gone != fresh || d.from[i] != d.to[j] {
				break
			}
			r.stay++
		}
		r.fresh = d.to[end : end+n]
		both := textRun{held.gone + held.stay + r.gone, d.to[start : end+n], r.stay}
		switch {
		case end == 0, both.bits() <= held.bits()+r.bits():
			held = both
		default:
			do(held)
			held, start = r, end
		}
		end += n + r.stay
	}
	do(held)
}

const gammaMax = 16 // bits of the largest number: a length of a text, and 1

// writeGamma appends n, 1 to 1<<gammaMax - 1, as its Elias gamma code: short for small numbers.
func writeGamma(w *rbits.Writer, n int) {
	low := uint(bits.Len(uint(n)) - 1)
	w.Write(1<<low, low+1)
	w.Write(uint64(n), low)
}

func gammaBits(n int) int { return 2*bits.Len(uint(n)) - 1 }

// readGamma reads what writeGamma wrote; 0 if the reader fails.
func readGamma(r *rbits.Reader) int {
	low := bits.TrailingZeros64(r.Peek(gammaMax) | 1<<gammaMax)
	if low == gammaMax {
		r.Fail(errBounds)
	}
	r.Skip(low + 1)
	n := 1<<low | int(r.Read(uint(low)))
	if r.Err() != nil {
		return 0
	}
	return n
}
