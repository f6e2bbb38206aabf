package send

import (
	"errors"
	"fmt"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/store"
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

// fitShare is the share of the time until the next fit that a fit may take: more than one send in a
// hundred shall not be a slow one.
const fitShare = 256

// Learn fits new tables when it is time, some of them in each tick, and ships them if
// they pay.
func (ts *tables) Learn() {
	l := ts.Learner
	if ts.Fitting != nil {
		ts.fitOn()
		return
	}
	if l.Next == 0 {
		if ts.sender.ByID.Len() > 0 {
			l.Next = ts.store.Tick + l.Wait // nothing is coded before a peer is there
		}
		return
	}
	l.Hasten(ts.store.Turned, ts.sender.Setup.Hz)
	if rest := l.Next - ts.store.Tick; int32(rest) > 0 {
		if rest%max(l.Wait/4, 1) == 0 {
			ts.chooseExpectations()
		}
		return
	}
	l.Wait = min(2*l.Wait, ids.Tick(coder.LastFit*ts.sender.Setup.Hz))
	l.Next = ts.store.Tick + l.Wait
	if l.Most() > wire.MaxCounted {
		l.Fade()
		ts.fitted = coder.Counted{}
	}
	number, free := ts.NextTables()
	f, now := coder.Fitter{Worth: ts.Worth()}, ts.Learner.Counted(ts.store.Types, ts.Model)
	if !free || now.Bits*f.Worth*bestSaving < 8*smallestSet || !now.MoreThan(ts.fitted) {
		return // no tables could pay
	}
	ts.fitted = now
	ts.BeginFit(f, number)
	ts.Fitting.Over(int(l.Wait) / fitShare)
	ts.fitOn()
}

// BeginFit begins a fit of the tables of a number.
func (ts *tables) BeginFit(f coder.Fitter, number uint8) {
	ts.Fitting = f.Begin(ts.Learner, ts.store.Types, ts.Defaults, ts.Model, number)
	ts.Fitting.ThenOfAll(ts.shipFitted)
	for i, t := range ts.store.Types {
		ts.Fitting.Then(len(t.Words), func() { ts.afterFit(i) })
	}
}

// fitOn does the next steps of the fit.
func (ts *tables) fitOn() {
	if ts.Fitting.On() {
		ts.Fitting = nil
	}
}

// shipFitted ships the fitted tables, if they pay.
func (ts *tables) shipFitted() {
	f := ts.Fitting
	if m := ts.paying(f.Set, f.Saved); m != nil {
		ts.Ship(f.Next, m)
		ts.Fitting = f // Ship drops a fit under way: this one has steps left
		ts.fitted = ts.Learner.FadeEntries(ts.Model)
	}
}

// afterFit halves what was counted of row type i, if the fit was shipped, and chooses the word by whose
// classes its updates are counted until the next fit. If it has tables by classes it keeps its word.
func (ts *tables) afterFit(i int) {
	r, t := &ts.Learner.Rows[i], ts.store.Types[i]
	if ts.Fitting.Next == ts.Model {
		ts.fitted.Add(ts.Learner.FadeRow(t, ts.Model))
	}
	if ts.Model.Rows[i].ClassWord >= 0 {
		return
	}
	if w := r.Hints.Best(t, ts.Worth()); w >= 0 && w != r.ClassWord {
		r.Regroup(t, w)
	}
}

// NextTables returns the number of the next tables and whether it is free. It is free
// when no peer uses the tables that would be replaced, and each has acked a packet
// coded with the tables it has now, so that it can distinguish older packets. A peer
// that holds this up for too long is put back to the default tables.
func (ts *tables) NextTables() (number uint8, free bool) {
	number, free = coder.After(ts.Model.Number), true
	for _, p := range ts.sender.All {
		switch {
		case p == nil || !p.holdsUp(number):
		case ts.store.Now-p.tables.at > wire.TablesGrace:
			p.dropTables(ts.Defaults)
		default:
			free = false
		}
	}
	return number, free
}

// holdsUp is whether tables of a number must wait for the peer.
func (p *Peer) holdsUp(number uint8) bool {
	has := p.Model.Number
	return has != 0 && (has == number || p.Link.Base < p.tables.inUse)
}

// dropTables puts the peer back to the default tables, which are never replaced.
func (p *Peer) dropTables(d *coder.Model) {
	p.Model, p.tables.inUse, p.tables.newest = d, p.Link.Next, 0
}

// mistakes is whether the peer, if sent the current tables, could decode with them
// packets that were coded with older tables of the same number. It could if it has
// acked nothing that was coded since it was put back to the defaults.
func (p *Peer) mistakes() bool {
	return p.Model.Number == 0 && p.Link.Base < p.tables.inUse
}

// Messages ship a set.
type Messages struct {
	whole   []byte // the set alone
	differs []byte // its differences from the set before, for peers that have it; nil: there is none before
}

// cautious is what a byte of differences must save: tables are fitted to what was counted, and save
// less of what comes; a whole set has that in its length.
const cautious = 2

// paying returns the messages that ship a set, or nil if the set saves less of what was
// counted than they cost.
func (ts *tables) paying(set *coder.TableSet, saved float64) *Messages {
	m := ts.MessagesOf(set)
	sum, n := 0, 0
	for _, p := range ts.sender.All {
		if p != nil && !p.mistakes() {
			sum += min(len(m.whole), cautious*len(ts.messageFor(p, m)))
			n++
		}
	}
	if n == 0 {
		sum, n = len(m.whole), 1
	}
	if ts.sender.Planner.budget.Rate > 0 && float64(len(m.whole)) > ts.sender.Planner.budget.Size {
		return nil // sending it would hold up the state
	}
	if saved*ts.Worth() < float64(8*sum)/float64(n) {
		return nil
	}
	return m
}

// MessagesOf returns the messages that ship a set, which has the number after the set in force.
func (ts *tables) MessagesOf(set *coder.TableSet) *Messages {
	m := &Messages{whole: set.Append([]byte{wire.MsgTable}, ts.store.Types, ts.Defaults, nil)}
	if ts.Model.Number > 0 {
		m.differs = set.Append([]byte{wire.MsgTable}, ts.store.Types, ts.Defaults, ts.Model.Set)
	}
	return m
}

// messageFor is the message by which a peer is shipped a set that follows the one in force.
func (ts *tables) messageFor(p *Peer, m *Messages) []byte {
	if m.differs != nil && p.tables.newest == ts.Model.Number {
		return m.differs // messages come in order: it will have the set before
	}
	return m.whole
}

// Ship makes a model the session's tables and sends its set to every peer that can distinguish
// it from the tables it had.
func (ts *tables) Ship(next *coder.Model, m *Messages) {
	for _, p := range ts.sender.All {
		if p != nil && !p.mistakes() {
			ts.shipTables(p, next, ts.messageFor(p, m))
		}
	}
	ts.adopt(next, m.whole)
}

// Worth is the factor that makes a counted bit saved comparable with a bit of the
// tables, which are sent to each peer.
func (ts *tables) Worth() float64 {
	c := ts.sender.Accounts.Counters
	c.Records, c.Shared = c.Records-ts.secret.records, c.Shared-ts.secret.shared // when tables come tells nothing of what is secret, either
	return horizon * c.CopiesPerRecord() / float64(max(ts.sender.ByID.Len(), 1))
}

// adopt makes a set the session's tables. It drops a fit under way, which was to follow
// other tables.
func (ts *tables) adopt(m *coder.Model, msg []byte) {
	ts.Fitting = nil
	ts.Learner.Rebase(ts.store.Types, ts.Model, m)
	ts.Model, ts.modelMsg = m, msg
	ts.models[m.Number] = m
	for i, t := range ts.store.Types {
		if w := m.Rows[i].ClassWord; w >= 0 && w != ts.Learner.Rows[i].ClassWord {
			ts.Learner.Rows[i].Regroup(t, w)
		}
	}
	ts.Learner.Serve(m)
	store.SetWhole(ts.store, m)
	ts.sender.Accounts.Counters.Tables++
}

// stay is how many times as long as it has been there a peer is expected to stay.
const stay = 4

// offerTables ships the tables to a peer that joined after they were made, once the
// bits it is sent show that they will pay.
func (plr *planner) offerTables(p *Peer) {
	if plr.sender.Tables.modelMsg == nil || p.tables.newest == plr.sender.Tables.Model.Number || p.mistakes() {
		return
	}
	updates := p.plan.updates.in(plr.sender.Updates.bundles.updates)
	for i := range updates {
		if b := &updates[i]; !b.skip {
			p.tables.coded += uint64(b.bits)
		}
	}
	price := float64(8 * len(plr.sender.Tables.modelMsg))
	if p.tables.coded < p.tables.offer || float64(p.tables.coded)*stay < price {
		return
	}
	if float64(p.tables.coded)*stay*plr.sender.Tables.saving() < price {
		p.tables.offer = p.tables.coded + p.tables.coded/2
		return
	}
	plr.sender.Tables.shipTables(p, plr.sender.Tables.Model, plr.sender.Tables.modelMsg)
}

// saving is the share of the counted bits that the tables save against the default
// ones.
func (ts *tables) saving() float64 {
	l, types := ts.Learner, ts.store.Types
	if l.Updates() == 0 {
		l = ts.deaf // no peer has the tables yet, and they expect something else than the default ones
	}
	before := l.Cost(types, ts.Defaults) + l.SavedByLines(types, ts.Model)
	return max(0, before-l.Cost(types, ts.Model)) / max(before, 1)
}

// shipTables sends a peer the tables of a model.
func (ts *tables) shipTables(p *Peer, m *coder.Model, msg []byte) {
	p.tables.newest, p.tables.at = m.Number, ts.store.Now
	p.queueMessage(msg)
	p.tables.shipped = p.RPC.Ready.Sent
}

// Tables is Authority.Tables.
func (ts *tables) Tables() []byte { return append([]byte(nil), ts.modelMsg...) }

// LoadTables is Authority.LoadTables.
func (ts *tables) LoadTables(b []byte) error {
	if ts.modelMsg != nil && ts.sender.ByID.Len() > 0 {
		return errors.New("rpl: recorded tables: the session has tables already, and peers; load recorded ones before anyone joins")
	}
	set, err := (*coder.TableSet)(nil), ids.ErrPacket
	if len(b) > 0 && b[0] == wire.MsgTable {
		set, err = coder.ParseTables(b[1:], ts.store.Types, ts.Defaults, nil)
	}
	if err != nil {
		return fmt.Errorf("rpl: recorded tables are damaged, or of another schema: record them anew, with Tables: %w", err)
	}
	ts.adopt(set.Build(ts.store.Types, ts.Defaults), append([]byte(nil), b...))
	return nil
}

// keyHearer returns the learner that counts how a row's keyframe is coded with a model.
func (ts *tables) keyHearer(r *store.Row, m *coder.Model) *coder.Learner {
	if r.Privacy == store.Refusable {
		return ts.deaf
	}
	return ts.hearer(r, m)
}

// hearer returns the learner that counts how a row is coded with a model. Secret rows
// go to ts.deaf, from which no tables are made, and so do rows that are coded against other
// expectations than those of the newest model, or do what others do not, which would mislead.
func (ts *tables) hearer(r *store.Row, m *coder.Model) *coder.Learner {
	if r.Privacy == store.Secret || m != ts.Model && !m.ExpectsAs(ts.Model, r.Type) || ts.store.Slabs[r.Type.Index].IsFew(r.Block) {
		return ts.deaf
	}
	return ts.Learner
}
