package schema

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// Explain names the first difference between this schema and the one that a
// digest describes: "component health, field Max: …". It returns "" when the
// digest shows none. The digest may be anything that a peer has sent.
func (s *Schema) Explain(digest []byte) string {
	d, ok := parseDigest(digest)
	if !ok {
		return "the other side's description of its schema cannot be read"
	}
	if d.hz != s.hz {
		return fmt.Sprintf("the tick rate is %d per second here, %d there", s.hz, d.hz)
	}
	if d.form == formRate {
		return ""
	}
	ours := s.entries()
	for i := range ours {
		e := &ours[i]
		k := slices.IndexFunc(d.entries, func(r remoteEntry) bool { return r.kind == e.kind && r.name.is(e.name) })
		if k < 0 {
			return e.String() + " is unknown there"
		}
		if diff := d.entries[k].explain(e, d.form); diff != "" {
			return diff
		}
	}
	for i := range d.entries {
		r := &d.entries[i]
		if !slices.ContainsFunc(ours, func(e declared) bool { return r.kind == e.kind && r.name.is(e.name) }) {
			return fmt.Sprintf("%s %s is unknown here", entryKinds[r.kind], r.name)
		}
	}
	return ""
}

// A remoteName is a name in another machine's digest, or its hash.
type remoteName struct {
	text   string
	hash   uint32
	hashed bool
	mask   uint32
}

func (n remoteName) is(name string) bool {
	if n.hashed {
		return uint32(sum(name))&n.mask == n.hash
	}
	return n.text == name[:min(len(name), 255)]
}

func (n remoteName) String() string {
	if n.hashed {
		return "(its name is not told)"
	}
	return fmt.Sprintf("%.64q", n.text)
}

// A remoteEntry is a declaration in another machine's digest.
type remoteEntry struct {
	kind   byte
	name   remoteName
	sum    uint16
	fields []remoteField
}

type remoteField struct {
	name remoteName
	sum  uint16
}

// explain says how the declaration differs from ours of the same name; "" if it does not.
func (r *remoteEntry) explain(e *declared, form digestForm) string {
	if form == formWhole {
		if r.sum != e.wholeSum() {
			return e.String() + " differs"
		}
		return ""
	}
	for _, f := range e.fields {
		k := slices.IndexFunc(r.fields, func(rf remoteField) bool { return rf.name.is(f.name) })
		switch {
		case k < 0:
			return fmt.Sprintf("%s, field %s is unknown there", e, label(f.name))
		case r.fields[k].sum != uint16(sum(f.desc)):
			return fmt.Sprintf("%s, field %s is another there; here it is %s", e, label(f.name), f.desc)
		}
	}
	for _, rf := range r.fields {
		if !slices.ContainsFunc(e.fields, func(f entryField) bool { return rf.name.is(f.name) }) {
			return fmt.Sprintf("%s, field %s is unknown here", e, rf.label())
		}
	}
	if r.sum == uint16(sum(e.rest)) {
		return ""
	}
	switch rest, ours := strings.CutSuffix(e.rest, fromAnyone); {
	case e.kind == entryItem:
		return e.String() + " has another order of fields there, or is explicit or moved by Reckon on one side alone"
	case e.kind != entryRPC:
		return e.String() + " has another order of fields there"
	case ours && r.sum == uint16(sum(rest)):
		return e.String() + " is FromAnyone here alone"
	case !ours && r.sum == uint16(sum(rest+fromAnyone)):
		return e.String() + " is FromAnyone there alone"
	}
	return e.String() + " has another target, lane or order of fields there, or is FromAnyone on one side alone"
}

// label returns a field's name; an argument that is not a struct has none.
func label(field string) string {
	if field == "" {
		return "(the argument)"
	}
	return field
}

func (f remoteField) label() string {
	if f.name.is("") {
		return label("")
	}
	return f.name.String()
}

type remoteDigest struct {
	form    digestForm
	hz      int
	entries []remoteEntry
}

// parseDigest reads another machine's digest, which may be anything.
func parseDigest(b []byte) (d remoteDigest, ok bool) {
	if len(b) < 4 || len(b) > maxDigest || b[0] != digestVersion || b[1] > byte(formRate) {
		return d, false
	}
	d.form, d.hz = digestForm(b[1]), int(binary.LittleEndian.Uint16(b[2:]))
	r := digestReader{b: b[4:]}
	for len(r.b) > 0 && !r.bad {
		d.entries = append(d.entries, r.entry(d.form))
	}
	return d, !r.bad
}

// A digestReader reads the parts of a digest; once bad it stays bad.
type digestReader struct {
	b   []byte
	bad bool
}

func (r *digestReader) take(n int) []byte {
	if n > len(r.b) {
		r.bad = true
		r.b = nil
		return make([]byte, n)
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *digestReader) entry(form digestForm) remoteEntry {
	e := remoteEntry{kind: r.take(1)[0]}
	if int(e.kind) >= len(entryKinds) {
		r.bad = true
		return e
	}
	if form <= formFields {
		e.name = r.name()
	} else {
		e.name = remoteName{hash: binary.LittleEndian.Uint32(r.take(4)), hashed: true, mask: 0xffffffff}
	}
	e.sum = binary.LittleEndian.Uint16(r.take(2))
	if form == formWhole {
		return e
	}
	for range r.take(1)[0] {
		if r.bad {
			break
		}
		var f remoteField
		if form == formNames {
			f.name = r.name()
		} else {
			f.name = remoteName{hash: uint32(binary.LittleEndian.Uint16(r.take(2))), hashed: true, mask: 0xffff}
		}
		f.sum = binary.LittleEndian.Uint16(r.take(2))
		e.fields = append(e.fields, f)
	}
	return e
}

func (r *digestReader) name() remoteName {
	return remoteName{text: string(r.take(int(r.take(1)[0])))}
}
