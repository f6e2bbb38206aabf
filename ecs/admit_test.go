package ecs_test

// Who may join, who they are, and how long they are waited for.

import (
	"errors"
	"strings"
	"testing"
	"time"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Admit has the last word about a client, by its hello and who it is; the client is told the
// reason. Who is in keeps its identity over a loss, and another client has another.
func TestAdmit(t *testing.T) {
	l := newLab(t, lan)
	banned := map[transport.Identity]bool{}
	var asked []transport.Identity
	server := l.server(tendon.Config{Admit: func(hello []byte, id transport.Identity) error {
		asked = append(asked, id)
		if banned[id] || string(hello) == "rude" {
			return errors.New("you are banned")
		}
		return nil
	}})
	ann, bob := l.player(tendon.Config{Hello: []byte("ann")}), l.player(tendon.Config{Hello: []byte("bob")})
	l.joined()
	a, b := server.Identity(ann.Me()), server.Identity(bob.Me())
	check(t, "they are two", a != b && strings.HasPrefix(string(a), "key:") && a == asked[0] && b == asked[1], true)
	check(t, "the host's own", server.Identity(server.Me()), "")
	check(t, "on a client", ann.Identity(ann.Me()), "")
	banned[b] = true
	bob.again = false
	server.Kick(bob.Me(), "enough")
	l.until("bob is out", func() bool { return bob.ended != nil })
	bob.ended = nil
	bob.Join(bob.way)
	l.until("bob is refused", func() bool { return bob.ended != nil })
	check(t, "he is told", errors.Is(bob.ended, transport.ErrNotAdmitted) && strings.Contains(bob.ended.Error(), "you are banned"), true)
	rude := l.player(tendon.Config{Hello: []byte("rude")})
	rude.again = false
	l.until("another is refused", func() bool { return rude.ended != nil })
	server.tellPeers()
	ann.cut()
	l.outlives(server, "lost")
	ann.mend()
	l.outlives(server, "back")
	check(t, "ann is the same", server.Identity(2), a)
}

// A client that never says that it is ready is ended after Times.Join, and its place is free.
func TestNeverReady(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{Times: tendon.Times{Join: 3 * time.Second}})
	link, err := l.net.Dialer(l.listener).Dial(transport.Offer{Game: "ecs test", Schema: proto.Schema().Hash()})
	if err != nil {
		t.Fatal(err)
	}
	end := &endOnly{}
	server.tellPeers()
	poll := func(n int) {
		for range n {
			l.steps(1)
			link.Poll(end)
		}
	}
	poll(3*60 - 10)
	check(t, "not before", end.err == nil, true)
	poll(60)
	check(t, "then", errors.Is(end.err, transport.ErrTimeout), true)
	server.heard("join 1")
}

// The times are those of the configuration.
func TestTimes(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{Times: tendon.Times{Silence: 2 * time.Second, Grace: 5 * time.Second}})
	ann := l.player(tendon.Config{})
	l.joined()
	server.tellPeers()
	ann.again = false
	l.net.SetConditions(netsim.Conditions{Loss: 1})
	ann.cut()
	l.steps(60*2 + 10)
	server.heard("lost 2")
	l.steps(60*5 - 20)
	server.heard("")
	l.steps(20)
	server.heard("leave 2")
	for _, bad := range []tendon.Times{{Silence: time.Millisecond}, {Silence: time.Hour}, {Grace: -1}, {Join: -1}} {
		if _, err := tendon.New(nil, proto, tendon.Config{Times: bad}); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}

// endOnly keeps the error with which a link has ended.
type endOnly struct{ err error }

func (*endOnly) Connected(transport.Conn, []byte)                       {}
func (*endOnly) Datagram(transport.Conn, uint64, time.Duration, []byte) {}
func (*endOnly) Message(transport.Conn, []byte)                         {}
func (e *endOnly) Closed(_ transport.Conn, err error)                   { e.err = err }
