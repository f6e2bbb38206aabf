package ecs

// Group: a set of peers that alone receive certain nodes and fields.

import (
	"fmt"
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/membership"
	"github.com/tendonengine/tendon/ecs/internal/sessionmsg"
	"github.com/tendonengine/tendon/rpl"
)

// Group is a set of peers. Fields (`to=name`) and nodes (Add) that are kept to a group
// are sent only to its members, except that a node's owner always has the node, with the
// whole tree that it belongs to. A peer that enters the group is sent them; a peer that
// leaves it forgets them.
//
// The authority decides who is in, by Put, While or Allow; to begin with, nobody is. A
// peer stays in through levels, until it leaves the session. The authority's own machine
// sees everything.
type Group struct {
	name     string
	protocol *Protocol
	audience rpl.Audience
}

// NewGroup declares a group, once, under the name that tags use. The name has no comma,
// and no space around it. A protocol has at most 64 groups: if each player or table would
// need one, use OwnerOnly nodes, Show and Hide, or a session for each table.
func NewGroup(p *Protocol, name string) *Group {
	p.declare("group", name)
	if slices.ContainsFunc(p.groups, func(g *Group) bool { return g.name == name }) {
		p.fault(fmt.Errorf("tendon: group %s is declared twice: keep what NewGroup returned the first time, or rename one", name))
	}
	g := &Group{name: name, protocol: p, audience: p.schema.Group(name)}
	p.groups = append(p.groups, g)
	return g
}

// Add keeps a node, and all nodes below it, to the members of its groups: of this one and
// of the others that it is added to. It sets the node's Relevance to Grouped. Grouped has
// no effect while the node hangs under another: a tree is sent whole, to the peers that
// get its top. Restrict fields of a child by `to=`. Call Add on the authority; elsewhere,
// and for an entity that is no node, it is ignored and counted ("stale group").
func (g *Group) Add(e *donburi.Entry) { g.node(e, true) }

// Remove takes a node out of the group. A node left in no group is sent to its owner alone.
func (g *Group) Remove(e *donburi.Entry) { g.node(e, false) }

func (g *Group) node(e *donburi.Entry, in bool) {
	r := of(e)
	if r == nil {
		return
	}
	g.check(r)
	n := r.nodes.Of(e.Entity())
	if n == nil || r.shared.Auth == nil || n == r.nodes.Session || !r.shared.World.Entry(n.Entity).HasComponent(components.RplNode) {
		r.shared.ScoldOf("stale group", "group "+g.name+", a node of", e, "Add and Remove are for nodes on the authority: ask rep.IsAuthority, and tendon.ID whether it is one")
		return
	}
	if in {
		components.RplNode.Get(r.shared.World.Entry(n.Entity)).Relevance = rpl.Grouped
	}
	n.Groups = membership.With(n.Groups, g.bit(), in)
	r.shared.Auth.SetNodeGroup(n.ID, g.audience, in)
}

// Put lets a peer in or takes it out, on the authority; this machine's player too.
// Elsewhere, and for a peer that has left, it is ignored and counted ("stale group"). As
// long as a While function is set, that function decides, and Put has an effect only
// after While(nil).
func (g *Group) Put(r *Replication, p rpl.Peer, in bool) {
	g.check(r)
	r.groups.put(g, p, in)
}

func (gs *grouping) put(g *Group, p rpl.Peer, in bool) {
	m := gs.membership(p)
	if gs.Auth == nil || m == nil {
		gs.Faults.Scold("stale group", "group "+g.name+", a peer", "Put is for the authority, and for peers that have joined: ask rep.IsAuthority, or call Ask; forget a peer in OnLeave", "peer", p)
		return
	}
	m.Put(g.bit(), in)
	if gs.while[g] == nil {
		gs.Auth.SetGroup(p, g.audience, in)
	}
}

// Has reports whether a peer is in the group, on the authority. On a client it is false:
// membership is not known there.
func (g *Group) Has(r *Replication, p rpl.Peer) bool {
	g.check(r)
	m := r.groups.membership(p)
	if r.shared.Auth == nil || m == nil {
		return false
	}
	if fn := r.groups.while[g]; fn != nil {
		return fn(p)
	}
	return m.In(g.bit())
}

// While makes membership a function of the peer, on the authority: line of sight, a
// faction, a spectator's choice. The function is called once per send for each peer,
// however many nodes and fields the group keeps; it must not change the world. nil gives
// membership back to Put. An RPC that is called between sends goes to the members of the
// last send; Put and Add count at once.
func (g *Group) While(r *Replication, in func(p rpl.Peer) bool) {
	g.check(r)
	if r.groups.while == nil {
		r.groups.while = map[*Group]func(rpl.Peer) bool{}
	}
	r.groups.while[g] = in
	if r.shared.Auth != nil {
		r.shared.Auth.Condition(g.audience, in)
		if in == nil {
			r.groups.regroup(g)
		}
	}
}

// Allow sets the function that decides, on the authority, whose Ask to come in is granted; without it nobody's
// is. Asking to be let out is always granted. Where the right to be in ends, call Put.
func (g *Group) Allow(r *Replication, ok func(p rpl.Peer) bool) {
	g.check(r)
	if r.groups.allow == nil {
		r.groups.allow = map[*Group]func(rpl.Peer) bool{}
	}
	r.groups.allow[g] = ok
}

// Ask asks to be let in or out, for this machine's player, from any machine; the authority's Allow
// decides in its next Receive. Only the last request of a step counts. The authority counts refused
// requests ("group refused"); clients are not told. From Join on, Ask asks the session that is being
// joined. A request on a machine without a player, or to a session that is not joined, is counted ("stale group").
func (g *Group) Ask(r *Replication, in bool) {
	g.check(r)
	switch {
	case r.line.Joining || r.shared.Auth == nil && r.shared.Proxy == nil:
		r.groups.asking.Ask(g.bit(), in)
	case r.shared.Auth == nil:
		r.groups.sendAsk(g, in)
	case r.shared.Me != 0:
		r.groups.mine.Ask(g.bit(), in)
	default:
		r.shared.Faults.Scold("stale group", "asked for "+g.name, "this machine has no player who could be in a group: ask rep.Me")
	}
}

func (gs *grouping) sendAsk(g *Group, in bool) {
	m := sessionmsg.Ask{Group: g.protocol.schema.GroupIndex(g.audience), In: in}
	gs.Faults.Report("session message not sent", sessionmsg.Send(gs.client.conn, sessionmsg.AppendAsk(nil, m)))
}

// askWaiting sends the requests that have waited until the session was joined.
func (gs *grouping) askWaiting() {
	asked, wants := gs.asking.Take()
	for _, g := range gs.protocol.groups {
		if asked&g.bit() != 0 {
			gs.sendAsk(g, wants&g.bit() != 0)
		}
	}
}

// check panics for a group of another protocol than the session's.
func (g *Group) check(r *Replication) { r.mustPlay(g.protocol, "group", g.name) }

func (g *Group) bit() uint64 { return 1 << (g.audience - rpl.FirstGroup) }

// A grouping knows which players are in which groups.
type grouping struct {
	*shared
	seats  *seating
	client *client

	while  map[*Group]func(p rpl.Peer) bool
	allow  map[*Group]func(p rpl.Peer) bool
	mine   membership.Groups // of this machine's player
	asking membership.Groups // requests to the session that is being joined
}

// membership returns a player's membership on the authority, nil for a peer that is not
// here.
func (gs *grouping) membership(p rpl.Peer) *membership.Groups {
	if p == gs.Me && p != 0 {
		return &gs.mine
	}
	if s := gs.seats.seatOf(p); s != nil {
		return &s.member
	}
	return nil
}

// regroup tells the core which peers are in a group.
func (gs *grouping) regroup(g *Group) {
	for _, s := range gs.seats.all {
		gs.Auth.SetGroup(s.peer, g.audience, s.member.In(g.bit()))
	}
}

// seatGroups tells a core that has just met a peer which groups it is in.
func (gs *grouping) seatGroups(s *seat) {
	for _, g := range gs.protocol.groups {
		if s.member.In(g.bit()) && gs.while[g] == nil {
			gs.Auth.SetGroup(s.peer, g.audience, true)
		}
	}
}

// answerAsks lets Allow decide about the players' requests.
func (gs *grouping) answerAsks() {
	gs.answer(gs.Me, &gs.mine)
	for i := 0; i < len(gs.seats.all); i++ {
		if s := gs.seats.all[i]; s.joined {
			gs.answer(s.peer, &s.member)
		}
	}
}

func (gs *grouping) answer(p rpl.Peer, m *membership.Groups) {
	if m.Asked() == 0 {
		return
	}
	asked, wants := m.Take()
	for _, g := range gs.protocol.groups {
		if asked&g.bit() == 0 {
			continue
		}
		in := wants&g.bit() != 0
		if ok := gs.allow[g]; in && (ok == nil || !ok(p)) {
			gs.Faults.Refuse("group refused", fmt.Errorf("peer %d is not let into %s: Allow says so, or there is none", p, g.name))
			continue
		}
		gs.put(g, p, in)
	}
}

// asked handles a peer's message that asks for a group.
func (gs *grouping) asked(s *seat, b []byte) error {
	m, err := sessionmsg.ParseAsk(b)
	if err != nil {
		return err
	}
	a, ok := gs.protocol.schema.GroupAt(m.Group)
	if !ok {
		return fmt.Errorf("%w: group %d", sessionmsg.ErrMessage, m.Group)
	}
	for _, g := range gs.protocol.groups {
		if g.audience == a {
			s.member.Ask(g.bit(), m.In)
			return nil
		}
	}
	return fmt.Errorf("%w: group %d is not one that may be asked for", sessionmsg.ErrMessage, m.Group)
}
