package rpl_test

import (
	"bytes"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A last state that is too long to go with the removal is counted, and logged with its component
// and a remedy; one that is short goes.
func TestLastStateTooLong(t *testing.T) {
	type will struct {
		Text string `rpl:"max=2000"`
	}
	for _, c := range []struct {
		length  int
		tooLong uint64
	}{{100, 0}, {1000, 1}} {
		s := rpl.NewSchema("wills")
		item := s.Item("will", reflect.TypeFor[will](), nil)
		var log bytes.Buffer
		net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, Log: slog.New(slog.NewTextHandler(&log, nil))}, 1, netsim.Conditions{})
		if err != nil {
			t.Fatal(err)
		}
		id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{item}})
		if err != nil {
			t.Fatal(err)
		}
		client, err := net.Join(2)
		if err != nil {
			t.Fatal(err)
		}
		now := will{"nothing yet"}
		set := func(rpl.Tick) {
			it, _ := net.A.Item(id, 0)
			net.A.Set(it, unsafe.Pointer(&now))
		}
		for range 60 {
			net.Tick(set)
		}
		if _, ok := client.P.Replica(id); !ok {
			t.Fatal("the node is not there")
		}
		net.Tick(func(now2 rpl.Tick) {
			now.Text = strings.Repeat("x", c.length)
			set(now2)
			net.A.Remove(id)
		})
		for range 60 {
			net.Tick(nil)
		}
		if n := net.A.Counters().LastTooLong; n != c.tooLong || strings.Count(log.String(), "component=will") != int(c.tooLong) {
			t.Errorf("%d bytes: counted %d times, want %d: %s", c.length, n, c.tooLong, log.String())
		}
	}
}

// What a node was in the end goes by the rights of the moment in which it is sent: who is put out
// of a group after the last send, by the game or by its Condition, is not told what has changed
// since, and who stays in it is.
func TestLastStateOfAGroup(t *testing.T) {
	for _, by := range []string{"SetGroup before", "SetGroup after", "Condition"} {
		t.Run(by, func(t *testing.T) {
			s := rpl.NewSchema("plans")
			team := s.Group("team")
			item := s.Item("plan", reflect.TypeFor[struct {
				Shown  int32 `rpl:""`
				Secret int32 `rpl:"to=team"`
			}](), nil)
			net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, SendHz: 6}, 1, netsim.Conditions{})
			if err != nil {
				t.Fatal(err)
			}
			out := false
			if by == "Condition" {
				net.A.Condition(team, func(p rpl.Peer) bool { return p != 2 || !out })
			}
			id := spawn(t, net, rpl.Spawn{Items: []*rpl.ItemType{item}})
			it, _ := net.A.Item(id, 0)
			now := struct{ Shown, Secret int32 }{1, 10}
			var clients []*rpltest.Client
			for p := range rpl.Peer(2) {
				c, err := net.Join(p + 2)
				if err != nil {
					t.Fatal(err)
				}
				clients = append(clients, c)
				if by != "Condition" {
					net.A.SetGroup(p+2, team, true)
				}
			}
			for range 60 {
				net.Tick(func(rpl.Tick) { net.A.Set(it, unsafe.Pointer(&now)) })
			}
			for !net.Sends() {
				net.Tick(nil)
			}
			net.Tick(nil) // the first after a send
			net.Tick(func(rpl.Tick) {
				now.Shown, now.Secret, out = 2, 20, true
				if by == "SetGroup before" {
					net.A.SetGroup(2, team, false)
				}
				net.A.Set(it, unsafe.Pointer(&now))
				net.A.Remove(id)
				if by == "SetGroup after" {
					net.A.SetGroup(2, team, false)
				}
			})
			var got [2]struct{ Shown, Secret int32 }
			for i, c := range clients {
				r, ok := c.P.Replica(id)
				if !ok {
					t.Fatal("the node is gone too soon")
				}
				c.Log.OnChanged = func(x *rpl.Replica, ord int) {
					if x == r {
						c.P.Inject(r, ord, item, unsafe.Pointer(&got[i]))
					}
				}
			}
			for range 60 {
				net.Tick(nil)
			}
			if got[0].Shown != 2 || got[0].Secret == 20 {
				t.Errorf("who was put out has %+v", got[0])
			}
			if got[1].Shown != 2 || got[1].Secret != 20 {
				t.Errorf("who is in has %+v", got[1])
			}
		})
	}
}

// A node that gets a new parent and is removed before a peer knows of that parent ends there
// where it was: its place below the new one would be a wrong one below the old. What else it was
// in the end goes with the removal.
func TestLastPlaceNotWithoutItsParent(t *testing.T) {
	s := rpl.NewSchema("crates")
	at := s.Item("at", reflect.TypeFor[struct {
		Pos xy `rpl:"step=1,pos"`
	}](), nil)
	health := s.Item("health", reflect.TypeFor[struct {
		Left int32 `rpl:""`
	}](), nil)
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, CheckEvery: -1}, 1, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	crate, cart, barge := spawn(t, net, rpl.Spawn{Items: []*rpl.ItemType{at, health}}), spawn(t, net, rpl.Spawn{}), spawn(t, net, rpl.Spawn{})
	place, _ := net.A.Item(crate, 0)
	left, _ := net.A.Item(crate, 1)
	pos, hp := xy{10, 10}, int32(5)
	c, err := net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	if err := net.A.SetParent(crate, cart); err != nil {
		t.Fatal(err)
	}
	set := func(rpl.Tick) {
		net.A.Set(place, unsafe.Pointer(&pos))
		net.A.Set(left, unsafe.Pointer(&hp))
	}
	for range 60 {
		net.Tick(set)
	}
	r, ok := c.P.Replica(crate)
	if !ok {
		t.Fatal("the crate is not there")
	}
	gotPos, gotHP := pos, hp
	c.Log.OnChanged = func(x *rpl.Replica, ord int) {
		if x == r {
			c.P.Inject(r, ord, []*rpl.ItemType{at, health}[ord], []unsafe.Pointer{unsafe.Pointer(&gotPos), unsafe.Pointer(&gotHP)}[ord])
		}
	}
	net.Tick(func(now rpl.Tick) {
		pos, hp = xy{900, 900}, 0
		if err := net.A.SetParent(crate, barge); err != nil {
			t.Fatal(err)
		}
		set(now)
		net.A.Remove(crate)
	})
	for range 120 {
		net.Tick(nil)
	}
	if _, ok := c.P.Replica(crate); ok {
		t.Fatal("the crate is not gone")
	}
	if gotPos != (xy{10, 10}) || gotHP != 0 {
		t.Errorf("it ended at %v with %d, not at {10 10} with 0", gotPos, gotHP)
	}
}

// A client's program stands still for longer than it takes to judge that what it was sent is lost. What
// came and went meanwhile goes there with what it was in the end.
func TestLastStateAfterAStandstill(t *testing.T) {
	for lived := 1; lived < 180; lived += 7 {
		m := newPostman(t)
		m.ticks(t, 60)
		m.c.Silent = true
		var id rpl.Node
		hp := bodyItem{HP: 100}
		set := func() { m.net.A.Set(m.item(id, 0), unsafe.Pointer(&hp)) }
		letters := m.tick(func() {
			id = m.spawn(t, m.sch.extra[2])
			set()
		})
		for range lived {
			letters = append(letters, m.tick(nil)...)
		}
		before := len(letters)
		letters = append(letters, m.tick(func() {
			hp.HP = 0
			set()
			m.net.A.Remove(id)
		})...)
		m.c.Silent = false
		m.deliver(t, letters[:before])
		var got bodyItem
		m.read(t, id, 0, m.sch.body, unsafe.Pointer(&got))
		m.c.Log.OnChanged = func(x *rpl.Replica, ord int) {
			if x.ID == id && ord == 0 {
				m.c.P.Inject(x, ord, m.sch.body, unsafe.Pointer(&got))
			}
		}
		m.deliver(t, letters[before:])
		m.ticks(t, 60)
		if _, ok := m.c.P.Replica(id); ok {
			t.Fatal("it is not gone")
		}
		if got.HP != 0 {
			t.Errorf("after %d ticks it went with %d", lived, got.HP)
		}
	}
}
