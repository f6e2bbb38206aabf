package ecs

// Command: a player's input for one tick, as a typed handle. commanding.go has what a
// session does with all of its commands, prediction.go what is predicted by them.

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/ecs/internal/command"
	"github.com/tendonengine/tendon/ecs/internal/mistakes"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/predict"
	"github.com/tendonengine/tendon/rpl"
)

// Command moves the nodes that have a component, by one value of A in each tick. The value
// is applied at once on the machine of the node's owner, on the authority at the same
// tick, and again where a correction replays that tick. On a node that nobody drives, and
// on one whose owner has been silent for a while, Apply gets the zero A.
//
// A is what arguments of an RPC are: a struct whose fields all have a tag, a basic type, a
// vector, or None for a rule without input, such as that of a bullet. A bool tagged `edge`
// is a press: true in one tick. It is neither lost with a packet nor seen twice.
type Command[A any] struct {
	protocol *Protocol
	name     string
	number   int
	on       donburi.IComponentType
	wire     *rpl.RPCType
	edges    command.Edges
	waits    bool
}

// NewCommand declares the input of nodes that have the component on, before the first New.
func NewCommand[A any](p *Protocol, name string, on donburi.IComponentType) *Command[A] {
	p.declare("command", name)
	mustBeGiven("NewCommand "+name, on)
	p.needCommands()
	t := reflect.TypeFor[A]()
	p.arguments[t] = true
	c := &Command[A]{
		protocol: p, name: name, number: len(p.kinds.Commands), on: on, edges: command.EdgesOf(t),
		wire: p.schema.RPC("command "+name, t, rpl.ToServer, rpl.Unreliable),
	}
	p.kinds.Commands = append(p.kinds.Commands, nodes.Command{Name: name, On: on, Silent: t.Size() == 0})
	return c
}

// Unpredicted makes the owner wait for the authority's answer: less to replicate, a round
// trip to feel. It is part of the declaration, and returns c.
func (c *Command[A]) Unpredicted() *Command[A] {
	c.protocol.declare("Unpredicted of command", c.name)
	c.waits, c.protocol.kinds.Commands[c.number].Waits = true, true
	return c
}

// Sample binds the input, where there is a player: the window's keys, a bot. fn is called in each step, for each node that
// this machine's player owns, until Sample is given another, at any time, such as a test's bot. It says how things are, not
// what has changed: a step may run no tick, which keeps only its edges, or two. So give differences as a running total. Of
// a player silent for 250 ms Apply gets the zero value, as it does without Sample; nil panics.
func (c *Command[A]) Sample(r *Replication, fn func(e *donburi.Entry) A) {
	c.of(r, mistakes.Sampled).sample = mustBeFunc("Sample of command "+c.name, fn)
}

// Apply binds the rule, on every machine. fn decides by replicated fields of the nodes that
// the player predicts, by the tick and by a alone: a replay then gives the same again. While
// fn runs on a client, what else moves stands where it will be in that tick if it goes on. Apply panics
// the second time in a Replication, and for nil.
func (c *Command[A]) Apply(r *Replication, fn func(c Call, a A)) {
	b := c.of(r, mistakes.Applied)
	b.apply = mustBeOnly("Apply of command "+c.name, fn, b.apply != nil)
}

// Run is the system that samples the input and applies it to the nodes that this machine simulates. Call it once
// in each step, between Receive and Send, also before any node is here: a correction leaves out ticks without it.
// Where in the step is the game's to say, and must be the same on every machine.
func (c *Command[A]) Run(r *Replication) { r.commands.run(c.of(r, mistakes.Run)) }

// of returns what a session keeps of the command, for a use of it.
func (c *Command[A]) of(r *Replication, use mistakes.Use) *binder[A] {
	r.mustPlay(c.protocol, "command", c.name)
	r.checks.Use(c.number, use)
	if b, ok := r.commands.all[c.number].(*binder[A]); ok {
		return b
	}
	b := &binder[A]{c: c, r: r, query: donburi.NewQuery(filter.Contains(c.on)), codec: command.Codec[A]{Args: c.wire.Args, Refs: &r.nodes}}
	r.commands.all[c.number] = b
	return b
}

// A binder is a command in one session.
type binder[A any] struct {
	c      *Command[A]
	r      *Replication
	sample func(e *donburi.Entry) A
	apply  func(c Call, a A)
	nodes  map[*nodes.Node]*command.Stream[A]
	ticks  [predict.Ticks]rpl.Tick // in which it has run on what a client predicts
	codec  command.Codec[A]
	query  *donburi.Query // the session's own: it keeps something of each world
	found  []*nodes.Node  // scratch
}

// stream returns the commands of a node.
func (b *binder[A]) stream(n *nodes.Node) *command.Stream[A] {
	s := b.nodes[n]
	if s == nil || s.Owner != n.Owner {
		if b.nodes == nil {
			b.nodes = map[*nodes.Node]*command.Stream[A]{}
		}
		s = command.NewStream[A](n.Owner, uint32(b.r.shared.Tick), b.r.shared.config.Steps, n.Owner == b.r.shared.Me)
		b.nodes[n] = s
	}
	return s
}

func (b *binder[A]) forget(n *nodes.Node) { delete(b.nodes, n) }

func (b *binder[A]) silent() bool { return unsafe.Sizeof(*new(A)) == 0 }

func (b *binder[A]) ran(t rpl.Tick) bool { return b.ticks[t%predict.Ticks] == t }

func (b *binder[A]) predicted() bool { return !b.c.waits }

func (b *binder[A]) moves(e *donburi.Entry) bool { return e.HasComponent(b.c.on) }

// find returns the nodes with the component, by id; those without an id yet come last, as
// they came.
func (b *binder[A]) find() []*nodes.Node {
	b.found = b.found[:0]
	for e := range b.query.Iter(b.r.shared.World) {
		if n := b.r.nodes.Of(e.Entity()); n != nil && n.Entity == e.Entity() && !n.Leaving {
			b.found = append(b.found, n)
		}
	}
	nodes.SortByID(b.found)
	return b.found
}

// sampled returns the input for a node as it travels. What cannot travel is told, and becomes the
// zero value.
func (b *binder[A]) sampled(n *nodes.Node) A {
	a, err := b.codec.Rounded(b.sample(b.r.shared.World.Entry(n.Entity)))
	if err != nil {
		b.r.shared.Faults.Refuse("command refused", fmt.Errorf("command %s, sampled: %w", b.c.name, err))
	}
	return a
}

// runs calls Apply for a node.
func (b *binder[A]) runs(n *nodes.Node, t rpl.Tick, replay bool, e *command.Entry[A], from rpl.Peer) {
	if b.apply == nil || b.r.nodes.Of(n.Entity) != n || !b.r.shared.World.Valid(n.Entity) {
		return
	}
	at := b.r.shared.World.Entry(n.Entity)
	if !at.HasComponent(b.c.on) {
		return
	}
	made := t
	if e.Pressed != 0 {
		made = rpl.Tick(e.Pressed)
	}
	b.r.checks.RuleRuns()
	b.apply(Call{Entry: at, From: from, Tick: t, Replay: replay, drawn: e.Drawn, name: predict.Name{Node: n.RunsAs(), Tick: made, Command: b.c.number}}, e.Value)
	b.r.worlds.room.Make(b.r.shared.World)
}

// runAuthority runs the command of a tick on all nodes.
func (b *binder[A]) runAuthority(t rpl.Tick) {
	r := b.r
	for _, n := range b.find() {
		var e command.Entry[A]
		switch {
		case b.silent(), n.Owner == 0:
		case n.Owner == r.shared.Me:
			if b.sample != nil {
				e.Value = b.sampled(n)
			}
		default:
			s := b.stream(n)
			var missing bool
			if e, missing = s.Take(uint32(t), uint32(r.shared.config.silent())); missing {
				b.c.edges.Clear(unsafe.Pointer(&e.Value))
				if s.HasAny() {
					r.commands.counts.Missed++
				}
			} else {
				r.commands.counts.InTime++
			}
			s.AddPressed(b.c.edges, &e)
		}
		b.runs(n, t, false, &e, n.Owner)
	}
}

// reportLostPress tells of a press that was not kept.
func (b *binder[A]) reportLostPress(kept bool) {
	if !kept {
		b.r.shared.Faults.Refuse("press lost", fmt.Errorf("command %s: %d presses wait for a tick of their own already: tag as edge what is pressed, not what is held. It also happens where a line was dead for seconds", b.c.name, command.MaxPresses))
	}
}

// make samples the command of a tick for each node of this machine's player.
func (b *binder[A]) make(t rpl.Tick, runs bool) {
	r := b.r
	if b.silent() || b.sample == nil {
		return
	}
	for _, n := range b.find() {
		if n.Owner != r.shared.Me || n.ID == 0 {
			delete(b.nodes, n) // it may come back: commands of now are none of then
			continue
		}
		a, s := b.sampled(n), b.stream(n)
		if !runs && s.IsPress(&b.codec, b.c.edges, uint32(t), a) {
			t, runs = r.commands.makeAfterAll(b), true
		}
		if !runs { // the press is for the next tick
			b.reportLostPress(s.Press(b.c.edges, command.Entry[A]{Value: a}))
			continue
		}
		made := command.Entry[A]{Tick: uint32(t), Value: a, Drawn: r.commands.drawn}
		b.reportLostPress(s.Enqueue(b.c.edges, &made))
		s.Keep(&b.codec, made)
	}
}

// again makes the command of a tick that has no step of its own.
func (b *binder[A]) again(t rpl.Tick, inTime bool) {
	for n, s := range b.nodes {
		if n.Owner == b.r.shared.Me {
			s.Again(&b.codec, b.c.edges, uint32(t), b.r.commands.drawn, inTime)
		}
	}
}

// runOwner runs the command of a tick on the nodes that this client predicts.
func (b *binder[A]) runOwner(t rpl.Tick, replay bool) {
	if b.c.waits {
		return
	}
	b.ticks[t%predict.Ticks] = t
	r := b.r
	r.predict.pass++
	for _, n := range r.predict.all { // by id, as the authority runs them
		if n.Predicted.Gone || n.Predicted.Pass == r.predict.pass || n.Awaited && n.Waits { // what this command makes it does not move yet
			continue
		}
		var e command.Entry[A]
		if n.Owner == r.shared.Me && !b.silent() {
			if s := b.nodes[n]; s != nil {
				if made, ok := s.At(uint32(t)); ok {
					e = *made
				}
			}
		}
		b.runs(n, t, replay, &e, n.Owner)
	}
}

// write appends the commands that the server may not have to a message.
func (b *binder[A]) write(w *command.Writer, newest uint32, ticks int) {
	if b.silent() || b.sample == nil {
		return
	}
	for _, n := range b.found {
		s := b.nodes[n]
		if s == nil || n.Owner != b.r.shared.Me || n.ID == 0 {
			continue
		}
		if _, ok := s.At(newest); !ok || !w.Stream(n.ID, b.c.number) {
			continue
		}
		s.Write(w, b.c.edges, newest, ticks)
	}
}

// take takes a command of a node's owner.
func (b *binder[A]) take(n *nodes.Node, tick uint32, d command.Drawn, v []byte) command.Verdict {
	if b.silent() || !b.moves(b.r.shared.World.Entry(n.Entity)) {
		return b.nodes[n].Unmoved()
	}
	s := b.stream(n)
	if s.Knows(uint32(b.r.shared.Tick), tick) || tick < s.Since { // most are repeats
		return command.Doubled
	}
	a, err := b.codec.Parse(v)
	if err != nil {
		return command.Refused
	}
	e := command.Entry[A]{Tick: tick, Drawn: d, Value: a}
	verdict := s.Put(uint32(b.r.shared.Tick), e)
	if verdict == command.Late { // its presses count all the same, in the next tick
		b.reportLostPress(s.Press(b.c.edges, e))
	}
	return verdict
}
