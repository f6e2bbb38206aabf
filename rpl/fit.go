package rpl

import (
	"fmt"
	"math"

	"github.com/tendonengine/tendon/rpl/internal/rangecode"
)

// When learned tables are fitted, whether they pay, and how they reach the
// peers. learn.go counts, tables.go is what travels.

// What a fit is not even tried below: tables save a third at best, and take 400
// bytes for each peer at least.
const (
	bestSaving  = 1.0 / 3
	smallestSet = 400
)

// learn fits new tables when it is time, and ships them where they pay.
func (a *Authority) learn() {
	l := a.learner
	if l.next == 0 {
		if len(a.byID) > 0 {
			l.next = a.tick + l.wait // nothing is coded before anyone is there
		}
		return
	}
	if a.tick < l.next {
		return
	}
	l.wait = min(2*l.wait, Tick(lastFit*a.cfg.Hz))
	l.next = a.tick + l.wait
	number := a.model.number%3 + 1
	for _, p := range a.peers {
		if p != nil && p.link.model.number == number && a.model.number != 0 {
			return // a peer still uses the tables that would be replaced
		}
	}
	copies := 0
	for _, p := range a.peers {
		if p != nil {
			copies++
		}
	}
	now := l.cost(a.types, a.model)
	if now*a.counters.copiesPerRecord()*bestSaving < float64(8*smallestSet*copies) {
		return // no tables could pay
	}
	set := l.fitSet(a.types, number)
	next := set.build(a.types, a.defaults)
	msg := set.append(nil, a.types)
	saved := now - l.cost(a.types, next)
	if a.cfg.Budget > 0 && float64(len(msg)) > a.bucket() {
		return // it would hold up the state
	}
	worth := saved * a.counters.copiesPerRecord()
	if worth < float64(8*len(msg)*copies) {
		return
	}
	a.adopt(set, next, msg)
	l.fade()
}

// copiesPerRecord is how many peers one coded update has served, on average.
func (c *Counters) copiesPerRecord() float64 {
	if c.Records == 0 {
		return 1
	}
	return float64(c.Records) / float64(max(c.Records-c.Shared, 1))
}

// adopt makes a set the tables of this session and ships it.
func (a *Authority) adopt(set *tableSet, m *model, msg []byte) {
	a.model, a.modelMsg = m, msg
	a.models[set.number] = m
	a.counters.Tables++
	for _, p := range a.peers {
		if p != nil {
			a.shipTables(p)
		}
	}
}

func (a *Authority) shipTables(p *peer) {
	if a.modelMsg == nil {
		return
	}
	p.link.sent++
	p.rpc.ready = append(p.rpc.ready, a.modelMsg)
}

// cost is the bits that the counted updates take with a model's tables, raw
// bits left out: they are the same in all.
func (l *learner) cost(types []*rowType, m *model) float64 {
	bits := 0.0
	for i, t := range types {
		for c := range l.rows[i].updates {
			learn, u := &l.rows[i].updates[c], &m.rows[i].updates[c]
			for k := range learn.chunks {
				bits += learn.chunks[k].cost(&u.chunks[k], u.states[k*chunkLen:], min(chunkLen, len(t.words)-k*chunkLen))
			}
			for w, n := range learn.large {
				bits += tableCost(&u.large[w], n)
			}
			for w := range learn.phases {
				for k, n := range learn.phases[w] {
					bits += tableCost(&u.phases[w][k], n)
				}
			}
		}
		for w, n := range l.rows[i].key {
			bits += tableCost(&m.rows[i].key[w], n)
		}
	}
	return bits
}

func (p *patternCount) cost(c *chunkModel, states [][2]table, words int) float64 {
	bits := 0.0
	for i, n := range p.n {
		if n == 0 {
			continue
		}
		k := c.find(p.keys[i] - 1)
		b := symCost(&c.joint, k)
		if k == 0 {
			prev := 0
			for w := range words {
				s := int((p.keys[i] - 1) >> (2 * w) & 3)
				b += symCost(&states[w][prev], s)
				prev = min(s, 1)
			}
		}
		bits += b * float64(n)
	}
	return bits
}

func tableCost(t *table, n []uint32) float64 {
	bits := 0.0
	for i, k := range n {
		if k > 0 {
			bits += symCost(t, i) * float64(k)
		}
	}
	return bits
}

func symCost(t *table, i int) float64 {
	return rangecode.ProbBits - math.Log2(float64(t.t.Freq(i)))
}

// Tables are the learned tables as bytes, to be given to LoadTables of another
// session with the same schema; nil before any were learned.
func (a *Authority) Tables() []byte { return append([]byte(nil), a.modelMsg...) }

// LoadTables makes recorded tables those that this session begins with. Tables
// of another schema or damaged ones are refused with an error.
func (a *Authority) LoadTables(b []byte) error {
	if len(b) == 0 || b[0] != msgTable {
		return fmt.Errorf("rpl: recorded tables: %w", ErrPacket)
	}
	set, err := parseTables(b[1:], a.types)
	if err != nil {
		return fmt.Errorf("rpl: recorded tables: %w", err)
	}
	a.adopt(set, set.build(a.types, a.defaults), append([]byte(nil), b...))
	return nil
}
