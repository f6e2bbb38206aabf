package rpl

import (
	"errors"
	"fmt"
)

// When learned tables are fitted, whether they pay, and how they reach the
// peers. learn.go counts, tables.go is what travels.

// What a fit is not even tried below: tables save a third at best, and take 150
// bytes for each peer at least.
const (
	bestSaving  = 1.0 / 3
	smallestSet = 150
)

// horizon is how many times as long as they were learned tables are expected
// to serve: the next fit comes after twice the time.
const horizon = 2

// learn fits new tables when it is time, some of them in each tick, and ships them
// where they pay.
func (a *Authority) learn() {
	l := a.learner
	if a.fitting != nil {
		a.fitOn()
		return
	}
	if l.next == 0 {
		if a.byID.len() > 0 {
			l.next = a.tick + l.wait // nothing is coded before anyone is there
		}
		return
	}
	if rest := l.next - a.tick; int32(rest) > 0 {
		if rest%max(l.wait/4, 1) == 0 {
			a.chooseHeadings()
		}
		return
	}
	l.wait = min(2*l.wait, Tick(lastFit*a.cfg.Hz))
	l.next = a.tick + l.wait
	if l.most() > maxCounted {
		l.fade()
	}
	number, free := a.nextTables()
	f := fitter{worth: a.worth()}
	if !free || l.cost(a.types, a.model)*f.worth*bestSaving < 8*smallestSet {
		return // no tables could pay
	}
	a.fitting = f.begin(l, a.types, a.defaults, a.model, number)
	a.fitting.then(func() { a.fitted(a.fitting) })
	a.fitOn()
}

// fitOn goes on with a fit.
func (a *Authority) fitOn() {
	if a.fitting.on() {
		a.fitting = nil
	}
}

// fitted ships what was fitted, if it pays.
func (a *Authority) fitted(f *fitting) {
	if msg := a.paying(f.set, f.saved); msg != nil {
		a.ship(f.set, f.next, msg)
		a.learner.fade()
	}
	a.chooseKinds() // which takes memory, as the fit has
}

// nextTables is the number of the next tables, and whether it is free: no peer
// uses the tables that would be replaced, and each has had a packet that was coded
// with later ones, so that it can tell what is older. Who holds that up for long
// does without tables.
func (a *Authority) nextTables() (number uint8, free bool) {
	number, free = a.model.number%3+1, true
	for _, p := range a.peers {
		switch {
		case p == nil || !p.holdsUp(number):
		case a.now-p.tablesAt > tablesGrace:
			p.dropTables(a.defaults)
		default:
			free = false
		}
	}
	return number, free
}

// holdsUp is whether tables of a number must wait for the peer.
func (p *peer) holdsUp(number uint8) bool {
	has := p.link.model.number
	return has != 0 && (has == number || p.link.base < p.turned)
}

// dropTables has the peer served with the default tables, which are never replaced.
func (p *peer) dropTables(d *model) {
	p.link.model, p.turned, p.tables = d, p.link.next, 0
}

// mistakes is whether the peer could take packets of tables that it had for such of
// others, if it were sent these: it has had nothing that was coded since.
func (p *peer) mistakes() bool {
	return p.link.model.number == 0 && p.link.base < p.turned
}

// paying is a set as it is shipped, nil where it saves less of what was counted
// than that takes.
func (a *Authority) paying(set *tableSet, saved float64) []byte {
	msg := set.append(nil, a.types, a.defaults)
	if a.cfg.Budget > 0 && float64(len(msg)) > a.bucket {
		return nil // it would hold up the state
	}
	if saved*a.worth() < float64(8*len(msg)) {
		return nil
	}
	return msg
}

// ship makes a set the tables of this session and sends it to every peer that can
// tell them from what it had.
func (a *Authority) ship(set *tableSet, m *model, msg []byte) {
	a.adopt(set, m, msg)
	for _, p := range a.peers {
		if p != nil && !p.mistakes() {
			a.shipTables(p)
		}
	}
}

// worth is what a bit that was saved of what was counted is to be multiplied
// with, to be compared with one of the tables that each peer is sent.
func (a *Authority) worth() float64 {
	return horizon * a.counters.copiesPerRecord() / float64(max(a.byID.len(), 1))
}

// copiesPerRecord is how many peers one coded update has served, on average.
func (c *Counters) copiesPerRecord() float64 {
	if c.Records == 0 {
		return 1
	}
	return float64(c.Records) / float64(max(c.Records-c.Shared, 1))
}

// adopt makes a set the tables of this session. What is being fitted was to follow
// others.
func (a *Authority) adopt(set *tableSet, m *model, msg []byte) {
	a.fitting = nil
	a.learner.rebase(a.types, a.model, m)
	a.modelSet, a.model, a.modelMsg = set, m, msg
	a.models[set.number] = m
	for i, t := range a.types {
		if w := m.rows[i].kind; w >= 0 && w != a.learner.rows[i].kind {
			a.learner.rows[i].regroup(t, w)
		}
	}
	a.learner.serve(m)
	a.counters.Tables++
}

// stay is how many times as long as it has been there a peer is expected to
// stay.
const stay = 4

// offerTables ships tables to a peer that came after they were made, once what
// it is sent says that they will pay.
func (a *Authority) offerTables(p *peer) {
	if a.modelMsg == nil || p.tables == a.model.number || p.mistakes() {
		return
	}
	updates := p.plan.updates.in(a.pieces.updates)
	for i := range updates {
		if u := &updates[i]; !u.skip {
			p.coded += uint64(u.bits)
		}
	}
	price := float64(8 * len(a.modelMsg))
	if p.coded < p.offer || float64(p.coded)*stay < price {
		return
	}
	if float64(p.coded)*stay*a.saving() < price {
		p.offer = p.coded + p.coded/2
		return
	}
	a.shipTables(p)
}

// saving is the share of the bits that the tables save, of what was counted.
func (a *Authority) saving() float64 {
	before := a.learner.cost(a.types, a.defaults)
	return max(0, before-a.learner.cost(a.types, a.model)) / max(before, 1)
}

func (a *Authority) shipTables(p *peer) {
	p.tables, p.tablesAt = a.model.number, a.now
	p.say(a.modelMsg)
	p.shipped = p.link.sent
}

// cost is the bits that what was counted takes with a model's tables, raw bits
// left out: they are the same in all.
func (l *learner) cost(types []*rowType, m *model) float64 {
	bits := tableCost(&m.entry.gap, l.gaps)
	for i, t := range types {
		bits += l.rows[i].cost(t, &m.rows[i])
	}
	return bits
}

// cost is that of one row type. Its kinds are those of the model, or it has none.
func (r *rowLearner) cost(t *rowType, m *rowModel) float64 {
	bits := r.keys.cost(t, &m.shapes[shapeKey], &m.keys)
	for k := range r.updates {
		u := &m.updates[0]
		if m.kind >= 0 {
			u = &m.updates[k]
		}
		for c := range u {
			bits += r.updates[k][c].cost(t, &m.shapes[shapeUpdate], &u[c])
		}
	}
	return bits
}

func (l *recordLearner) cost(t *rowType, shape *shapeModel, u *recordModel) (bits float64) {
	for k := range l.chunks {
		words := min(chunkLen, len(t.words)-k*chunkLen)
		bits += l.chunks[k].cost(shape.chunks[k], &u.joint[k], shape.states[k*chunkLen:], words)
	}
	for w := range l.large {
		bits += tableCost(&u.large[w], l.large[w][:])
	}
	for w := range u.phases {
		for k := range u.phases[w] {
			bits += tableCost(&u.phases[w][k], l.phased(w, k))
		}
	}
	return bits
}

func (p *patternCount) cost(c *chunkModel, joint *table, states [][2]table, words int) float64 {
	bits := 0
	for i := range p.slots {
		n, pattern := p.slots[i].n, p.slots[i].pattern()
		if n == 0 {
			continue
		}
		k := c.find(pattern)
		b := joint.t.Cost(k)
		if k == 0 || b == 0 {
			b = joint.t.Cost(0)
			prev := 0
			for w := range words {
				s := int(pattern >> (2 * w) & 3)
				b += states[w][prev].t.Cost(s)
				prev = min(s, 1)
			}
		}
		bits += b * int(n)
	}
	return float64(bits)
}

func tableCost(t *table, n []uint32) float64 {
	bits := 0
	for i, k := range n {
		bits += t.t.Cost(i) * int(k)
	}
	return float64(bits)
}

// Tables are the learned tables as bytes, to be given to LoadTables of another
// session with the same schema; nil before any were learned.
func (a *Authority) Tables() []byte { return append([]byte(nil), a.modelMsg...) }

// LoadTables makes recorded tables those that this session begins with. Tables
// of another schema or damaged ones are refused with an error; and so is what would
// take the place of tables that peers may have, for its number may be that of theirs.
func (a *Authority) LoadTables(b []byte) error {
	if a.modelMsg != nil && len(a.byID.all) > 0 {
		return errors.New("rpl: recorded tables: the session has tables already, and peers; load recorded ones before anyone joins")
	}
	if len(b) == 0 || b[0] != msgTable {
		return fmt.Errorf("rpl: recorded tables: %w", ErrPacket)
	}
	set, err := parseTables(b[1:], a.types, a.defaults)
	if err != nil {
		return fmt.Errorf("rpl: recorded tables: %w", err)
	}
	a.adopt(set, set.build(a.types, a.defaults), append([]byte(nil), b...))
	return nil
}
