package sessionmsg

// names: both ends make the load-time nodes by themselves. When a client joins they compare
// their sets of names by a sum, and the server tells what it has destroyed.

import (
	"fmt"
	"hash/fnv"

	"github.com/tendonengine/tendon/rpl"
)

// A NameSum tells sets of names apart, whatever the order in which they were made.
type NameSum struct {
	count uint32
	sum   uint64
}

// Add adds a name to the set.
func (s *NameSum) Add(name string) {
	h := fnv.New64a()
	h.Write([]byte(name))
	s.count++
	s.sum += h.Sum64()
}

// Names lists load-time nodes by name.
//
//	type 1 = 0x83, kind 1, per name: length 1, bytes
type Names struct {
	Kind  NameKind
	Names []string
}

// NameKind says which load-time nodes a message lists.
type NameKind uint8

const (
	NamesEnd       NameKind = iota // no more of them; state may be applied
	NamesDestroyed                 // these are destroyed
	NamesAlive                     // these exist; sent only if the sets differ
)

// AppendNames and ParseNames write and read Names.
func AppendNames(b []byte, m Names) []byte {
	b = append(b, TypeNames, byte(m.Kind))
	for _, name := range m.Names {
		b = append(append(b, byte(len(name))), name...)
	}
	return b
}

func ParseNames(b []byte) (m Names, err error) {
	if len(b) < 2 || b[0] != TypeNames || NameKind(b[1]) > NamesAlive {
		return m, ErrMessage
	}
	m.Kind = NameKind(b[1])
	for b = b[2:]; len(b) > 0; {
		n := int(b[0])
		if n == 0 || n > rpl.MaxName || len(b) < 1+n {
			return Names{}, ErrMessage
		}
		m.Names = append(m.Names, string(b[1:1+n]))
		b = b[1+n:]
	}
	return m, nil
}

// ServerNames is what the server has told of its load-time nodes. Nothing is applied
// before it is complete.
type ServerNames struct {
	Destroyed, Alive map[string]bool
	bytes            int  // bytes of all names
	Done             bool // all has come …
	Applied          bool // … and has been applied
}

func with(set map[string]bool, names []string) map[string]bool {
	if set == nil {
		set = map[string]bool{}
	}
	for _, name := range names {
		set[name] = true
	}
	return set
}

// Take takes a message in. It refuses messages after the end, and more names than a
// server tells.
func (s *ServerNames) Take(m Names) error {
	for _, name := range m.Names {
		s.bytes += len(name) + 1
	}
	if s.Done || s.bytes > MaxNameBytes {
		return fmt.Errorf("%w: more names than there can be", ErrMessage)
	}
	switch m.Kind {
	case NamesEnd:
		s.Done = true
	case NamesDestroyed:
		s.Destroyed = with(s.Destroyed, m.Names)
	case NamesAlive:
		s.Alive = with(s.Alive, m.Names)
	}
	return nil
}
