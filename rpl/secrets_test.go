package rpl_test

// What a player's packets and tables reveal of what is kept from him.

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

type guest struct {
	Pos xy    `rpl:"step=1/8,pos"`
	Who int32 `rpl:""`
}

type host struct {
	Pos    xy    `rpl:"step=1/8,pos"`
	Poison int32 `rpl:"to=cooks"`
}

// A dinner is played at a table of guests whom everyone sees, beside others of whom peer 2 knows nothing,
// while peer 3 does. What those do, and the values that they have, is what plays differ in.
type dinner struct {
	*rpltest.Net
	guest, host *rpl.ItemType
	cooks       rpl.Audience
	news        []rpl.Node // kept guests that come and go
	log         []string   // what goes to peer 2, and the tables
}

func newDinner(t *testing.T, rule rpl.Interest) *dinner {
	s := rpl.NewSchema("dinner")
	d := &dinner{}
	d.cooks = s.Group("cooks")
	d.guest, d.host = s.Item("guest", reflect.TypeFor[guest](), nil), s.Item("host", reflect.TypeFor[host](), nil)
	var err error
	if d.Net, err = rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, Interest: rule}, 1, netsim.Conditions{Delay: 20 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	for _, p := range []rpl.Peer{2, 3} {
		if _, err := d.Join(p); err != nil {
			t.Fatal(err)
		}
	}
	d.A.SetGroup(3, d.cooks, true)
	d.OnDatagram = func(to rpl.Peer, b []byte) {
		if to == 2 {
			d.log = append(d.log, fmt.Sprintf("tick %d: %x", d.TickNumber(), b))
		}
	}
	return d
}

// come has a node come, kept from peer 2 in one of the ways.
func (d *dinner) come(t *testing.T, kept string) rpl.Node {
	it := rpl.Spawn{Items: []*rpl.ItemType{d.guest}}
	switch kept {
	case "owner":
		it.Relevance = rpl.OwnerOnly
	case "group":
		it.Relevance = rpl.Grouped
	case "to":
		it.Items[0] = d.host
	case "policy":
		it.Relevance = rpl.Near
	}
	n, err := d.A.Spawn(it)
	if err != nil {
		t.Fatal(err)
	}
	switch kept {
	case "owner":
		d.A.Give(n, 3)
	case "group":
		d.A.SetNodeGroup(n, d.cooks, true)
	case "hidden":
		err = d.A.SetShowing(2, n, rpl.Hidden)
	case "below":
		top, _ := d.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{d.guest}})
		if err = d.A.SetShowing(2, top, rpl.Hidden); err == nil {
			err = d.A.SetParent(n, top)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// play plays half a minute. What is secret are the values, and how those move who are kept from peer 2,
// if they do.
func (d *dinner) play(t *testing.T, kept string, moves bool, secret uint64) {
	r, s := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(secret, 3))
	var open, hidden []rpl.Node
	at, other := make([]guest, 16), make([]guest, 16)
	for range at {
		open = append(open, d.come(t, ""))
		hidden = append(hidden, d.come(t, kept))
	}
	value := int32(s.Uint32() >> 1)
	set := func(n rpl.Node, g guest, secret bool) {
		it, _ := d.A.Item(n, 0)
		if h := (host{Poison: g.Who}); secret && kept == "to" {
			d.A.Set(it, unsafe.Pointer(&h))
			return
		}
		d.A.Set(it, unsafe.Pointer(&g))
	}
	for tick := range 30 * 60 {
		d.Tick(func(rpl.Tick) {
			for k, n := range open {
				if tick%(k+3) == 0 {
					at[k].Pos.X += float64(r.IntN(40)) / 8
					at[k].Who = r.Int32N(3)
				}
				set(n, at[k], false)
			}
			for k, n := range hidden {
				if moves && tick > 60 && s.IntN(k%4+2) == 0 {
					other[k].Pos.Y += float64(s.IntN(100)) / 8
					other[k].Who += s.Int32N(4)
				}
				set(n, other[k], true)
			}
			if tick%6 == 0 {
				n := d.come(t, kept)
				set(n, guest{xy{float64(value >> 16), 7}, value}, true)
				d.news = append(d.news, n)
			}
			if len(d.news) > 20 {
				d.A.Remove(d.news[0])
				d.news = d.news[1:]
			}
		})
		if tick%60 == 0 {
			d.log = append(d.log, fmt.Sprintf("tables at tick %d: %x", tick, d.A.Tables()))
		}
	}
}

// Two sessions that differ only in what is kept from a peer are the same for that peer, bit by bit, the learned
// tables included: what is kept by an owner, a group, a tag or by hiding it, also as part of a tree.
func TestTablesKeepSecrets(t *testing.T) {
	for _, kept := range []string{"owner", "group", "to", "hidden", "below"} {
		t.Run(kept, func(t *testing.T) {
			var logs [2][]string
			for i := range logs {
				d := newDinner(t, nil)
				d.play(t, kept, i > 0, uint64(i))
				if logs[i] = d.log; len(d.A.Tables()) == 0 {
					t.Fatal("no tables were learned")
				}
			}
			alike(t, logs)
		})
	}
}

// alike reports the first difference of two logs.
func alike(t *testing.T, logs [2][]string) {
	t.Helper()
	for i := range min(len(logs[0]), len(logs[1])) {
		if x, y := logs[0][i], logs[1][i]; x != y {
			t.Fatalf("entry %d of %d and %d:\n%s\n%s", i, len(logs[0]), len(logs[1]), x, y)
		}
	}
	if len(logs[0]) != len(logs[1]) {
		t.Fatalf("%d entries and %d", len(logs[0]), len(logs[1]))
	}
}

// blind is a policy by which peer 2 sees nothing.
type blind struct{ rpl.Grid }

func (blind) Sees(v rpl.View) bool { return v.Viewer != 2 }

// Of nodes that a policy refuses to a peer, it is learned how they change, but none of their values.
func TestRefusedValuesAreNotLearned(t *testing.T) {
	var logs [2][]string
	for i := range logs {
		d := newDinner(t, blind{rpl.Grid{Enter: 1e6, Exit: 1e6}})
		for _, p := range []rpl.Peer{2, 3} {
			d.A.Observe(p, [2]float64{})
		}
		d.play(t, "policy", false, uint64(i))
		if logs[i] = d.log; len(d.A.Tables()) == 0 {
			t.Fatal("no tables were learned")
		}
	}
	alike(t, logs)
}
