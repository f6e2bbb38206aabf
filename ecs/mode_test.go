package ecs_test

// One script in all four modes, and sessions that pause and end.

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A play is one run of the script, with a server, which is the authority, and a hero, who
// plays. In single player both are the same machine.
type play struct {
	*lab
	server, hero *machine
	heroPeer     rpl.Peer

	decides, shows  []string // callbacks of nodes, on the server and on the hero's machine
	serverCalls     []string
	heroCalls       []string
	serverState     string
	heroState       string
	session, levels string
}

// who returns a peer's part in the play.
func (p *play) who(peer rpl.Peer) string {
	switch peer {
	case 0:
		return "nobody"
	case p.heroPeer:
		return "the hero"
	}
	return fmt.Sprint("peer ", peer)
}

func (p *play) listen(m *machine, to *[]string) {
	say := func(format string, args ...any) { *to = append(*to, fmt.Sprintf(format, args...)) }
	m.OnStreamIn(Paint, func(e *donburi.Entry) { say("in %s", Paint.Get(e).Name) })
	m.OnStreamOut(Paint, func(e *donburi.Entry, destroyed bool) { say("out %s %v", Paint.Get(e).Name, destroyed) })
	m.OnOwner(Paint, func(e *donburi.Entry, old rpl.Peer) {
		say("%s: %s to %s", Paint.Get(e).Name, p.who(old), p.who(tendon.Owner(e)))
	})
	tendon.OnChange(m.Replication, Paint, func(e *donburi.Entry, old PaintData) {
		say("%s: %d to %d", Paint.Get(e).Name, old.Colour, Paint.Get(e).Colour)
	})
}

func (p *play) handle() {
	hear := func(m *machine, to *[]string, target rpl.Target) {
		for lane, rpc := range calls[target] {
			rpc.Handle(m.Replication, func(c tendon.Call, a uint8) {
				*to = append(*to, fmt.Sprintf("target %d lane %d: %d on %s", target, lane, a, Paint.Get(c.Entry).Name))
			})
		}
	}
	hear(p.server, &p.serverCalls, rpl.ToServer)
	hear(p.hero, &p.heroCalls, rpl.ToOwner)
	hear(p.hero, &p.heroCalls, rpl.Broadcast)
	chat := func(c tendon.Call, line string) {
		switch {
		case p.server.IsAuthority() && c.From == p.heroPeer && line == "hello":
			p.serverCalls = append(p.serverCalls, "chat "+line)
			if err := Chat.SendTo(c.Entry, p.heroPeer, "heard"); err != nil {
				p.Error(err)
			}
		default:
			p.heroCalls = append(p.heroCalls, "chat "+line)
		}
	}
	for _, m := range slices.Compact([]*machine{p.server, p.hero}) {
		Chat.Handle(m.Replication, chat)
	}
}

// state describes a machine's world, with names in place of ids.
func (p *play) state(m *machine) string {
	var all []string
	for e := range Paint.Iter(m.World()) {
		s := fmt.Sprintf("%s %d, %s's", Paint.Get(e).Name, Paint.Get(e).Colour, p.who(tendon.Owner(e)))
		if e.HasComponent(Body) {
			s += fmt.Sprintf(", at %v", Body.Get(e).Pos)
		}
		if up := tendon.Parent(e); up != nil {
			s += ", on " + Paint.Get(up).Name
		}
		all = append(all, s)
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

// script is the game. It asks for roles, never for the mode.
func (p *play) script() {
	p.Helper()
	var ids []rpl.Node
	name := func(i int) *donburi.Entry { return p.server.find(ids[i]) }
	make := func(text string) {
		e := p.server.Create(Paint, Body)
		Paint.Get(e).Name, Body.Get(e).Pos = text, gmath.Vec{X: float64(len(ids))}
		ids = append(ids, tendon.ID(e))
		p.steps(30)
	}
	must := func(err error) {
		p.Helper()
		if err != nil {
			p.Error(err)
		}
	}
	make("car")
	make("hero")
	tendon.Give(name(1), p.heroPeer)
	p.steps(30)
	must(tendon.Attach(name(1), name(0)))
	tendon.Give(name(0), p.heroPeer)
	p.steps(30)
	for _, lane := range []rpl.Lane{rpl.Reliable, rpl.Unreliable} {
		must(calls[rpl.ToServer][lane].Send(p.hero.find(ids[0]), 1))
		p.steps(30)
		must(calls[rpl.ToOwner][lane].Send(p.server.find(ids[1]), 2))
		p.steps(30)
		must(calls[rpl.Broadcast][lane].Send(p.server.find(ids[0]), 3))
		p.steps(30)
	}
	for i := range 3 {
		Paint.Get(name(0)).Colour = uint8(20 + i)
		Body.Get(name(0)).Pos.X += 1.5
		p.steps(30)
	}
	must(tendon.Attach(name(1), nil))
	tendon.Give(name(0), 0)
	p.steps(30)
	make("crate")
	name(2).Remove()
	p.steps(60)
	components.RplNode.Get(name(0)).Weight = 2
	must(Chat.Send(p.hero.Session(), "hello"))
	donburi.Add(p.server.Session(), Body, &BodyData{Pos: gmath.Vec{X: 9}})
	p.steps(60)
	p.serverState, p.heroState = p.state(p.server), p.state(p.hero)
	p.session = fmt.Sprint(Body.Get(p.hero.Session()).Pos.X, tendon.ID(p.hero.Session()) == rpl.SessionNode)
	e, ok := p.hero.Find(ids[0])
	if !ok || tendon.ID(e) != ids[0] {
		p.Errorf("the car is not to be found by its id")
	}
	p.server.Load("the end")
	p.steps(60)
	p.levels = fmt.Sprint(p.state(p.server), p.state(p.hero), Body.Get(p.hero.Session()).Pos.X)
}

// One script gives the same states in all four modes (in two of them the hero's machine
// is a client), and the same callbacks and calls to each role. The session's node works
// alike in all modes.
func TestScriptInFourModes(t *testing.T) {
	run := func(mode tendon.Mode, c netsim.Conditions) *play {
		p := &play{lab: newLab(t, c)}
		switch mode {
		case tendon.Single:
			p.server = p.machine("alone", tendon.Config{})
			p.hero = p.server
		default:
			p.server = p.lab.server(tendon.Config{Dedicated: mode == tendon.Dedicated})
			p.hero = p.client(tendon.Config{})
		}
		p.joined()
		check(t, "mode", p.server.Mode(), mode)
		p.heroPeer = p.hero.Me()
		p.listen(p.server, &p.decides)
		if p.hero != p.server {
			p.listen(p.hero, &p.shows)
		}
		p.handle()
		p.script()
		if p.hero == p.server {
			p.shows = p.decides
		}
		return p
	}
	alone := run(tendon.Single, lan)
	check(t, "what the authority heard", strings.Join(alone.decides, ", "), "in car, car: 1 to 1, in hero, hero: 1 to 1, "+
		"hero: nobody to the hero, car: nobody to the hero, car: 1 to 20, car: 20 to 21, car: 21 to 22, "+
		"car: the hero to nobody, in crate, crate: 1 to 1, out crate true, out car false, out hero false")
	check(t, "states", alone.serverState, "car 22, nobody's, at [4.500000, 0.000000]; hero 1, the hero's, at [1.000000, 0.000000]")
	check(t, "the session's", alone.session, "9 true")
	for _, mode := range []tendon.Mode{tendon.Listen, tendon.Dedicated} {
		for name, c := range map[string]netsim.Conditions{"lan": lan, "slow": {Delay: 90e6, Jitter: 10e6}} {
			t.Run(fmt.Sprint(mode, ", ", name), func(t *testing.T) {
				p := run(mode, c)
				check(t, "the server's states", p.serverState, alone.serverState)
				check(t, "the hero's states", p.heroState, alone.heroState)
				check(t, "the session's", p.session, alone.session)
				check(t, "after the level", p.levels, alone.levels)
				check(t, "callbacks where it is decided", strings.Join(p.decides, "\n"), strings.Join(alone.decides, "\n"))
				check(t, "calls to the server", strings.Join(p.serverCalls, "\n"), strings.Join(alone.serverCalls, "\n"))
				check(t, "callbacks where it is shown", strings.Join(p.shows, "\n"), strings.Join(alone.shows, "\n"))
				check(t, "calls to the hero", strings.Join(p.heroCalls, "\n"), strings.Join(alone.heroCalls, "\n"))
			})
		}
	}
}

// A session ends in order from either side, and goes on while a game pauses its rules.
func TestPauseAndEnd(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	for _, m := range l.machines {
		m.tell()
	}
	paused := false
	e := server.Create(Paint)
	id := tendon.ID(e)
	ent := e.Entity()
	server.step = func() {
		if !paused {
			Paint.Get(server.World().Entry(ent)).Colour++
		}
	}
	l.joined()
	paused = true
	l.steps(60 * 15) // longer than any timeout
	check(t, "the client is in", client.Mode(), tendon.Client)
	frozen := Paint.Get(client.find(id)).Colour
	check(t, "while paused both have", frozen, Paint.Get(server.find(id)).Colour)
	paused = false
	l.steps(30)
	check(t, "it goes on", Paint.Get(client.find(id)).Colour > frozen, true)
	paused = true
	l.steps(30)
	for _, m := range l.machines {
		m.said()
	}
	last := Paint.Get(server.find(id)).Colour

	server.Close("good night")
	l.steps(30)
	check(t, "the server heard", strings.Join(server.said(), ", "), "leave 2")
	check(t, "it plays on", server.Mode(), tendon.Single)
	check(t, "with its world", Paint.Get(server.find(id)).Colour, last)
	check(t, "the client heard", strings.Join(client.said(), ", "), fmt.Sprintf("out %d false, start, join 1", last))
	if client.ended == nil || !strings.Contains(client.ended.Error(), "good night") {
		t.Errorf("the client ended with %v", client.ended)
	}
}
