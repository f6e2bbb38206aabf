package coder

import (
	"bytes"
	"sync"
	"weak"

	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/schema"
)

// A Coding is what the schema alone decides about how rows are coded, and the code
// tables that proxies have been shipped. What it hands out is immutable and shared by the
// sessions of one process: otherwise each of hundreds of bots in one process would have
// tables of its own, and these would evict each other from the caches.
type Coding struct {
	Types    []*rowtype.Type
	ByItem   [][]*rowtype.Type
	Defaults *Model

	mu      sync.Mutex
	Shipped [4]shippedModel // the newest, as a ring: as many as a session has numbers for
	next    int
}

// A shippedModel is a model that is kept as long as some proxy has it.
type shippedModel struct {
	message []byte
	before  weak.Pointer[Model] // from which the message says the differences, if it does
	Model   weak.Pointer[Model]
}

// newCoding makes the coding of a frozen schema.
func newCoding(s *schema.Schema) *Coding {
	c := &Coding{}
	c.Types, c.ByItem = rowtype.TypesOf(s)
	c.Defaults = defaultModel(c.Types)
	return c
}

// ShippedAs returns the model that a message of tables describes, or an error if the
// message is damaged. The proxy has the models of known, by number, some of them nil.
func (c *Coding) ShippedAs(message []byte, known *[4]*Model) (*Model, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := (*Model)(nil)
	if n, differs := setNumber(message); differs {
		before = known[Before(n)]
	}
	for i := range c.Shipped {
		if s := &c.Shipped[i]; bytes.Equal(s.message, message) && s.before == weak.Make(before) {
			if m := s.Model.Value(); m != nil {
				return m, nil
			}
		}
	}
	set, err := ParseTables(message, c.Types, c.Defaults, before)
	if err != nil {
		return nil, err
	}
	m := set.Build(c.Types, c.Defaults)
	c.Shipped[c.next] = shippedModel{bytes.Clone(message), weak.Make(before), weak.Make(m)}
	c.next = (c.next + 1) % len(c.Shipped)
	return m, nil
}

// CodingOf returns the coding of a frozen schema.
func CodingOf(s *schema.Schema) *Coding {
	return s.Derived(func() any { return newCoding(s) }).(*Coding)
}
