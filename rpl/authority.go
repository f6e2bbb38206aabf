package rpl

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/interest"
	"github.com/tendonengine/tendon/rpl/internal/send"
	"github.com/tendonengine/tendon/rpl/internal/spatial"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// An Authority is the core of the machine that decides: it keeps the nodes and sends
// every peer what it may see of them. It starts no goroutine and reads no clock. All
// methods except Encode must be called from one goroutine.
//
// A tick: Receive and ReceiveMessage for what came, Step, Due, the game's step, Set for
// every item that may have changed; then, if this tick sends, Stream, Schedule, and
// Encode for every peer, which together are one send.
type Authority struct {
	cfg  AuthorityConfig
	aged bool // the warning that the ticks run out has been logged

	store    *store.Store
	interest *interest.Manager
	sender   *send.Sender
}

// NewAuthority makes a core whose only node is the session's. It freezes the schema;
// all mistakes in the schema are returned as one joined error.
func NewAuthority(c AuthorityConfig) (*Authority, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	space, err := spatial.NewSpace(c.Interest)
	if err != nil {
		return nil, err
	}
	k := coder.CodingOf(c.Schema)
	a := &Authority{cfg: c}
	a.store = store.NewStore(k, c.Schema, c.Refs, c.Reckoner, c.Hz, uint32((c.Hz+c.SendHz-1)/c.SendHz), c.Log, space)
	a.interest = interest.NewManager(c.Interest, a.store, space)
	a.sender = send.NewSender(send.Setup{Hz: c.Hz, SendHz: c.SendHz, Budget: c.Budget, CheckEvery: c.CheckEvery, Local: c.Local}, k, a.store, a.interest)
	if _, err := a.Spawn(Spawn{Streaming: Streaming{Relevance: Always}}); err != nil {
		return nil, err
	}
	return a, nil
}

// Stream decides which nodes each peer should hold, and starts arrivals and removals.
func (a *Authority) Stream(now time.Duration) {
	a.store.Send++
	a.store.Now = now
	a.interest.AskConditions()
	a.sender.NoteSilent(now)
	a.interest.Stream(now)
	a.sender.Apply()
	a.sender.Calls.RouteEarly()
}

// SetGroup puts a peer into a group or takes it out. SetNodeGroup does the same for a
// node whose Relevance is Grouped. SetGroup costs what the group may see, however large
// the world is. It does nothing for a peer that is not connected.
func (a *Authority) SetGroup(id Peer, g Audience, in bool) {
	a.interest.SetGroup(id, g, in)
	a.sender.Apply()
}

// Set extracts a component into the store. It is called once a tick, before Stream, for
// every item whose component may have changed. It first compares the component with a
// shadow of its bytes. It reports whether a replicated value changed. It does nothing for
// an item that was removed.
func (a *Authority) Set(item Item, component unsafe.Pointer) (changed bool) {
	it, ok := a.store.Item(item)
	if !ok {
		return false
	}
	changed = a.store.Read(it, component)
	a.interest.UpdateGrid()
	return changed
}

// Place says where a node is that may have changed its place or its parent since the last Stream, by the
// component that says its place, and that is about to be called: who sees it there from now on hears
// the call. Set follows, as in each tick. Place does nothing for an item that was removed, or that says
// no place, and where no call would ask for it.
func (a *Authority) Place(item Item, component unsafe.Pointer) {
	if it, ok := a.store.Item(item); ok && a.store.Nodes[a.store.Items[it].Node].Judge {
		a.store.Place(it, component)
		a.interest.UpdateGrid()
	}
}

// SetWords is Set for an item whose type was made by the schema's builder. It is given
// the item's current words, which must be within their ranges.
func (a *Authority) SetWords(item Item, words []int32) (changed bool) {
	it, ok := a.store.Item(item)
	if !ok {
		return false
	}
	changed = a.store.SetWords(it, words)
	a.interest.UpdateGrid()
	return changed
}

// SetColumn is Set for all items of a column, in a tick in which Stream follows. at
// holds the component of each row, and is not kept. Of a node that no peer holds only
// the place is read; the rest is read if Stream finds a peer for it. A column that was
// given once must be given before every Stream, and an item that leaves it must be Set.
// Of explicit items only dirty rows are read. Of two columns of which one has the velocity of
// the other (`predict=item.Field`) give the velocity first, or a turn takes two sends.
func (a *Authority) SetColumn(c *Column, at []unsafe.Pointer) {
	a.store.ReadColumn(c, at)
	a.interest.UpdateGrid()
}

// OnDecide sets a function that is called whenever Stream decides that a peer shall
// have a node (in) or shall no longer have it. It is meant for measurements.
func (a *Authority) OnDecide(fn func(p Peer, n Node, in bool)) { a.sender.OnDecide = fn }

// Disconnect forgets a peer, connected or suspended. Each of its nodes is removed, or
// stays with no owner if Streaming.Keep says so. Disconnect does nothing for the local
// player. It returns what was measured of the way to the peer, for SetPath of another stream over
// the same connection, as in the next level.
func (a *Authority) Disconnect(id Peer) (known Path) {
	if id == 0 || id == a.cfg.Local {
		return known
	}
	if p := a.sender.ByID.Find(id); p != nil {
		known = p.Link.Path()
	}
	a.sender.Suspend(id)
	a.interest.ForgetPeer(id)
	for _, slot := range a.store.Owned(id, nil) {
		if n := &a.store.Nodes[slot]; n.Spawn.Keep {
			a.handOver(slot, 0) // its children have a Keep of their own
		} else {
			a.Remove(n.ID)
		}
	}
	return known
}

// Step begins tick t. The first tick may be any; later ones must ascend with time, at
// Hz per second except to catch up after a pause. Peers refuse a tick that leaps ahead
// by more than 10 s. Step begins nothing after MaxTick, and returns an error that wraps
// ErrLimit, nor for a tick before the last one (ErrRange).
func (a *Authority) Step(t Tick) error {
	if t > wire.LateInLife {
		if t > MaxTick {
			return fmt.Errorf("rpl: tick %d: %w: a session has %d; end it and begin another", t, ErrLimit, MaxTick)
		}
		a.warnOfAge(t)
	}
	if t < a.store.Tick {
		return fmt.Errorf("rpl: tick %d after tick %d: %w: ticks ascend", t, a.store.Tick, ErrRange)
	}
	a.store.Begin(t)
	return nil
}

// warnOfAge logs once that the session's ticks are running out.
func (a *Authority) warnOfAge(t Tick) {
	if a.aged {
		return
	}
	a.aged = true
	a.cfg.Log.Warn("the session is old: it ends when its ticks do", "tick", t, "last", MaxTick,
		"in", time.Duration(MaxTick-t)*time.Second/time.Duration(a.cfg.Hz), "remedy", "end it and begin another before")
}
