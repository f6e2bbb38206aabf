package ecs_test

// What a node is in the end: its removal carries what changed last, and why it goes.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

const (
	killed tendon.Reason = iota + 1
	flown
)

// lastLines are what the last of a node travels on.
var lastLines = []netsim.Conditions{lan, {Delay: 60 * time.Millisecond, Loss: .2}, {Delay: 50 * time.Millisecond, Jitter: 40 * time.Millisecond, Loss: .4, Duplicate: .1}}

// What is written in the step of the removal, or in the last ones before it, is there on every machine
// when it goes, and OnChange has told of it, whatever is lost. So it is of a node that has just been made, of one
// that moves, of one that has several components, and for those who may see it.
func TestLastStateComes(t *testing.T) {
	for _, line := range lastLines {
		for _, sends := range []int{20, 60} {
			l := newLab(t, line)
			c := tendon.Config{Sends: sends}
			server, client := l.server(c), l.client(c)
			l.joined()
			w := server.World()
			rnd := rand.New(rand.NewPCG(l.seed, 1))
			told, gone, wrong := map[donburi.Entity]uint8{}, 0, 0
			want := map[rpl.Node]PaintData{}
			tendon.OnChange(client.Replication, Paint, func(e *donburi.Entry, _ PaintData) { told[e.Entity()] = Paint.Get(e).Colour })
			client.OnStreamOut(Paint, func(e *donburi.Entry, destroyed bool) {
				gone++
				p, id := *Paint.Get(e), tendon.ID(e)
				if p != want[id] || told[e.Entity()] != p.Colour || !destroyed || tendon.Why(e) != killed {
					if wrong++; wrong < 5 {
						t.Errorf("%+v, %d sends: %v goes as %v (told %v), destroyed %v, why %v; it was %v", line, sends, id, p, told[e.Entity()], destroyed, tendon.Why(e), want[id])
					}
				}
			})
			type life struct {
				e          donburi.Entity
				left, last int // steps until it is removed, and from the last write on
			}
			var all []life
			for step := range 600 {
				if step%5 == 0 {
					e := Crate.Spawn(w, CrateArgs{Label: "c"})
					Paint.SetValue(e, PaintData{Colour: 100})
					all = append(all, life{e.Entity(), 1 + rnd.IntN(60), rnd.IntN(5)})
				}
				kept := all[:0]
				for _, x := range all {
					e := w.Entry(x.e)
					Body.Get(e).Pos.X += 3
					switch x.left--; {
					case x.left == x.last || x.left == 0 && Paint.Get(e).Colour != 0:
						Paint.SetValue(e, PaintData{Colour: 0, Name: fmt.Sprint("dead ", step)})
					case x.left > x.last && rnd.IntN(10) == 0:
						Paint.Get(e).Colour--
					}
					if x.left > 0 {
						kept = append(kept, x)
						continue
					}
					want[tendon.ID(e)] = *Paint.Get(e)
					tendon.Remove(e, killed)
				}
				all = kept
				l.steps(1)
				client.Frame()
			}
			l.steps(120)
			if gone < 60 {
				t.Errorf("%+v: only %d have gone", line, gone)
			}
		}
	}
}

// What moves evenly ends where it was in the end, also on lines that lose packets: in its component and
// in what is drawn, whether it has moved in its last step or not, and whatever else of it has changed then.
func TestMotionEndsWhereItWas(t *testing.T) {
	for _, line := range lastLines {
		for _, sends := range []int{20, 60} {
			l := newLab(t, line)
			c := tendon.Config{Sends: sends}
			server, client := l.server(c), l.client(c)
			l.joined()
			w := server.World()
			rnd := rand.New(rand.NewPCG(l.seed, 1))
			const way = 3
			ends := map[rpl.Node]float64{}
			gone, wrong, drawn := 0, 0, 0
			client.OnStreamOut(Body, func(e *donburi.Entry, _ bool) {
				gone++
				end := ends[tendon.ID(e)]
				if at := Body.Get(e).Pos.X; math.Abs(at-end) > 1./16 {
					if wrong++; wrong < 5 {
						t.Errorf("%+v, %d sends: %v ends at %v, and it was at %v", line, sends, tendon.ID(e), at, end)
					}
				}
				if at := tendon.View(e, Body).Pos.X; math.Abs(at-end) > way {
					drawn++
				}
			})
			type life struct {
				e         donburi.Entity
				left, way int
			}
			var all []life
			for step := range 600 {
				if step%5 == 0 {
					all = append(all, life{Crate.Spawn(w, CrateArgs{}).Entity(), 60 + rnd.IntN(60), way * (1 - step%2*2)}) // long enough to be known to have come
				}
				kept := all[:0]
				for _, x := range all {
					e, last := w.Entry(x.e), x.left == 1
					if stops := last && rnd.IntN(2) == 0; !stops {
						Body.Get(e).Pos.X += float64(x.way)
					}
					if x.left--; !last {
						kept = append(kept, x)
						continue
					}
					if rnd.IntN(2) == 0 {
						Paint.Get(e).Colour++
					}
					ends[tendon.ID(e)] = Body.Get(e).Pos.X
					e.Remove()
				}
				all = kept
				l.steps(1)
				client.Frame()
			}
			l.steps(120)
			if gone < 60 {
				t.Errorf("%+v: only %d have gone", line, gone)
			}
			if drawn > gone/10 || line.Loss == 0 && drawn > 0 { // where state comes late, what is drawn is still on its way there
				t.Errorf("%+v, %d sends: %d of %d are drawn elsewhere in the end", line, sends, drawn, gone)
			}
		}
	}
}

// The authority's own OnChange hears of the last change, too, alone and on a host, before
// OnStreamOut; to remove the node again there does nothing.
func TestLastChangeOnTheAuthority(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{})
	tendon.OnChange(server.Replication, Paint, func(e *donburi.Entry, old PaintData) {
		server.say("%d to %d", old.Colour, Paint.Get(e).Colour)
		if Paint.Get(e).Colour == 0 {
			tendon.Remove(e, flown)
		}
	})
	server.OnStreamOut(Paint, func(e *donburi.Entry, destroyed bool) {
		server.say("out at %d, why %d", Paint.Get(e).Colour, tendon.Why(e))
	})
	e := server.Create(Paint)
	Paint.Get(e).Colour = 5
	l.steps(1)
	Paint.Get(e).Colour = 0
	tendon.Remove(e, killed)
	other := server.Create(Paint)
	Paint.Get(other).Colour = 3
	l.steps(1)
	Paint.Get(other).Colour = 2
	server.World().Remove(other.Entity())
	l.steps(1)
	check(t, "told", strings.Join(server.said(), "; "), "1 to 5; 5 to 0; out at 0, why 1; 1 to 3; 3 to 2; out at 2, why 0")
	check(t, "alive", server.count(Paint), 0)
}

// An OnChange that removes a node by World.Remove while it is going already harms nothing: it ends
// there, whether a rule has removed the node or its owner has left.
func TestLastChangeRemovesAgain(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	tendon.OnChange(server.Replication, Paint, func(e *donburi.Entry, _ PaintData) {
		if Paint.Get(e).Colour == 0 {
			e.Remove()
			server.say("not reached")
		}
	})
	var pawn *donburi.Entry
	server.OnJoin(func(p rpl.Peer) {
		if p != server.Me() {
			pawn = server.Create(Paint)
			Paint.Get(pawn).Colour = 5
			tendon.Give(pawn, p)
		}
	})
	server.OnLeave(func(rpl.Peer) { Paint.Get(pawn).Colour = 0 })
	l.joined()
	first, second := server.Create(Paint), server.Create(Paint)
	Paint.Get(first).Colour, Paint.Get(second).Colour = 3, 4
	l.steps(2)
	Paint.Get(first).Colour = 0
	first.Remove()
	client.Close("")
	l.steps(60)
	check(t, "alive", server.count(Paint), 1)
	check(t, "the other", Paint.Get(second).Colour, uint8(4))
	check(t, "counted", *server.Counter("removed again"), uint64(2))
	check(t, "said", len(server.said()), 0)
}

// Killed, flown away, removed for no reason, gone with its owner, out of sight, ended with the
// level and with the session are told apart on every machine. Load is no death.
func TestReasonsDiffer(t *testing.T) {
	l := newLab(t, lan)
	server, client, third := l.server(tendon.Config{}), l.client(tendon.Config{}), l.client(tendon.Config{})
	for _, m := range l.machines {
		m.OnWorld(func(donburi.World, string) {})
		m.OnStreamOut(Paint, func(e *donburi.Entry, destroyed bool) {
			m.say("%s %v %v", Paint.Get(e).Name, tendon.Why(e), destroyed)
		})
	}
	l.joined()
	spawn := func(name string) *donburi.Entry {
		e := server.Create(Paint)
		Paint.Get(e).Name = name
		return e
	}
	ends := func(what string, on []*machine, want string, end func()) {
		t.Helper()
		l.steps(30)
		for _, m := range l.machines {
			m.said()
		}
		end()
		l.steps(60)
		for _, m := range l.machines {
			got := fmt.Sprint(m.said())
			for _, o := range on {
				if o == m {
					check(t, what+" on "+m.name, got, "["+want+"]")
				}
			}
		}
	}
	w := server.World()
	everywhere := []*machine{server, client, third}
	a, b, c := spawn("a").Entity(), spawn("b").Entity(), spawn("c").Entity()
	ends("killed", everywhere, fmt.Sprint("a ", killed, " true"), func() { tendon.Remove(w.Entry(a), killed) })
	ends("flown away", everywhere, fmt.Sprint("b ", flown, " true"), func() { tendon.Remove(w.Entry(b), flown) })
	ends("removed", everywhere, fmt.Sprint("c ", tendon.Removed, " true"), func() { w.Remove(c) })
	d := spawn("d").Entity()
	ends("out of sight", []*machine{client, third}, fmt.Sprint("d ", tendon.OutOfSight, " false"), func() { setRelevance(w.Entry(d), rpl.OwnerOnly) })
	e := spawn("e")
	tendon.Give(e, third.Me())
	ends("its owner has left", []*machine{server, client}, fmt.Sprint("e ", tendon.OwnerLeft, " true"), func() { third.Close("") })
	spawn("f")
	ends("level", []*machine{client}, fmt.Sprint("f ", tendon.LevelEnded, " false"), func() { server.Load("two") })
	spawn("g")
	ends("session", []*machine{client}, fmt.Sprint("g ", tendon.SessionOver, " false"), func() { client.Close("") })
}

// A value that a peer may not see does not leave with the removal either, and what only the
// owner may see comes to him.
func TestLastStateIsForWhoMaySeeIt(t *testing.T) {
	l := newLab(t, lan)
	server, owner, other := l.server(tendon.Config{}), l.client(tendon.Config{}), l.client(tendon.Config{})
	last := map[*machine]int{}
	for _, m := range []*machine{owner, other} {
		m.OnStreamOut(Ammo, func(e *donburi.Entry, _ bool) { last[m] = Ammo.Get(e).Left })
	}
	l.joined()
	e := server.Create(Ammo, Paint)
	tendon.Give(e, owner.Me())
	Ammo.Get(e).Left = 7
	l.steps(30)
	Ammo.Get(e).Left = 3
	e.Remove()
	l.steps(30)
	check(t, "the owner", last[owner], 3)
	check(t, "another", last[other], 0)
}

// A wrong use of Remove says so.
func TestRemoveMisuse(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	id := tendon.ID(server.Create(Paint))
	local := server.World().Entry(server.World().Create(Local))
	l.steps(20)
	tendon.Remove(client.find(id), killed)
	tendon.Remove(client.Session(), killed)
	tendon.Remove(server.Session(), killed)
	tendon.Remove(local, killed)
	check(t, "a local entity", server.World().Valid(local.Entity()), false)
	l.steps(20)
	check(t, "the proxy is there", client.has(id), true)
	for _, why := range []tendon.Reason{tendon.OutOfSight, tendon.OwnerLeft} {
		func() {
			defer func() { check(t, "a reason of the library", recover() != nil, true) }()
			tendon.Remove(server.find(id), why)
		}()
	}
}

func setRelevance(e *donburi.Entry, r rpl.Relevance) { components.RplNode.Get(e).Relevance = r }

// Each node of a tree that goes in one step has its own last state and its own reason, also where
// the budget is full.
func TestLastStateOfTrees(t *testing.T) {
	for _, c := range []netsim.Conditions{lan, {Delay: 40 * time.Millisecond, Loss: .3}} {
		for _, budget := range []int{0, 4000} {
			l := newLab(t, c)
			server, client := l.server(tendon.Config{Budget: budget}), l.client(tendon.Config{})
			l.joined()
			w := server.World()
			gone := map[rpl.Node]string{}
			client.OnStreamOut(swarm, func(e *donburi.Entry, d bool) {
				s := swarm.Get(e)
				gone[tendon.ID(e)] += fmt.Sprint(s.Name, s.Hits, len(s.Crew), s.Pos.X, tendon.Why(e), d)
			})
			if budget > 0 {
				for range 1500 {
					server.Create(Body, Paint)
				}
			}
			for range 20 {
				top, kid := server.Create(swarm).Entity(), server.Create(swarm, Transform).Entity()
				_ = tendon.Attach(w.Entry(kid), w.Entry(top))
				ids := []rpl.Node{tendon.ID(w.Entry(top)), tendon.ID(w.Entry(kid))}
				l.until("there", func() bool { return client.has(ids[0]) && client.has(ids[1]) })
				*swarm.Get(w.Entry(top)) = swarmData{Pos: gmath.Vec{X: 3}, Name: "dead", Hits: 9, Crew: []donburi.Entity{kid}}
				*swarm.Get(w.Entry(kid)) = swarmData{Pos: gmath.Vec{X: 4}, Name: "deadkid", Hits: 8}
				tendon.Remove(w.Entry(kid), flown)
				tendon.Remove(w.Entry(top), killed)
				l.steps(120)
				check(t, "top", gone[ids[0]], fmt.Sprint("dead", 9, 1, 3., killed, true))
				check(t, "kid", gone[ids[1]], fmt.Sprint("deadkid", 8, 0, 4., flown, true))
			}
		}
	}
}

// What goes a few steps after it has come goes as it was in the end, if it is seen at all.
func TestLastStateOfWhatHasJustCome(t *testing.T) {
	for _, c := range []netsim.Conditions{lan, {Delay: 40 * time.Millisecond, Loss: .3}} {
		l := newLab(t, c)
		server, client, host := l.server(tendon.Config{}), l.client(tendon.Config{}), 0
		l.joined()
		w := server.World()
		last := map[rpl.Node]string{}
		client.OnStreamOut(Paint, func(e *donburi.Entry, d bool) { last[tendon.ID(e)] = fmt.Sprint(Paint.Get(e).Colour, tendon.Why(e), d) })
		server.OnStreamOut(Paint, func(e *donburi.Entry, d bool) { host++ })
		n := 0
		for i := range 40 {
			e := server.Create(Paint)
			id := tendon.ID(e)
			ent := e.Entity()
			l.steps(1 + i%8)
			client.Frame()
			Paint.Get(w.Entry(ent)).Colour = uint8(100 + i)
			tendon.Remove(w.Entry(ent), killed)
			l.steps(60)
			client.Frame()
			if got, ok := last[id]; ok {
				n++
				check(t, fmt.Sprint(i), got, fmt.Sprint(100+i, killed, true))
			}
		}
		check(t, "gone on the server", host, 40)
		check(t, "most are seen", n >= 25, true)
	}
}

// Who is killed at the end of a level, in its last step or while the packet is on its way, dies of
// that on every machine, though no send was due and whatever is lost; what is left ends with the
// level.
func TestDeathsAtTheEndOfALevel(t *testing.T) {
	lossy := netsim.Conditions{Delay: 50 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: .5}
	for _, line := range []netsim.Conditions{lan, lossy} {
		for _, sends := range []int{60, 20, 5} {
			for phase := range 7 {
				for _, before := range []int{0, 1, 4} {
					deathAtTheEnd(t, line, sends, phase, before)
				}
			}
		}
	}
}

// deathAtTheEnd kills someone so many steps before the last of a level.
func deathAtTheEnd(t *testing.T, line netsim.Conditions, sends, phase, before int) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{Sends: sends}), l.player(tendon.Config{Sends: sends})
	for _, m := range l.machines {
		m.OnWorld(func(donburi.World, string) {})
	}
	client.OnStreamOut(Paint, func(e *donburi.Entry, d bool) {
		client.say("%s %d %v %v", Paint.Get(e).Name, Paint.Get(e).Colour, tendon.Why(e), d)
	})
	l.joined()
	a, b := server.Create(Paint), server.Create(Paint)
	ent := a.Entity()
	Paint.SetValue(server.World().Entry(ent), PaintData{Name: "a", Colour: 5})
	Paint.SetValue(b, PaintData{Name: "b", Colour: 5})
	l.steps(120 + phase)
	client.said()
	client.way.SetConditions(line, line)
	at := 0
	server.step = func() {
		if at == 0 {
			Paint.Get(server.World().Entry(ent)).Colour = 0
			tendon.Remove(server.World().Entry(ent), killed)
		}
		if at == before {
			Paint.Get(b).Colour = 1
			server.Load("two")
			server.step = nil
		}
		at++
	}
	l.steps(120)
	client.way.SetConditions(lan, lan)
	l.steps(240)
	if got := fmt.Sprint(client.said()); got != fmt.Sprintf("[a 0 %v true b 1 %v false]", killed, tendon.LevelEnded) {
		t.Errorf("%+v, %d sends, phase %d, killed %d steps before the last: %v", line, sends, phase, before, got)
	}
}
