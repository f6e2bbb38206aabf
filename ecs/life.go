package ecs

// The life of a session: single player, hosting, joining, and its end.

import (
	"crypto/rand"
	"fmt"
	"math"
	"net/netip"
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/ecs/internal/extract"
	"github.com/tendonengine/tendon/ecs/internal/membership"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
)

// Host opens the session to others; Join enters another's. Neither waits: they take
// effect at the next Receive, or, if a client's OnEnd calls them, in the Receive that
// runs OnEnd. OnEnd reports a failure. A machine that is in another session leaves it
// first; a listener that was hosted on before is closed.
//
// The session owns the listener from then on, and Close of the session closes it. If the
// game closes it instead, on any goroutine, the session stops hosting in the next
// Receive: the peers leave, and OnEnd says why. Host panics for a nil listener.
func (r *Replication) Host(l transport.Listener) {
	mustBeMade("Host", r)
	if l == nil {
		panic("tendon: Host of no listener: look at the error of what was to make it")
	}
	r.line.Joining = false
	r.dropWaiting()
	r.pending = append(r.pending, request{do: func() {
		r.leave(nil)
		link, err := l.Listen(r.offer())
		if err != nil {
			r.reportEnd(fmt.Errorf("tendon: hosting on %s: %w", l.Addr(), err))
			return
		}
		r.line.Open(link)
		said := []any{"address", l.Addr()}
		if l, ok := l.(interface{ JoinString() string }); ok { // of package kcp
			said = append(said, "join", l.JoinString())
		}
		r.shared.config.Log.Info("hosting", said...)
	}, giveUp: func() {
		if err := l.Close(); err != nil {
			r.shared.config.Log.Warn("closing the listener", "err", err)
		}
	}})
}

// A request is something that the next Receive does first.
type request struct {
	do     func()
	giveUp func() // set by Host and Join: Close was called before do ran
}

// Join enters another machine's session; like Host, it takes effect at the next Receive.
// A machine that was lost to a session and joins it again within 30 s is the same peer
// there as before (see OnLost). The single-player world ends: its nodes go, except for
// those made at load time, which become proxies. Join panics for a nil dialer.
func (r *Replication) Join(d transport.Dialer) {
	mustBeMade("Join", r)
	if d == nil {
		panic("tendon: Join without a dialer: give it an address, as kcp.Dialer does")
	}
	r.line.Joining = true
	r.dropWaiting()
	r.pending = append(r.pending, request{do: func() {
		r.leave(nil)
		link, err := d.Dial(r.offer())
		if err != nil {
			r.line.Joining = false // OnEnd may call Join again
			r.reportEnd(fmt.Errorf("tendon: joining: %w", err))
			return
		}
		defer func() {
			if r.line.Link == nil { // a callback has panicked while the world ended: the next Receive joins anew
				r.line.Part(link, "")
			}
		}()
		r.becomeClient()
		r.line.Open(link)
	}, giveUp: func() {
		r.line.Joining = false
		r.dropWaiting()
	}})
}

// Close ends what Host or Join began. A server tells every peer the reason and plays on without them. A client
// tells the server, leaves, and is alone, with OnEnd as for any other end. At most 200 bytes of the reason are
// sent. Calls of Host and Join that have not taken effect yet are dropped without OnEnd.
//
// Close does not wait for what is on its way, and nothing is sent again after it. On a good line a second
// between the last calls and Close is enough; on one that loses a fifth, at 300 ms, one call in ten is lost by
// then. Where calls must arrive, let the clients answer, and close then. A dedicated server stays one: it has
// no player who could be Alone. Called outside of Receive, Send and callbacks, Close is done when it returns, but
// for goodbyes that are not answered (see Wait). The others are told also if a callback panics.
func (r *Replication) Close(reason string) {
	mustBeMade("Close", r)
	r.pending = slices.DeleteFunc(r.pending, func(q request) bool {
		if q.giveUp != nil {
			q.giveUp()
		}
		return q.giveUp != nil
	})
	r.putOff.Later(func() {
		if r.line.Link == nil {
			return
		}
		if r.shared.Auth == nil {
			r.end(because(fmt.Errorf("tendon: %w by this machine", transport.ErrClosed), reason), reason)
			return
		}
		r.stopHosting(reason)
	})
}

// Wait waits until all that was closed here has said goodbye, a second at most: its ports are free then. Call it on
// Close's goroutine before a program ends: else each goodbye was said once, and may be lost. Run and window.Run do.
func (r *Replication) Wait() {
	mustBeMade("Wait", r)
	r.line.Wait()
}

// because adds a reason, which may be empty, to the error with which a connection ended.
func because(err error, reason string) error {
	if reason == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, reason)
}

func (r *Replication) offer() transport.Offer {
	s := r.shared.protocol.schema
	r.shared.config.Hello = r.nextHello
	return transport.Offer{
		Game: r.shared.protocol.name, Schema: s.Hash(), Digest: s.Digest(), Explain: s.Explain,
		Hello: r.shared.config.Hello, Key: r.key, Keys: &r.keys, Joins: true, Room: r.seats.room, Admit: r.shared.config.Admit,
		HalfOpen: r.shared.config.Times.HalfOpen, Join: r.shared.config.Times.Join, Silence: r.shared.config.Times.Silence, Limits: r.shared.config.Limits.wire(),
		Title: r.shared.config.Title, Locals: r.seats.locals(), Most: r.seats.limit(),
		Refused: func(remote netip.AddrPort, why error) { r.seats.turnedAway(remote, why) },
	}
}

// leave ends what Host or Join began, before something else begins.
func (r *Replication) leave(why error) {
	switch {
	case r.line.Link == nil:
	case r.shared.Auth != nil:
		r.stopHosting("the server has stopped")
	default:
		r.end(why, "left")
	}
}

// stopIfShut ends hosting if the link has ended by itself: nobody can join any more, and
// the connected peers are no longer heard.
func (r *Replication) stopIfShut(why error) {
	if why == nil {
		return
	}
	r.stopHosting(why.Error())
	r.reportEnd(fmt.Errorf("tendon: hosting has ended: %w", why))
}

// stopHosting empties all seats and closes the link, also where callbacks panic: the last panic goes on then.
func (r *Replication) stopHosting(reason string) {
	if len(r.seats.all) == 0 {
		r.line.Part(r.line.Link, reason)
		r.line.Leave()
		return
	}
	defer r.stopHosting(reason)
	s := r.seats.all[0]
	if s.gone == nil {
		s.gone = transport.ErrClosed
	}
	r.seats.empty(s)
}

// outOfTicks ends hosting, now and on every later attempt: without further ticks, peers
// could not be told the order of changes. A single player plays on, in the last step for
// ever.
func (r *Replication) outOfTicks() {
	if r.line.Link == nil && r.line.Spent {
		return
	}
	r.line.Spent = true
	if r.line.Link != nil {
		r.stopHosting("the session is as old as one can be")
	}
	r.reportEnd(fmt.Errorf("tendon: step %d is the last of a session: %w: start the program again", r.shared.Tick, rpl.ErrLimit))
}

// becomeClient makes this machine a client: the server that is being joined decides about
// the world.
func (r *Replication) becomeClient() {
	r.endAll(nodes.SessionOver, true)
	r.home.putAway()
	r.shared.Auth, r.shared.Proxy = nil, nil
	r.resetAuthority()
	r.notify.Drop()
	r.calls.dropCalls()
	r.shared.Me, r.begun = 0, true
	r.resetClient()
	r.loadTime.Exhume()
	r.remakeNamed()
	r.nodes.Session.InPlace, r.nodes.Session.Predicted = false, nil
	donburix.Add(r.Session(), components.Proxy)
}

// end makes a client alone again: its proxies go, and the world begins anew in single
// player, unless OnEnd joins another session. said is the reason that the server is told
// if it can still hear it.
func (r *Replication) end(why error, said string) {
	r.client.ended = why // where a callback panics, the next Receive ends what is left; the server is told now
	func() {
		defer r.line.Part(r.line.Link, said)
		r.endAll(nodes.SessionOver, true)
	}()
	r.line.Leave()
	donburix.Drop(r.Session(), components.Proxy)
	r.home.strip()
	r.calls.dropCalls()
	if !r.line.Joining {
		r.dropWaiting()
	}
	if err := r.becomeAuthority(); err != nil {
		panic(fmt.Sprintf("tendon: a configuration that was accepted is not any more: %v", err))
	}
	r.loadTime.Exhume()
	r.remakeNamed()
	r.begun = false
	r.reportEnd(why)
}

func (r *Replication) reportEnd(err error) {
	if err == nil {
		return
	}
	r.failure = err
	r.shared.config.Log.Info("ended", "why", err)
	call(r.hooks.end, err)
}

// endAll ends every node but the session's, and the nodes that callbacks make meanwhile. Calls that wait
// for their picture run before that: it does not come any more.
// If the world stays, the entities of these nodes are removed, except for load-time ones,
// which belong to the world.
func (r *Replication) endAll(why nodes.Reason, worldStays bool) {
	r.loadTime.EndBuilding()
	r.draw.InPlace.Restore()
	r.predict.states.Unpaint(r.predict.all)
	r.calls.runDrawn(nil, math.MaxUint32)
	nodes := r.nodes.Sorted()
	if r.shared.Auth != nil {
		r.loadTime.NoteStanding(nodes)
	}
	for round := 0; len(nodes) > 0 && round < extract.MaxRounds; round++ {
		for _, n := range nodes {
			r.endTree(n, why, worldStays)
		}
		nodes = r.nodes.Sorted()
	}
	if r.shared.Auth != nil && worldStays {
		r.removeUnmade()
	}
	if r.shared.Auth == nil && worldStays {
		r.loadTime.DropStale()
	}
}

// removeUnmade removes the entities to which callbacks have given RplNode while all nodes
// ended: they would have become nodes at the end of the step.
func (r *Replication) removeUnmade() {
	loadTime := map[donburi.Entity]bool{}
	for _, ent := range r.loadTime.All() {
		loadTime[ent] = true
	}
	var unmade []*nodes.Node
	for e := range donburix.With(r.shared.World, components.RplNode) {
		if ent := e.Entity(); r.nodes.Of(ent) == nil && !loadTime[ent] {
			unmade = append(unmade, r.nodes.New(ent, components.NodeData{}))
		}
	}
	for _, n := range unmade {
		r.shared.RemoveEntities(n)
	}
}

// endTree ends a node after those below it, whose OnStreamOut may ask where they are in the world.
func (r *Replication) endTree(n *nodes.Node, why nodes.Reason, worldStays bool) {
	for _, c := range slices.Collect(n.Kids) {
		r.endTree(c, why, worldStays)
	}
	if r.nodes.Of(n.Entity) == n {
		r.endOne(n, why, worldStays)
	}
}

func (r *Replication) endOne(n *nodes.Node, why nodes.Reason, worldStays bool) {
	if r.shared.Auth != nil {
		n.Why = why
		r.extract.EndNode(n)
	} else {
		if n.Leaving {
			why = n.Why // it has gone before that
		}
		r.proxies.endProxy(n, why)
	}
	switch {
	case !worldStays:
	case n.Name != "":
		r.nodes.Parts[n.Entity] = n.Parts()
		for _, ent := range n.Entities() {
			if r.shared.World.Valid(ent) {
				donburix.Drop(r.shared.World.Entry(ent), components.Proxy, components.Hidden)
			}
		}
	default:
		r.shared.RemoveEntities(n)
	}
}

// start begins a world on the authority: it is filled, then everyone joins.
func (r *Replication) start() {
	r.begun = true
	if r.worlds.levels && r.worlds.filled {
		r.endAll(nodes.LevelEnded, false) // the load-time nodes of the former world, which were remade in it
		r.attach(donburi.NewWorld())
	}
	r.home.takeOut()
	r.fill()
	for _, fn := range r.hooks.start {
		fn()
	}
	if r.shared.Me == rpl.Server {
		call(r.hooks.join, r.shared.Me)
	}
}

// fill lets OnWorld fill a new world.
func (r *Replication) fill() {
	if r.swaps(r.shared.level) {
		r.worlds.filled = true
		for _, fn := range r.hooks.world {
			fn(r.shared.World, r.shared.level)
		}
	}
}

// dropWaiting drops the calls and group requests that wait for a session that will not be
// joined.
func (r *Replication) dropWaiting() {
	if len(r.calls.waiting) > 0 {
		r.shared.Faults.Add("rpc dropped", uint64(len(r.calls.waiting)))
		r.calls.waiting = nil
	}
	r.shared.Faults.Add("stale group", uint64(r.groups.asking.Asked()))
	r.groups.asking = membership.Groups{}
}

// becomeAuthority makes this machine the authority of its world.
func (r *Replication) becomeAuthority() error {
	a, err := rpl.NewAuthority(r.shared.config.authority(r.shared.protocol.schema, &r.nodes))
	if err != nil {
		return err
	}
	r.shared.Auth, r.shared.Proxy = a, nil
	r.resetClient()
	for g, fn := range r.groups.while {
		a.Condition(g.audience, fn)
	}
	r.shared.Me = rpl.Server
	if r.shared.config.Dedicated {
		r.shared.Me = 0
	}
	r.seats.lastPeer = rpl.Server
	r.line.GoTo(0)
	r.line.Spent = false
	r.seats.read.resyncs, r.seats.read.noRoom = 0, 0
	r.shared.level, r.shared.epoch = "", r.shared.epoch+1
	return nil
}

// newKey makes the key of one Replication. It does not leave this machine: servers are
// shown what follows from it.
func newKey() (k [32]byte) {
	rand.Read(k[:]) // never fails: it ends the program instead
	return k
}
