package ecs_test

// What happens to thousands of nodes in one step: it costs what each of them costs by
// itself, in whatever order they are taken.

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Children come in the order of their IDs, however they were attached and however many have
// gone from among them; on the authority those that have none yet come last.
func TestChildrenStayInOrder(t *testing.T) {
	const nodes = 60
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	rng := rand.New(rand.NewPCG(l.seed, 1))
	parents := []donburi.Entity{server.Create(Paint).Entity(), server.Create(Paint).Entity()}
	var below [2][]rpl.Node // the children of each parent
	var free []donburi.Entity
	entry := func(ent donburi.Entity) *donburi.Entry { return server.World().Entry(ent) }
	attach := func(ent donburi.Entity, to int) {
		e := entry(ent)
		for k := range below {
			below[k] = slices.DeleteFunc(below[k], func(id rpl.Node) bool { return id == tendon.ID(e) })
		}
		var parent *donburi.Entry
		if to < len(parents) {
			parent = entry(parents[to])
			below[to] = append(below[to], tendon.ID(e))
		}
		if err := tendon.Attach(e, parent); err != nil {
			t.Fatal(err)
		}
	}
	for range nodes {
		free = append(free, server.Create(Body).Entity())
	}
	compare := func(m *machine, up rpl.Node, want []rpl.Node) {
		var got []rpl.Node
		for c := range tendon.Children(m.find(up)) {
			got = append(got, tendon.ID(c))
		}
		if want = slices.Sorted(slices.Values(want)); !slices.Equal(got, want) {
			t.Fatalf("%s: the children are %v, not %v", m.name, got, want)
		}
	}
	for round := range 40 {
		for range rng.IntN(2 * nodes) {
			if k := rng.IntN(len(free)); rng.IntN(20) > 0 {
				attach(free[k], rng.IntN(3))
			} else { // removed, and another made
				attach(free[k], 2)
				server.World().Remove(free[k])
				free[k] = server.Create(Body).Entity()
			}
		}
		for k, up := range parents {
			compare(server, tendon.ID(entry(up)), below[k])
		}
		if round%10 == 9 {
			l.steps(20)
			for k, up := range parents {
				compare(client, tendon.ID(entry(up)), below[k])
			}
		}
	}
}

// When nodes end on which calls wait, each node's own calls run, in their order; the
// others' run later, and a call that a last call makes does not run.
func TestLastCallsAmongOthers(t *testing.T) {
	l := newLab(t, netsim.Conditions{})
	host := l.machine("host", tendon.Config{})
	l.steps(2)
	a, b := host.Create(Paint), host.Create(Paint)
	names := map[donburi.Entity]string{a.Entity(): "a", b.Entity(): "b"}
	Tell.Handle(host.Replication, func(c tendon.Call, s string) {
		host.say("%s%s last=%v", names[c.Entry.Entity()], s, c.Last)
		if c.Last {
			_ = Tell.Send(c.Entry, "never")
		}
	})
	l.steps(2)
	for range 2 { // in the second step the list of calls has been used before
		for i := range 3 {
			for _, e := range []*donburi.Entry{a, b} {
				if e.Valid() {
					if err := Tell.Send(e, fmt.Sprint(i)); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if a.Valid() {
			a.Remove()
			host.say("removed")
		}
		l.steps(1)
	}
	check(t, "said", strings.Join(host.said(), ", "), "a0 last=true, a1 last=true, a2 last=true, removed, "+
		"b0 last=false, b1 last=false, b2 last=false, b0 last=false, b1 last=false, b2 last=false")
}

// BenchmarkAtOnce measures what a node costs if that happens to it in one step with all
// others: as much with thousands as with hundreds. "server" is the game's calls and the
// server's Send, "client" the dearest Receive of those that follow.
func BenchmarkAtOnce(b *testing.B) {
	calls := map[string]func(*host){
		"detached in order": func(h *host) {
			for _, ent := range h.nodes {
				_ = tendon.Attach(h.server.World().Entry(ent), nil)
			}
		},
		"removed below one, from the last": func(h *host) {
			for _, ent := range slices.Backward(h.nodes) {
				h.server.World().Remove(ent)
			}
		},
		"called and removed": func(h *host) {
			for _, ent := range h.nodes {
				_ = Chat.Send(h.server.World().Entry(ent), "")
			}
			for _, ent := range h.nodes {
				h.server.World().Remove(ent)
			}
		},
		"half come, half go": func(h *host) { h.see(1) },
	}
	for _, what := range slices.Sorted(maps.Keys(calls)) {
		for _, n := range []int{500, 2000, 8000} {
			b.Run(fmt.Sprintf("%s/%d", what, n), func(b *testing.B) {
				var server, client time.Duration
				for b.Loop() {
					h := newHost(b, n, what != "half come, half go")
					from := time.Now()
					calls[what](h)
					server += time.Since(from)
					h.spent = 0
					h.steps(30)
					client += h.spent
				}
				b.ReportMetric(float64(server.Nanoseconds())/float64(b.N*n), "server-ns/node")
				b.ReportMetric(float64(client.Nanoseconds())/float64(b.N*n), "client-ns/node")
			})
		}
	}
}

// A host is a server with nodes below one other, and a client that has them; or nodes by
// themselves, of which the client has half.
type host struct {
	net            *mem.Network
	server, client *tendon.Replication
	nodes          []donburi.Entity
	spent          time.Duration // on the client's dearest Receive
}

func newHost(b *testing.B, n int, tree bool) *host {
	h := &host{net: mem.NewNetwork(1, lan)}
	listener := h.net.Listener()
	made := func(c tendon.Config) *tendon.Replication {
		r, err := tendon.New(donburi.NewWorld(), proto, c)
		if err != nil {
			b.Fatal(err)
		}
		return r
	}
	h.server, h.client = made(tendon.Config{Sends: 60, Budget: 1 << 30}), made(tendon.Config{Sends: 60})
	Chat.Handle(h.server, func(tendon.Call, string) {})
	h.server.Host(listener)
	h.steps(2)
	top := h.server.Create(Paint)
	for range n {
		e := h.server.Create(Paint)
		h.nodes = append(h.nodes, e.Entity())
		if !tree {
			continue
		}
		if err := tendon.Attach(e, top); err != nil {
			b.Fatal(err)
		}
	}
	if !tree {
		h.see(0)
	}
	h.client.Join(h.net.Dialer(listener))
	h.steps(200)
	return h
}

// see streams every other node in for clients, beginning with the given one, and all
// others out.
func (h *host) see(first int) {
	for i, ent := range h.nodes {
		d := components.RplNode.Get(h.server.World().Entry(ent))
		if d.Relevance = rpl.OwnerOnly; i%2 == first {
			d.Relevance = rpl.Always
		}
	}
}

func (h *host) steps(n int) {
	for range n {
		h.net.Advance(time.Second / 60)
		h.server.Receive()
		h.server.Send()
		from := time.Now()
		h.client.Receive()
		h.spent = max(h.spent, time.Since(from))
		h.client.Send()
	}
}
