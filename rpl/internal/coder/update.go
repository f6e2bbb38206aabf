package coder

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// PresentSym returns the symbol that says which of the next rows an ordinary update carries; it
// is used for nodes of several rows.
func (m *EntryModel) PresentSym(actions []int) prefix.Sym {
	n, mask := presentOf(actions)
	return m.Present[n-1].Sym(mask)
}

// presentOf returns of how many of the next rows one symbol speaks, and that symbol.
func presentOf(actions []int) (n, mask int) {
	n = min(len(actions), PresentRows)
	for i, k := range actions[:n] {
		mask |= flag(k != RowSame) << i
	}
	return n, mask
}

// NotePresent counts the symbol of PresentSym.
func (l *Learner) NotePresent(actions []int) {
	n, mask := presentOf(actions)
	l.present[n-1][mask]++
}

// presents codes which rows updates carry of nodes with several.
func (c *tableCoder) presents(s, was *TableSet, d *Model) {
	any := slices.ContainsFunc(s.present[:], func(lens []uint8) bool { return lens != nil })
	if !c.flag(any) {
		return
	}
	for i := range s.present {
		s.present[i] = c.list(s.present[i], was.present[i], presentSyms(i)+1, d.Entry.Present[i].T)
	}
}

// AppendBytes codes a number of bytes and the bytes; readBytes is the inverse, and appends them
// to dst, at most limit.
func AppendBytes(out []prefix.Sym, length *Table, b []byte) []prefix.Sym {
	k := recordCoder{out: out, run: Unsigned(length, uint32(len(b))).Run()}
	for _, c := range b {
		k.extend(prefix.Run{}.Raw(uint32(c), 8))
	}
	return k.end()
}

func ReadBytes(d *prefix.Decoder, length *Table, limit int, dst []byte) ([]byte, bool) {
	n := int(ReadUnsigned(d, length))
	if n > limit {
		return dst, false
	}
	for ; n > 0 && d.Err() == nil; n-- {
		dst = append(dst, byte(d.Bits(8)))
	}
	return dst, d.Err() == nil
}
