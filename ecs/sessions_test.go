package ecs_test

// Sessions with the same inputs: a server and a client run rules of float64 on every kind of
// machine that can be run, and come to the same.

import (
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// soak plays more of them, and prints the digest, by which it compares machines.
var sessionsFlag = flag.Int("sessions", 200, "how many sessions TestSameSessions plays")

type (
	jumperData struct { // gravity, friction, a floor that rises
		Pos    gmath.Vec `rpl:"step=1/32,interp,pos"`
		Vel    gmath.Vec `rpl:"step=1/1024,to=owner"`
		Jumps  uint8     `rpl:"to=owner"`
		Landed rpl.Tick  `rpl:"to=owner"`
	}
	carData struct { // a heading, turned by the speed
		Pos     gmath.Vec `rpl:"step=1/32,interp,pos"`
		Heading float64   `rpl:"step=1/4096,to=owner"`
		Speed   float64   `rpl:"step=1/65536,to=owner"`
	}
	shipData struct { // two suns pull it
		Pos gmath.Vec `rpl:"step=1/64,interp,pos"`
		Vel gmath.Vec `rpl:"step=1/4096,to=owner"`
	}
	sameKeys struct {
		Dir  gmath.Vec `rpl:"step=1/64"`
		Jump bool      `rpl:"edge"`
	}
)

var (
	same       = tendon.NewProtocol("same")
	jumper     = tendon.Replicate(same, "jumper", donburi.NewComponentType[jumperData]())
	car        = tendon.Replicate(same, "car", donburi.NewComponentType[carData]())
	ship       = tendon.Replicate(same, "ship", donburi.NewComponentType[shipData]())
	jumperKeys = tendon.NewCommand[sameKeys](same, "jumper keys", jumper)
	carKeys    = tendon.NewCommand[sameKeys](same, "car keys", car)
	shipKeys   = tendon.NewCommand[sameKeys](same, "ship keys", ship)
)

const (
	settled = 60 // the step from which on players use their keys: their clients know the line by then
	begins  = 80 // the tick in which everything begins to move, from what travels without rounding
)

// sameRules are a session's constants.
type sameRules struct{ gravity, friction, turn, push float64 }

// fused forbids nothing: where a processor adds and multiplies in one rounding, these rules do.
func (k *sameRules) jump(c tendon.Call, a sameKeys) {
	if c.Tick < begins {
		return
	}
	d := jumper.Get(c.Entry)
	floor := 100 + 0.25*d.Pos.X
	if a.Jump && d.Pos.Y >= floor-1 {
		d.Vel.Y = -6 * (1 + 0.1*k.push)
		d.Jumps++
	}
	d.Vel.X = d.Vel.X*k.friction + a.Dir.X*k.push
	d.Vel.Y = d.Vel.Y*0.999 + k.gravity
	d.Pos.X, d.Pos.Y = d.Pos.X+d.Vel.X*0.9, d.Pos.Y+d.Vel.Y*0.9
	if floor = 100 + 0.25*d.Pos.X; d.Pos.Y > floor {
		if d.Pos.Y, d.Vel.Y = floor, -d.Vel.Y*0.3; math.Abs(d.Vel.Y) < 0.2 {
			d.Vel.Y, d.Landed = 0, c.Tick
		}
	}
}

func (k *sameRules) drive(c tendon.Call, a sameKeys) {
	if c.Tick < begins {
		return
	}
	d := car.Get(c.Entry)
	d.Speed = d.Speed*k.friction + a.Dir.Y*k.push
	d.Heading = math.Remainder(d.Heading+a.Dir.X*k.turn*d.Speed, 2*math.Pi)
	sin, cos := math.Sincos(d.Heading)
	d.Pos.X, d.Pos.Y = d.Pos.X+cos*d.Speed, d.Pos.Y+sin*d.Speed
	if d.Pos.Len() > 300 {
		d.Pos = d.Pos.Mulf(300 / d.Pos.Len())
	}
}

func (k *sameRules) fly(c tendon.Call, a sameKeys) {
	if c.Tick < begins {
		return
	}
	d := ship.Get(c.Entry)
	for _, sun := range []gmath.Vec{{X: 60, Y: 10}, {X: -80, Y: -30}} {
		to := sun.Sub(d.Pos)
		far := math.Hypot(to.X, to.Y) + 20
		pull := k.gravity * 400 / (far * far) * math.Exp(-far/400)
		d.Vel.X, d.Vel.Y = d.Vel.X+to.X*pull/far, d.Vel.Y+to.Y*pull/far
	}
	d.Vel = d.Vel.Add(a.Dir.ClampLen(1).Mulf(k.push / 8)).Mulf(0.5 + k.friction/2)
	d.Pos = d.Pos.Add(d.Vel)
}

// playSame plays one session and returns a digest of what the server and the client had in each
// tick, as it travels, how many ticks were predicted, and which fields of how many were corrected.
// disturbed is whether the server pushes one thing that its player does not.
func playSame(t *testing.T, seed uint64, disturbed bool) (digest uint64, ticks int, corrected map[string]int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	k := &sameRules{gravity: 0.1 + r.Float64()/4, friction: 0.8 + r.Float64()/6, turn: r.Float64() / 20, push: 0.2 + r.Float64()/2}
	net := mem.NewNetwork(seed, netsim.Conditions{Delay: time.Duration(5+r.IntN(80)) * time.Millisecond})
	open := func(dedicated bool) *tendon.Replication {
		s, err := tendon.New(donburi.NewWorld(), same, tendon.Config{Dedicated: dedicated, Sends: []int{20, 30, 60}[seed%3]})
		if err != nil {
			t.Fatal(err)
		}
		jumperKeys.Apply(s, k.jump)
		carKeys.Apply(s, k.drive)
		shipKeys.Apply(s, k.fly)
		s.OnJoin(func(p rpl.Peer) {
			tendon.Give(s.Create(jumper), p)
			tendon.Give(s.Create(car), p)
			e := s.Create(ship)
			ship.Get(e).Pos.X = 30
			tendon.Give(e, p)
		})
		return s
	}
	server, client := open(true), open(false)
	step := 0
	for _, c := range []*tendon.Command[sameKeys]{jumperKeys, carKeys, shipKeys} {
		dir := gmath.Vec{}
		c.Sample(client, func(*donburi.Entry) sameKeys {
			if step < settled {
				return sameKeys{}
			}
			if r.IntN(15) == 0 {
				dir = gmath.Vec{X: float64(r.IntN(129)-64) / 64, Y: float64(r.IntN(129)-64) / 64}
			}
			return sameKeys{dir, r.IntN(25) == 0}
		})
	}
	listener := net.Listener()
	server.Host(listener)
	client.Join(net.Dialer(listener))
	var words []int32
	h, room := fnv.New64a(), make([]byte, 4)
	note := func(s *tendon.Replication) {
		words = words[:0]
		for e := range jumper.Iter(s.World()) {
			words = append(words, wordsOf(jumper, jumper.Get(e))...)
		}
		for e := range car.Iter(s.World()) {
			words = append(words, wordsOf(car, car.Get(e))...)
		}
		for e := range ship.Iter(s.World()) {
			words = append(words, wordsOf(ship, ship.Get(e))...)
		}
		for _, w := range words {
			binary.LittleEndian.PutUint32(room, uint32(w))
			h.Write(room)
		}
	}
	var before [2]tendon.CommandStats
	corrected = map[string]int{}
	client.OnCorrection(func(c tendon.Correction) {
		if step >= settled {
			corrected[c.Field]++
		}
	})
	for range 150 {
		if step++; step == settled {
			before = [2]tendon.CommandStats{server.CommandStats(), client.CommandStats()}
		}
		net.Advance(time.Second / 60)
		for _, s := range []*tendon.Replication{server, client} {
			s.Receive()
			jumperKeys.Run(s)
			carKeys.Run(s)
			shipKeys.Run(s)
			if e, ok := jumper.First(s.World()); ok && disturbed && s == server && step == settled+30 {
				jumper.Get(e).Pos.X += 3
			}
			s.Send()
			note(s)
		}
	}
	got, gave := server.CommandStats(), client.CommandStats()
	fmt.Fprint(h, gave.Ticks, got.InTime, server.Stats(client.Me()).Conn.BytesOut, client.Stats(0).Conn.BytesOut)
	if trip := int(client.Stats(0).RTT / (time.Second / 60)); got.Late > 3*(trip+4) {
		t.Errorf("seed %d: %d commands for 3 things came late, at first, over a round trip of %d ticks", seed, got.Late, trip)
	}
	if margin := client.Stats(0).Margin; margin <= 0 || margin != gave.Lead || server.Stats(client.Me()).Margin != 0 {
		t.Errorf("seed %d: a margin of %v, where reports say %v", seed, margin, gave.Lead)
	}
	client.Close("")
	server.Close("")
	if got.Late > before[0].Late || got.Missed > before[0].Missed {
		return h.Sum64(), 0, nil
	}
	return h.Sum64(), gave.Ticks - before[1].Ticks, corrected
}

// What a correction finds right stays as it is, unrounded as the server has it: what is beside it is
// not corrected in its turn.
func TestCorrectionsDoNotSpread(t *testing.T) {
	all := 0
	for seed := range uint64(60) {
		_, _, corrected := playSame(t, seed+1, true)
		for field, n := range corrected {
			if all += n; !strings.HasPrefix(field, "jumper.") {
				t.Errorf("seed %d: %d corrections of %s", seed+1, n, field)
			}
		}
	}
	if all < 30 {
		t.Errorf("%d corrections in 30 sessions", all)
	}
}

// With commands in time nothing is corrected, in sessions of rules of float64, and every kind of
// machine comes to the same: soak compares the digests.
func TestSameSessions(t *testing.T) {
	all, sessions, ticks := fnv.New64a(), 0, 0
	for i := range *sessionsFlag {
		seed := uint64(i + 1)
		digest, n, corrected := playSame(t, seed, false)
		if len(corrected) > 0 {
			t.Errorf("seed %d: of %d predicted ticks were corrected: %v", seed, n, corrected)
		}
		if n > 0 {
			sessions++
			ticks += n
		}
		fmt.Fprintf(all, "%x ", digest)
		runtime.Gosched() // on js/wasm nothing else runs before, nor gives memory back
	}
	if sessions < *sessionsFlag*3/4 {
		t.Errorf("in %d of %d sessions all commands came in time", sessions, *sessionsFlag)
	}
	t.Logf("%d sessions, %d predicted ticks in those whose commands came in time, digest %x", *sessionsFlag, ticks, all.Sum64())
}

// wordsOf is a component as it travels.
func wordsOf[T any](c *donburi.ComponentType[T], p *T) []int32 {
	it, _ := same.Item(c)
	words := make([]int32, len(it.Words))
	it.Extract(unsafe.Pointer(p), words, nil, nil)
	return words
}
