package ecs_test

// Of unreliable calls the newest wins: what it has overtaken on the way does not run.

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// shaken is a way on which every few packets overtake each other.
var shaken = netsim.Conditions{Delay: 60 * time.Millisecond, Jitter: 40 * time.Millisecond, Duplicate: .1}

type heldData struct {
	Place uint8 `rpl:""`
}

// A derby is a server and two clients, each with a car.
type derby struct {
	car          *donburi.ComponentType[heldData]
	steer, spark *tendon.RPC[uint32] // to the server
	honk         *tendon.RPC[uint32] // everywhere
	paint        *tendon.RPC[uint32] // from the server to the clients
	net          *mem.Network
	server       *tendon.Replication
	clients      []*tendon.Replication
	shared       donburi.Entity
	step         func()
}

func newDerby(t *testing.T, setup func(d *derby, r *tendon.Replication)) *derby {
	p := tendon.NewProtocol("derby")
	d := &derby{net: mem.NewNetwork(3, shaken)}
	d.car = tendon.Replicate(p, "car", donburi.NewComponentType[heldData]())
	d.steer = tendon.NewRPC[uint32](p, "steer", rpl.ToServer, rpl.Unreliable).FromAnyone()
	d.spark = tendon.NewRPC[uint32](p, "spark", rpl.ToServer, rpl.Unreliable).FromAnyone().AnyOrder()
	d.honk = tendon.NewRPC[uint32](p, "honk", rpl.Everywhere, rpl.Unreliable).FromAnyone()
	d.paint = tendon.NewRPC[uint32](p, "paint", rpl.Broadcast, rpl.Unreliable)
	for i := range 3 {
		r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{})
		if err != nil {
			t.Fatal(err)
		}
		setup(d, r)
		if i == 0 {
			d.server = r
		} else {
			d.clients = append(d.clients, r)
		}
	}
	l := d.net.Listener()
	d.server.Host(l)
	for _, c := range d.clients {
		c.Join(d.net.Dialer(l))
	}
	d.shared = d.server.Create(d.car).Entity()
	d.steps(240)
	return d
}

func (d *derby) steps(n int) {
	for range n {
		d.net.Advance(time.Second / 60)
		for _, r := range append([]*tendon.Replication{d.server}, d.clients...) {
			r.Receive()
			if r == d.server && d.step != nil {
				d.step()
			}
			r.Send()
		}
	}
}

// find returns the car on a machine.
func (d *derby) find(r *tendon.Replication) *donburi.Entry {
	e, _ := d.car.First(r.World())
	return e
}

// log notes calls, by machine and caller, that came after a later one.
type callLog struct {
	last map[string]uint32
	n    map[string]int
	back map[string]int
}

func newCallLog() *callLog {
	return &callLog{map[string]uint32{}, map[string]int{}, map[string]int{}}
}

func (l *callLog) note(key string, k uint32) {
	l.n[key]++
	if k < l.last[key] {
		l.back[key]++
	}
	l.last[key] = max(l.last[key], k)
}

func (l *callLog) total(m map[string]int, of string) (n int) {
	for k, v := range m {
		if strings.HasPrefix(k, of) {
			n += v
		}
	}
	return n
}

// Held keys, from two players on one node: none is set back by a late packet, and neither
// player's calls drop the other's. What is declared AnyOrder runs as it comes.
func TestNewestCallWins(t *testing.T) {
	log := newCallLog()
	d := newDerby(t, func(d *derby, r *tendon.Replication) {
		d.steer.Handle(r, func(c tendon.Call, k uint32) { log.note(fmt.Sprint("steer ", c.From), k) })
		d.spark.Handle(r, func(c tendon.Call, k uint32) { log.note(fmt.Sprint("spark ", c.From), k) })
	})
	const calls = 600
	for k := range uint32(calls) {
		for i, c := range d.clients {
			car := d.find(c)
			if err := d.steer.Send(car, k+1+uint32(1-i)*10000); err != nil { // the first player counts far ahead of the second
				t.Fatal(err)
			}
			if err := d.spark.Send(car, k+1); err != nil {
				t.Fatal(err)
			}
		}
		d.steps(1)
	}
	d.steps(60)
	ran, late := log.total(log.n, "steer"), int(d.server.Core().Counters().CallsOvertaken)
	if n := log.total(log.back, "steer"); n > 0 {
		t.Errorf("%d of %d calls ran after a newer one", n, ran)
	}
	if ran+late != 2*calls || late < calls/20 {
		t.Errorf("of %d calls %d ran and %d were overtaken", 2*calls, ran, late)
	}
	if n := log.total(log.n, "spark"); n != 2*calls || log.total(log.back, "spark") == 0 {
		t.Errorf("of %d calls in any order %d ran, %d of them after a newer one", 2*calls, n, log.total(log.back, "spark"))
	}
}

// Calls of one packet all run, in their order, though they are of one tick.
func TestCallsOfOnePacket(t *testing.T) {
	var got []uint32
	d := newDerby(t, func(d *derby, r *tendon.Replication) {
		d.steer.Handle(r, func(_ tendon.Call, k uint32) { got = append(got, k) })
	})
	for k := range uint32(3) {
		_ = d.steer.Send(d.find(d.clients[0]), k)
	}
	d.steps(60)
	check(t, "ran", fmt.Sprint(got), "[0 1 2]")
}

// The server's calls on clients, and those that it hands on: each caller's newest wins.
func TestNewestCallWinsOnClients(t *testing.T) {
	log := newCallLog()
	d := newDerby(t, func(d *derby, r *tendon.Replication) {
		d.paint.Handle(r, func(_ tendon.Call, k uint32) { log.note(fmt.Sprint("paint ", r.Me()), k) })
		d.honk.Handle(r, func(c tendon.Call, k uint32) { log.note(fmt.Sprint("honk ", r.Me(), " by ", c.From), k) })
	})
	const calls = 600
	for k := range uint32(calls) {
		_ = d.paint.Send(d.server.World().Entry(d.shared), k+1)
		_ = d.honk.Send(d.server.World().Entry(d.shared), k+1)
		for i, c := range d.clients {
			_ = d.honk.Send(d.find(c), k+1+uint32(i+1)*10000)
		}
		d.steps(1)
	}
	d.steps(60)
	for _, kind := range []string{"paint", "honk"} {
		if n := log.total(log.back, kind); n > 0 {
			t.Errorf("%s: %d of %d calls ran after a newer one", kind, n, log.total(log.n, kind))
		}
	}
	for key, n := range log.n {
		if n < calls/2 { // another caller's count is far ahead
			t.Errorf("%s: only %d of %d calls ran", key, n, calls)
		}
	}
	if len(log.n) != 3+9 {
		t.Errorf("calls ran by these: %v", log.n)
	}
}
