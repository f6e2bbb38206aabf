package ecs_test

// Codecs in whole sessions: one with all eight functions, one with as few as possible, and
// some for types of other packages.

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/bits"
)

// A buoy is a type that tags cannot describe: its fields are unexported, and one of them is
// a pointer.
type buoy struct {
	lit     bool
	number  int
	name    string
	drift   float64
	since   time.Time
	pos     gmath.Vec
	painted *string // each machine's own
}

// buoyShot is the snapshot of a buoy.
type buoyShot struct {
	Lit    bool
	Number int
	Name   string
	Drift  int32 // in 1/16
	Since  int64 // in milliseconds
	X, Y   int32 // in 1/32
}

type BuoyData struct {
	Buoy buoy `rpl:"notify"`
}

func extractBuoy(b *buoy) buoyShot {
	return buoyShot{b.lit, b.number, b.name, int32(b.drift * 16), b.since.UnixMilli(), int32(b.pos.X * 32), int32(b.pos.Y * 32)}
}

func injectBuoy(b *buoy, s buoyShot) {
	b.lit, b.number, b.name = s.Lit, s.Number, s.Name
	b.drift, b.since = float64(s.Drift)/16, time.UnixMilli(s.Since)
	b.pos = gmath.Vec{X: float64(s.X) / 32, Y: float64(s.Y) / 32}
}

func encodeBuoy(w *bits.Writer, s buoyShot) {
	w.Bool(s.Lit)
	w.Varint(int64(s.Number))
	w.String(s.Name)
	w.Varint(int64(s.Drift))
	w.Varint(s.Since)
	w.Varint(int64(s.X))
	w.Varint(int64(s.Y))
}

func decodeBuoy(r *bits.Reader) (buoyShot, error) {
	s := buoyShot{Lit: r.Bool(), Number: int(r.Varint()), Name: r.String(24), Drift: int32(r.Varint()), Since: r.Varint(), X: int32(r.Varint()), Y: int32(r.Varint())}
	if s.Drift < 0 {
		return s, rpl.ErrRefused
	}
	return s, nil
}

// buoyCalls counts the calls of a codec's functions, which may run on any goroutine.
type buoyCalls struct {
	extract, inject, encode, decode, equal, same, encodeDelta, decodeDelta atomic.Int64
}

// codec returns a codec with all eight functions.
func (n *buoyCalls) codec() rpl.Codec[buoy, buoyShot] {
	return rpl.Codec[buoy, buoyShot]{
		Name: "buoy",
		Extract: func(b *buoy) buoyShot {
			n.extract.Add(1)
			return extractBuoy(b)
		},
		Inject: func(b *buoy, s buoyShot) {
			n.inject.Add(1)
			injectBuoy(b, s)
		},
		Encode: func(w *bits.Writer, s buoyShot) {
			n.encode.Add(1)
			encodeBuoy(w, s)
		},
		Decode: func(r *bits.Reader) (buoyShot, error) {
			n.decode.Add(1)
			return decodeBuoy(r)
		},
		Equal: func(a, b buoyShot) bool {
			n.equal.Add(1)
			return a == b
		},
		Same: func(b *buoy, s buoyShot) bool {
			n.same.Add(1)
			return extractBuoy(b) == s
		},
		EncodeDelta: func(w *bits.Writer, base, s buoyShot) {
			n.encodeDelta.Add(1)
			moved := base
			moved.X, moved.Y = s.X, s.Y
			w.Varint(int64(s.X - base.X))
			w.Varint(int64(s.Y - base.Y))
			w.Bool(moved != s)
			if moved != s {
				encodeBuoy(w, s)
			}
		},
		DecodeDelta: func(r *bits.Reader, base buoyShot) (buoyShot, error) {
			n.decodeDelta.Add(1)
			base.X += int32(r.Varint())
			base.Y += int32(r.Varint())
			if r.Bool() {
				return decodeBuoy(r)
			}
			return base, nil
		},
	}
}

// M8: a codec with all eight functions replicates its type in place and by deltas, to
// clients that join and to clients that are here, also under loss.
func TestCodecInSession(t *testing.T) {
	for name, c := range networks {
		t.Run(name, func(t *testing.T) {
			calls := &buoyCalls{}
			p := tendon.NewProtocol("buoys")
			rpl.Register(p.Schema(), calls.codec())
			Buoy := tendon.Replicate(p, "buoy", donburi.NewComponentType[BuoyData]())

			l := newLab(t, c)
			server, scale := l.play(p, "server", tendon.Config{}), &scale{Listener: l.listener}
			server.Host(scale)
			join := func(name string) *machine {
				m := l.play(p, name, tendon.Config{})
				m.joins = true
				m.Join(l.net.Dialer(l.listener))
				return m
			}
			first := join("first")
			paint, worst := "red", 0.0
			first.OnStreamIn(Buoy, func(e *donburi.Entry) { Buoy.Get(e).Buoy.painted = &paint })
			first.step = func() {
				for e := range Buoy.Iter(first.World()) {
					worst = min(worst, Buoy.Get(e).Buoy.drift)
				}
			}
			l.joined()

			e := server.Create(Buoy)
			b := &Buoy.Get(e).Buoy
			*b = buoy{lit: true, number: -7, name: "Fastnet", drift: 2.5, since: time.UnixMilli(1e12), pos: gmath.Vec{X: 1, Y: -2}}
			id := tendon.ID(e)
			equal := func(m *machine) bool {
				o, ok := m.Find(id)
				return ok && extractBuoy(&Buoy.Get(o).Buoy) == extractBuoy(b)
			}
			l.until("it is there", func() bool { return equal(first) })
			l.steps(30)

			// One change is extracted once, and each client gets it.
			second := join("second")
			l.joined()
			l.until("who joined has it", func() bool { return equal(second) })
			l.steps(30)
			extracts, delta := calls.extract.Load(), calls.encodeDelta.Load()
			scale.pans[0].empty()
			b.pos.X += 0.5
			l.until("both have the change", func() bool { return equal(first) && equal(second) })
			l.steps(30)
			check(t, "snapshots made for one change", calls.extract.Load()-extracts, 1)
			if c.Loss == 0 {
				if got := scale.pans[0].heaviest(); got > 16+beside {
					t.Errorf("a step sideways is a datagram of %d bytes", got)
				}
			}
			if calls.encodeDelta.Load() == delta {
				t.Error("a change was sent without a delta")
			}

			// Many changes.
			rng := rand.New(rand.NewPCG(l.seed, 8))
			for range 60 {
				b.pos.Y += rng.Float64()
				if rng.IntN(5) == 0 {
					b.lit, b.number, b.name, b.since = !b.lit, rng.Int(), fmt.Sprint("no. ", rng.IntN(99)), b.since.Add(time.Hour)
				}
				l.steps(1)
			}
			l.until("both have all", func() bool { return equal(first) && equal(second) })
			if got := Buoy.Get(first.find(id)).Buoy.painted; got != &paint {
				t.Error("what is local in the value is lost")
			}

			// A value that Decode refuses is not applied, and the next legal value is.
			b.drift = -1
			l.steps(30)
			b.drift = 3
			l.until("it is legal again", func() bool { return equal(first) && equal(second) })
			check(t, "the least drift seen", worst, 0)

			for name, n := range map[string]*atomic.Int64{
				"Extract": &calls.extract, "Inject": &calls.inject, "Encode": &calls.encode, "Decode": &calls.decode,
				"Equal": &calls.equal, "Same": &calls.same, "EncodeDelta": &calls.encodeDelta, "DecodeDelta": &calls.decodeDelta,
			} {
				if n.Load() == 0 {
					t.Errorf("%s was never called", name)
				}
			}
		})
	}
}

// Beacon and its friends hold types of other packages.
type (
	BeaconData struct {
		Seen time.Time            `rpl:"notify"`
		Log  []time.Time          `rpl:"max=20"`
		Last map[string]time.Time `rpl:"max=8,each=8"`
		Next rpl.Opt[time.Time]   `rpl:""`
		Dice dice                 `rpl:""`
		Home netip.AddrPort       `rpl:""`
		Ways [2]netip.AddrPort    `rpl:""`
		Deep struct {
			At time.Time `rpl:""`
		} `rpl:""`
	}
	// dice has unexported fields and is its own snapshot.
	dice     struct{ red, blue uint8 }
	HailArgs struct {
		When time.Time      `rpl:""`
		From netip.AddrPort `rpl:""`
	}
)

// M8: a codec for a type of another package is registered once, with only the functions
// that have no default. It then serves components, lists, maps, optional values and
// arguments.
//
// Each optional function is left out by at least one of the three codecs.
func TestCodecsOfForeignTypes(t *testing.T) {
	p := tendon.NewProtocol("beacons")
	rpl.Register(p.Schema(), rpl.Codec[time.Time, int64]{
		Name:    "time",
		Extract: func(t *time.Time) int64 { return t.UnixMilli() },
		Inject:  func(t *time.Time, ms int64) { *t = time.UnixMilli(ms) },
	})
	rpl.Register(p.Schema(), rpl.Codec[netip.AddrPort, string]{
		Name:    "address",
		Extract: func(a *netip.AddrPort) string { return a.String() },
		Inject:  func(a *netip.AddrPort, s string) { *a, _ = netip.ParseAddrPort(s) },
		Encode:  func(w *bits.Writer, s string) { w.String(s) },
		Decode: func(r *bits.Reader) (string, error) {
			s := r.String(64)
			if _, err := netip.ParseAddrPort(s); err != nil && s != "invalid AddrPort" {
				return "", rpl.ErrRefused
			}
			return s, nil
		},
	})
	rpl.Register(p.Schema(), rpl.Codec[dice, dice]{
		Name: "dice",
		Encode: func(w *bits.Writer, d dice) {
			w.Write(uint64(d.red), 3)
			w.Write(uint64(d.blue), 3)
		},
		Decode: func(r *bits.Reader) (dice, error) {
			return dice{uint8(r.Read(3)), uint8(r.Read(3))}, nil
		},
	})
	Beacon := tendon.Replicate(p, "beacon", donburi.NewComponentType[BeaconData]())
	Hail := tendon.NewRPC[HailArgs](p, "hail", rpl.ToServer, rpl.Reliable)

	for name, c := range networks {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, c)
			server := l.play(p, "server", tendon.Config{})
			server.Host(l.listener)
			client := l.play(p, "client", tendon.Config{})
			client.joins = true
			client.Join(l.net.Dialer(l.listener))
			var hails []HailArgs
			Hail.Handle(server.Replication, func(_ tendon.Call, a HailArgs) { hails = append(hails, a) })
			l.joined()

			at := func(ms int64) time.Time { return time.UnixMilli(1e12 + ms) }
			e := server.Create(Beacon)
			tendon.Give(e, client.Me())
			id := tendon.ID(e)
			b := Beacon.Get(e)
			b.Seen, b.Log, b.Last = at(1), []time.Time{at(2), at(3), at(4)}, map[string]time.Time{"north": at(5)}
			b.Next.Set(at(6))
			b.Home, b.Ways[1] = netip.MustParseAddrPort("192.0.2.1:7777"), netip.MustParseAddrPort("[2001:db8::1]:1")
			b.Deep.At, b.Dice = at(7), dice{6, 1}
			equal := func() bool {
				e, ok := client.Find(id)
				if !ok {
					return false
				}
				o := Beacon.Get(e)
				next, _ := b.Next.Get()
				got, _ := o.Next.Get()
				return o.Seen.Equal(b.Seen) && slices.EqualFunc(o.Log, b.Log, time.Time.Equal) && o.Last["north"].Equal(b.Last["north"]) &&
					o.Next.Has() == b.Next.Has() && got.Equal(next) && o.Home == b.Home && o.Dice == b.Dice && o.Ways == b.Ways && o.Deep.At.Equal(b.Deep.At)
			}
			l.until("it is there", equal)
			b.Log = slices.Insert(b.Log, 1, at(8))
			b.Last["north"] = at(9)
			b.Next.Clear()
			b.Dice.blue++
			b.Home = netip.AddrPort{}
			l.until("it has changed", equal)

			if err := Hail.Send(client.find(id), HailArgs{When: at(10), From: b.Ways[1]}); err != nil {
				t.Fatal(err)
			}
			l.until("the hail is heard", func() bool { return len(hails) == 1 })
			if !hails[0].When.Equal(at(10)) || hails[0].From != b.Ways[1] {
				t.Errorf("heard %v", hails[0])
			}
		})
	}
}
