package schema

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// Hash is equal on machines whose schemas agree in names, kinds, tags, bounds and tick
// rate, in whatever order these were declared. Valid after Freeze, as is Digest.
func (s *Schema) Hash() uint64 { return s.hash }

// Digest describes the schema in at most 1,000 bytes, so that another machine can
// Explain in what its own schema differs. The digest of a small schema has all names,
// that of a larger one has hashes instead.
func (s *Schema) Digest() []byte { return s.digest }

// A declared is one declaration, as hashes and digests see it.
type declared struct {
	kind   byte // an index in entryKinds
	name   string
	fields []entryField
	rest   string // what else the wire depends on
}

type entryField struct{ name, desc string }

const fromAnyone = ", from anyone" // in an RPC's rest

var entryKinds = [...]string{"component", "prefab", "rpc", "group"}

const (
	entryItem = iota
	entryPrefab
	entryRPC
	entryGroup
)

func (e *declared) String() string { return entryKinds[e.kind] + " " + e.name }

// entries returns all declarations, by kind and name.
func (s *Schema) entries() []declared {
	var es []declared
	for _, it := range s.items {
		e := declared{kind: entryItem, name: it.Name}
		e.describe(&it.Layout)
		if it.Explicit {
			e.rest += ", explicit"
		}
		if it.Reckoned {
			e.rest += ", reckoned"
		}
		es = append(es, e)
	}
	for _, p := range s.prefabs {
		e := declared{kind: entryPrefab, name: p.Name}
		e.describe(&p.Args.lay)
		es = append(es, e)
	}
	for _, r := range s.rpcs {
		e := declared{kind: entryRPC, name: r.Name}
		e.describe(&r.Args.lay)
		e.rest += fmt.Sprintf(", target %d, lane %d", r.To, r.Lane)
		if r.FromAnyone {
			e.rest += fromAnyone
		}
		es = append(es, e)
	}
	for i := range s.groups {
		a, _ := s.GroupAt(i)
		es = append(es, declared{kind: entryGroup, name: s.groups[a-ids.FirstGroup]})
	}
	return es
}

func (e *declared) describe(l *fieldLayout) {
	names := make([]string, len(l.props))
	for i := range l.props {
		names[i] = l.props[i].Name
		e.fields = append(e.fields, entryField{names[i], l.describeProp(i)})
	}
	e.rest = strings.Join(names, " ") // their order is the wire's
}

func hashEntries(name string, hz int, es []declared) uint64 {
	h := sha256.New()
	put := func(s string) { fmt.Fprintf(h, "%d:%s", len(s), s) }
	put(name)
	fmt.Fprintf(h, "%d hz, %d entries", hz, len(es))
	for i := range es {
		e := &es[i]
		put(e.String())
		put(e.rest)
		for _, f := range e.fields {
			put(f.name)
			put(f.desc)
		}
	}
	return binary.LittleEndian.Uint64(h.Sum(nil))
}

// sum is a hash; digests contain its low bits.
func sum(parts ...string) uint64 {
	h := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return binary.LittleEndian.Uint64(h[:])
}

// A digestForm is how much of a schema a digest has room for.
type digestForm byte

const (
	formNames  digestForm = iota // names of declarations and fields
	formFields                   // names of declarations, hashes of fields
	formHashes                   // hashes of both
	formWhole                    // a hash of each declaration
	formRate                     // the tick rate alone
)

// A digest is
//
//	version  1 byte, digestVersion
//	form     1 byte
//	hz       2 bytes
//	entries  to the end, by kind and name:
//	  kind 1 byte, name (formNames, formFields) 1+n bytes or (else) its hash 4 bytes,
//	  all but its fields: 2 bytes of hash; formWhole: all of it, and no fields
//	  fields 1 byte, and of each: its name 1+n bytes (formNames) or 2 bytes of
//	  its hash, and 2 bytes of hash of the rest
//
// Numbers are little-endian.
const digestVersion = 1

// appendDigest writes the richest form that fits.
func appendDigest(b []byte, hz int, es []declared) []byte {
	for form := formNames; ; form++ {
		d := append(b, digestVersion, byte(form))
		d = binary.LittleEndian.AppendUint16(d, uint16(hz))
		if form == formRate {
			return d
		}
		for i := range es {
			d = es[i].append(d, form)
		}
		if len(d)-len(b) <= maxDigest {
			return d
		}
	}
}

func (e *declared) append(b []byte, form digestForm) []byte {
	b = append(b, e.kind)
	if form <= formFields {
		b = appendName(b, e.name)
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(sum(e.name)))
	}
	if form == formWhole {
		return binary.LittleEndian.AppendUint16(b, e.wholeSum())
	}
	b = binary.LittleEndian.AppendUint16(b, uint16(sum(e.rest)))
	b = append(b, byte(len(e.fields)))
	for _, f := range e.fields {
		if form == formNames {
			b = appendName(b, f.name)
		} else {
			b = binary.LittleEndian.AppendUint16(b, uint16(sum(f.name)))
		}
		b = binary.LittleEndian.AppendUint16(b, uint16(sum(f.desc)))
	}
	return b
}

func (e *declared) wholeSum() uint16 {
	parts := []string{e.rest}
	for _, f := range e.fields {
		parts = append(parts, f.name, f.desc)
	}
	return uint16(sum(parts...))
}

// appendName writes a name of at most 255 bytes; a longer path is cut.
func appendName(b []byte, name string) []byte {
	name = name[:min(len(name), 255)]
	return append(append(b, byte(len(name))), name...)
}
