package ecs_test

// The names of load-time nodes, which server and client compare when a client joins.

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/netsim"
)

// doors makes load-time nodes with these names.
func (m *machine) doors(names ...string) {
	for _, name := range names {
		e := m.World().Entry(m.World().Create(Paint))
		Paint.Get(e).Name = name
		tendon.Named(e, name)
	}
}

// standing returns the names of the doors here, those of hidden doors in brackets.
func (m *machine) standing() string {
	var all []string
	for e := range Paint.Iter(m.World()) {
		name := Paint.Get(e).Name
		if e.HasComponent(components.Hidden) {
			name = "(" + name + ")"
		}
		all = append(all, name)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// Two machines that have made different load-time nodes report them by name and play on.
func TestNamesDiffer(t *testing.T) {
	l := newLab(t, lan)
	var log bytes.Buffer
	server := l.server(tendon.Config{})
	client := l.client(tendon.Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	same := l.client(tendon.Config{})
	server.doors("a", "b", "c")
	client.doors("a", "c", "d", "e")
	same.doors("c", "b", "a")
	l.joined()
	l.steps(30)
	check(t, "differences", *client.Counter("names differ"), 3)
	check(t, "on the server", *server.Counter("names differ"), 1)
	check(t, "with the same names", *same.Counter("names differ"), 0)
	for _, want := range []string{`only here`, `[d e]`, `only on the server`, `=[b]`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%q is not in the log:\n%s", want, log.String())
		}
	}
	check(t, "here", client.standing(), "(d) (e) a c")
	for e := range Paint.Iter(server.World()) {
		Paint.Get(e).Colour = 9
	}
	l.steps(20)
	painted := 0
	for e := range Paint.Iter(client.World()) {
		painted += int(Paint.Get(e).Colour) / 9
	}
	check(t, "doors that both have are painted", painted, 2)
}

// A load-time node that the server has destroyed before a client joins is gone on the
// client before anything arrives, on any network, in this session and in the next.
func TestNamesDestroyed(t *testing.T) {
	for name, c := range map[string]netsim.Conditions{"lan": lan, "lossy": {Delay: 40e6, Jitter: 40e6, Loss: 0.3}} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, c)
			server := l.server(tendon.Config{})
			server.doors("a", "b", "c")
			l.steps(3)
			for e := range Paint.Iter(server.World()) {
				if Paint.Get(e).Name == "b" {
					e.Remove()
				}
			}
			server.Create(Body)
			client := l.client(tendon.Config{})
			client.doors("a", "b", "c")
			client.OnStreamIn(Body, func(*donburi.Entry) { client.say("%s", client.standing()) })
			client.OnStreamOut(Paint, func(*donburi.Entry, bool) { client.say("out") })
			l.joined()
			l.until("state has come", func() bool { return client.count(Body) == 1 })
			check(t, "at the first arrival", strings.Join(client.said(), ", "), "(a) (c)") // without b
			check(t, "differences", *client.Counter("names differ")+*server.Counter("names differ"), 0)

			// The client hosts now, and what the session destroyed is there again, as in a
			// world that was made anew.
			client.Close("my turn")
			l.steps(5)
			check(t, "alone with", client.standing(), "a b c")
			inn := l.net.Listener()
			client.Host(inn)
			guest := l.machine("guest", tendon.Config{})
			guest.doors("a", "b", "c")
			guest.Join(l.net.Dialer(inn))
			l.until("the guest is in", func() bool { return guest.Me() != 0 && guest.standing() == "a b c" })
			check(t, "differences", *guest.Counter("names differ"), 0)
		})
	}
}

// A world of many doors, all but one destroyed, takes several messages.
func TestManyNames(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.machine("client", tendon.Config{})
	var names []string
	for i := range 2000 {
		names = append(names, fmt.Sprintf("door/%s/%04d", strings.Repeat("x", 20), i))
	}
	server.doors(names...)
	client.doors(names...)
	l.steps(2)
	var doomed []donburi.Entity
	for e := range Paint.Iter(server.World()) {
		if Paint.Get(e).Name != names[77] {
			doomed = append(doomed, e.Entity())
		}
	}
	for _, e := range doomed {
		server.World().Remove(e)
	}
	client.Join(l.net.Dialer(l.listener))
	l.until("one is left", func() bool { return client.standing() == names[77] })
	check(t, "not told", *server.Counter("names not told"), 0)
}

// A server without any load-time node reports that, too. Otherwise the client's load-time
// nodes would stay hidden without a message.
func TestNamesOnTheClientAlone(t *testing.T) {
	l := newLab(t, lan)
	var log bytes.Buffer
	l.server(tendon.Config{})
	client := l.client(tendon.Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	client.doors("a")
	l.joined()
	l.steps(10)
	check(t, "differences", *client.Counter("names differ"), 1)
	check(t, "it is named", strings.Contains(log.String(), "only here\"=[a]"), true)
}

// Each client that joins is told of the names as they are then, however often others have
// joined before.
func TestNamesOfEachJoiner(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{})
	names := []string{"a", "b", "c", "d"}
	server.doors(names...)
	l.steps(2)
	door := func(name string) *donburi.Entry {
		for e := range Paint.Iter(server.World()) {
			if Paint.Get(e).Name == name {
				return e
			}
		}
		t.Fatalf("there is no door %s", name)
		return nil
	}
	for i, act := range []func(){
		func() {},
		func() { door("b").Remove() },
		func() { door("d").Remove() },
		func() { server.doors("b") },
		func() { server.doors("e"); names = append(names, "e") },
	} {
		act()
		l.steps(2)
		client := l.client(tendon.Config{})
		client.doors(names...)
		l.joined()
		l.steps(20)
		check(t, fmt.Sprintf("client %d", i), client.standing(), server.standing())
		check(t, fmt.Sprintf("differences of client %d", i), *client.Counter("names differ"), 0)
	}
}

// A server tells of as many destroyed load-time nodes as half a reliable lane holds. The
// client joins all the same, the rest stay hidden there, and they are counted.
func TestMoreNamesThanAreSent(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	var names []string
	for i := range 2200 {
		names = append(names, fmt.Sprintf("%s/%04d", strings.Repeat("x", 59), i))
	}
	server.doors(names...)
	client.doors(names...)
	l.steps(2)
	for _, e := range slices.Collect(Paint.Iter(server.World())) {
		e.Remove()
	}
	l.until("it is told of some", func() bool { return client.count(Paint) < len(names) })
	untold := int(*server.Counter("names not told"))
	if fit := transport.MaxQueued / 2 / 65; untold != len(names)-fit {
		t.Errorf("%d of %d names were not told, %d fit", untold, len(names), fit)
	}
	check(t, "doors left on the client", client.count(Paint), untold)
	check(t, "of them hidden", client.count(components.Hidden), untold)
	check(t, "differences", *client.Counter("names differ"), 0)
}
