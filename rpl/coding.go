package rpl

import (
	"bytes"
	"sync"
	"weak"
)

// A coding is what the schema alone decides of how rows are coded, and the code
// tables that proxies have been shipped. What it hands out is immutable, and the
// sessions of one process share it: bots that try a server out by the hundred would
// else have tables of their own each, and wash the others' out of the caches.
type coding struct {
	types    []*rowType
	byItem   [][]*rowType
	defaults *model

	mu      sync.Mutex
	shipped [4]shippedModel // the newest, in turn: as many as a session has numbers for
	next    int
}

// A shippedModel is a model as long as some proxy has it.
type shippedModel struct {
	message []byte
	model   weak.Pointer[model]
}

// newCoding is of a frozen schema.
func newCoding(s *Schema) *coding {
	c := &coding{}
	c.types, c.byItem = rowTypesOf(s)
	c.defaults = defaultModel(c.types)
	return c
}

// shippedAs is the model that a message of tables makes, or an error where it is
// damaged.
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

// coding is that of a frozen schema.
func (s *Schema) coding() *coding {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.coded == nil {
		s.coded = newCoding(s)
	}
	return s.coded
}
