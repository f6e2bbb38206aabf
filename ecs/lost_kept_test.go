package ecs_test

// How long a silent peer is waited for, how long its seat is kept, and how many are.

import (
	"errors"
	"testing"
	"time"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
)

// A peer is lost, and leaves, when the settings say so.
func TestLostAndKeptByTheSettings(t *testing.T) {
	for name, c := range map[string]struct {
		tendon.Config
		lost, left time.Duration // after the connection was cut
	}{
		"by default": {tendon.Config{}, 10 * time.Second, 40 * time.Second},
		"soon":       {tendon.Config{Times: tendon.Times{Silence: 2 * time.Second, Grace: 5 * time.Second}}, 2 * time.Second, 7 * time.Second},
		"late":       {tendon.Config{Times: tendon.Times{Silence: 20 * time.Second, Grace: time.Minute}}, 20 * time.Second, 80 * time.Second},
		"not kept":   {tendon.Config{Times: tendon.Times{Silence: 3 * time.Second}, MaxLost: -1}, 3 * time.Second, 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, lan)
			c.Dedicated = true
			server, ann := l.server(c.Config), l.player(tendon.Config{Hello: []byte("ann")})
			l.joined()
			l.steps(30)
			ann.again = false
			var lost, left time.Duration
			cut := l.net.Now()
			server.OnLost(func(rpl.Peer) { lost = l.net.Now() - cut })
			server.OnLeave(func(rpl.Peer) { left = l.net.Now() - cut })
			ann.cut()
			for left == 0 && l.net.Now()-cut < 2*time.Minute {
				l.steps(1)
			}
			const around = time.Second / 2 // what was under way, and how often the link looks
			if (lost-c.lost).Abs() > around || (left-c.left).Abs() > around {
				t.Errorf("lost after %v, not %v; left after %v, not %v", lost, c.lost, left, c.left)
			}
		})
	}
}

// A client waits for its server as long as its own setting says.
func TestClientLosesItsServer(t *testing.T) {
	l := newLab(t, lan)
	l.server(tendon.Config{Dedicated: true})
	ann := l.player(tendon.Config{Hello: []byte("ann"), Times: tendon.Times{Silence: 3 * time.Second}})
	l.joined()
	ann.again = false
	ann.cut()
	l.seconds(2)
	if ann.ended != nil {
		t.Fatalf("after 2 s the client is told %v", ann.ended)
	}
	l.seconds(2)
	if !errors.Is(ann.ended, transport.ErrTimeout) {
		t.Errorf("after 4 s the client is told %v", ann.ended)
	}
}

// Where fewer seats are kept than peers are lost, the one that is lost longest leaves.
func TestFewSeatsAreKept(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{Dedicated: true, MaxLost: 1})
	var players []*player
	for _, name := range []string{"ann", "bob", "cid"} {
		p := l.player(tendon.Config{Hello: []byte(name)})
		p.again = false
		players = append(players, p)
		l.joined()
	}
	server.tellPeers()
	for i, p := range players {
		p.cut()
		if i < 2 {
			l.seconds(11)
		}
	}
	server.heard("lost 2, lost 3, leave 2")
	l.seconds(11)
	server.heard("lost 4, leave 3")
}

// In a full session a player whose program has crashed is let in as soon as the game
// wants it: when it sends lost peers away, or keeps no seats.
func TestCrashedPlayerOfAFullSession(t *testing.T) {
	for name, c := range map[string]tendon.Config{
		"kicked when lost": {MaxPeers: 1, Times: tendon.Times{Silence: 2 * time.Second}},
		"no seat is kept":  {MaxPeers: 1, MaxLost: -1, Times: tendon.Times{Silence: 2 * time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, lan)
			c.Dedicated = true
			server, ann := l.server(c), l.player(tendon.Config{Hello: []byte("ann")})
			if c.MaxLost == 0 {
				server.OnLost(func(p rpl.Peer) { server.Kick(p, "others wait") })
			}
			l.joined()
			ann.again = false
			ann.cut()
			again := l.player(tendon.Config{Hello: []byte("ann's next program")})
			l.seconds(4)
			if again.Me() == 0 {
				t.Error("4 s after the crash the player's new program is not in")
			}
		})
	}
}
