package rpl

import (
	"bytes"
	"sync"
	"weak"
)

// A coding is what the schema alone decides about how rows are coded, and the code
// tables that proxies have been shipped. What it hands out is immutable and shared by the
// sessions of one process: otherwise each of hundreds of bots in one process would have
// tables of its own, and these would evict each other from the caches.
type coding struct {
	types    []*rowType
	byItem   [][]*rowType
	defaults *model

	mu      sync.Mutex
	shipped [4]shippedModel // the newest, as a ring: as many as a session has numbers for
	next    int
}

// A shippedModel is a model that is kept as long as some proxy has it.
type shippedModel struct {
	message []byte
	model   weak.Pointer[model]
}

// newCoding makes the coding of a frozen schema.
func newCoding(s *Schema) *coding {
	c := &coding{}
	c.types, c.byItem = rowTypesOf(s)
	c.defaults = defaultModel(c.types)
	return c
}

// shippedAs returns the model that a message of tables describes, or an error if the
// message is damaged.
func (c *coding) shippedAs(message []byte) (*model, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.shipped {
		if s := &c.shipped[i]; bytes.Equal(s.message, message) {
			if m := s.model.Value(); m != nil {
				return m, nil
			}
		}
	}
	set, err := parseTables(message, c.types, c.defaults)
	if err != nil {
		return nil, err
	}
	m := set.build(c.types, c.defaults)
	c.shipped[c.next] = shippedModel{bytes.Clone(message), weak.Make(m)}
	c.next = (c.next + 1) % len(c.shipped)
	return m, nil
}

// coding returns the coding of a frozen schema.
func (s *Schema) coding() *coding {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.coded == nil {
		s.coded = newCoding(s)
	}
	return s.coded
}
