package rpl

import (
	"errors"
	"fmt"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// When learned tables are fitted, whether they pay, and how they reach the peers.
// learn.go counts what is coded; tables.go has the tables as they are sent.

// Below what these say no fit is tried: tables save a third of the bits at best, and
// cost each peer 150 bytes at least.
const (
	bestSaving  = 1.0 / 3
	smallestSet = 150
)

// horizon is how long tables are expected to serve, in multiples of the time in which
// they were learned: the next fit comes after twice that time.
const horizon = 2

// learn fits new tables when it is time, some of them in each tick, and ships them if
// they pay.
func (a *Authority) learn() {
	l := a.learner
	if a.fitting != nil {
		a.fitOn()
		return
	}
	if l.Next == 0 {
		if a.byID.len() > 0 {
			l.Next = a.tick + l.Wait // nothing is coded before a peer is there
		}
		return
	}
	if rest := l.Next - a.tick; int32(rest) > 0 {
		if rest%max(l.Wait/4, 1) == 0 {
			a.chooseHeadings()
		}
		return
	}
	l.Wait = min(2*l.Wait, Tick(coder.LastFit*a.cfg.Hz))
	l.Next = a.tick + l.Wait
	if l.Most() > wire.MaxCounted {
		l.Fade()
	}
	number, free := a.nextTables()
	f := coder.Fitter{Worth: a.worth()}
	if !free || l.Cost(a.types, a.model)*f.Worth*bestSaving < 8*smallestSet {
		return // no tables could pay
	}
	a.fitting = f.Begin(l, a.types, a.defaults, a.model, number)
	a.fitting.Then(func() { a.fitted(a.fitting) })
	a.fitOn()
}

// fitOn does the next steps of the fit.
func (a *Authority) fitOn() {
	if a.fitting.On() {
		a.fitting = nil
	}
}

// fitted ships the fitted tables, if they pay.
func (a *Authority) fitted(f *coder.Fitting) {
	if msg := a.paying(f.Set, f.Saved); msg != nil {
		a.ship(f.Set, f.Next, msg)
		a.learner.Fade()
	}
	a.chooseKinds() // it allocates, as the fit did
}

// nextTables returns the number of the next tables and whether it is free. It is free
// when no peer uses the tables that would be replaced, and each has acked a packet
// coded with the tables it has now, so that it can tell older packets apart. A peer
// that holds this up for too long is put back to the default tables.
func (a *Authority) nextTables() (number uint8, free bool) {
	number, free = a.model.Number%3+1, true
	for _, p := range a.peers {
		switch {
		case p == nil || !p.holdsUp(number):
		case a.now-p.tablesAt > wire.TablesGrace:
			p.dropTables(a.defaults)
		default:
			free = false
		}
	}
	return number, free
}

// holdsUp is whether tables of a number must wait for the peer.
func (p *peer) holdsUp(number uint8) bool {
	has := p.link.model.Number
	return has != 0 && (has == number || p.link.base < p.turned)
}

// dropTables puts the peer back to the default tables, which are never replaced.
func (p *peer) dropTables(d *coder.Model) {
	p.link.model, p.turned, p.tables = d, p.link.next, 0
}

// mistakes is whether the peer, if sent the current tables, could decode with them
// packets that were coded with older tables of the same number. It could if it has
// acked nothing that was coded since it was put back to the defaults.
func (p *peer) mistakes() bool {
	return p.link.model.Number == 0 && p.link.base < p.turned
}

// paying returns the message that ships a set, or nil if the set saves less of what was
// counted than its message costs.
func (a *Authority) paying(set *coder.TableSet, saved float64) []byte {
	msg := set.Append([]byte{wire.MsgTable}, a.types, a.defaults)
	if a.cfg.Budget > 0 && float64(len(msg)) > a.bucket {
		return nil // sending it would hold up the state
	}
	if saved*a.worth() < float64(8*len(msg)) {
		return nil
	}
	return msg
}

// ship makes a set the session's tables and sends it to every peer that can tell it
// from the tables it had.
func (a *Authority) ship(set *coder.TableSet, m *coder.Model, msg []byte) {
	a.adopt(set, m, msg)
	for _, p := range a.peers {
		if p != nil && !p.mistakes() {
			a.shipTables(p)
		}
	}
}

// worth is the factor that makes a counted bit saved comparable with a bit of the
// tables, which are sent to each peer.
func (a *Authority) worth() float64 {
	return horizon * a.counters.copiesPerRecord() / float64(max(a.byID.len(), 1))
}

// copiesPerRecord is how many peers one coded update serves, on average.
func (c *Counters) copiesPerRecord() float64 {
	if c.Records == 0 {
		return 1
	}
	return float64(c.Records) / float64(max(c.Records-c.Shared, 1))
}

// adopt makes a set the session's tables. It drops a fit under way, which was to follow
// other tables.
func (a *Authority) adopt(set *coder.TableSet, m *coder.Model, msg []byte) {
	a.fitting = nil
	a.learner.Rebase(a.types, a.model, m)
	a.modelSet, a.model, a.modelMsg = set, m, msg
	a.models[set.Number] = m
	for i, t := range a.types {
		if w := m.Rows[i].Kind; w >= 0 && w != a.learner.Rows[i].Kind {
			a.learner.Rows[i].Regroup(t, w)
		}
	}
	a.learner.Serve(m)
	a.counters.Tables++
}

// stay is how many times as long as it has been there a peer is expected to stay.
const stay = 4

// offerTables ships the tables to a peer that joined after they were made, once the
// bits it is sent show that they will pay.
func (a *Authority) offerTables(p *peer) {
	if a.modelMsg == nil || p.tables == a.model.Number || p.mistakes() {
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

// saving is the share of the counted bits that the tables save against the default
// ones.
func (a *Authority) saving() float64 {
	before := a.learner.Cost(a.types, a.defaults)
	return max(0, before-a.learner.Cost(a.types, a.model)) / max(before, 1)
}

// shipTables sends a peer the tables in use.
func (a *Authority) shipTables(p *peer) {
	p.tables, p.tablesAt = a.model.Number, a.now
	p.say(a.modelMsg)
	p.shipped = p.link.sent
}

// Tables returns the learned tables as bytes for LoadTables of another session with the
// same schema, nil if there are none.
func (a *Authority) Tables() []byte { return append([]byte(nil), a.modelMsg...) }

// LoadTables makes recorded tables the ones that this session begins with. It returns
// an error for damaged tables and for those that do not fit the schema (tables of another
// schema that happen to fit save less and do no harm), and also once the session has both
// tables and peers: the recorded tables might have the number of tables that peers use.
func (a *Authority) LoadTables(b []byte) error {
	if a.modelMsg != nil && len(a.byID.all) > 0 {
		return errors.New("rpl: recorded tables: the session has tables already, and peers; load recorded ones before anyone joins")
	}
	set, err := (*coder.TableSet)(nil), ErrPacket
	if len(b) > 0 && b[0] == wire.MsgTable {
		set, err = coder.ParseTables(b[1:], a.types, a.defaults)
	}
	if err != nil {
		return fmt.Errorf("rpl: recorded tables are damaged, or of another schema: record them anew, with Tables: %w", err)
	}
	a.adopt(set, set.Build(a.types, a.defaults), append([]byte(nil), b...))
	return nil
}
