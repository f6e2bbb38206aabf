package ecs_test

// What a machine decides itself is drawn between its steps where it changes its parent, too.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A torch, with a flame on it, is taken up where it lies by one runner, goes over to another, who comes the other
// way, where they meet, and is put down: what is drawn of it never moves by more than a runner runs in a frame. A
// leap is no motion.
func TestOwnIsDrawnThroughAParentChange(t *testing.T) {
	for _, hosts := range []bool{false, true} {
		for _, fps := range []float64{60, 90, 144, 240} {
			for _, ends := range []bool{false, true} { // the first runner, in the step in which the second has the torch
				t.Run(fmt.Sprint("hosts ", hosts, ", ", fps, " fps, ends ", ends), func(t *testing.T) {
					playTorch(t, hosts, fps, ends)
				})
			}
		}
	}
}

func playTorch(t *testing.T, hosts bool, fps float64, ends bool) {
	const speed = 6.
	net := mem.NewNetwork(1, netsim.Conditions{})
	p := tendon.NewProtocol("torch")
	place := tendon.Replicate(p, "place", components.Transform)
	r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{Clock: net.Now})
	if err != nil {
		t.Fatal(err)
	}
	var a, b, torch, flame *donburi.Entry
	r.OnStart(func() {
		a, b, torch, flame = r.Create(place), r.Create(place), r.Create(place), r.Create(place)
		place.Get(torch).Pos.X = 200 * speed
		place.Get(flame).Pos.X = 1
		if err := tendon.Attach(flame, torch); err != nil {
			t.Fatal(err)
		}
	})
	if hosts {
		r.Host(net.Listener())
	}
	hold := func(by *donburi.Entry) {
		if err := tendon.AttachInPlace(torch, by); err != nil {
			t.Fatal(err)
		}
	}
	step := func(i int) {
		r.Receive()
		defer r.Send()
		if a.Valid() {
			place.SetValue(a, components.TransformData{Pos: gmath.Vec{X: speed * float64(i)}, Rot: .5})
		}
		place.SetValue(b, components.TransformData{Pos: gmath.Vec{X: speed * float64(500-i)}, Rot: math.Pi})
		switch i {
		case 200:
			hold(a)
		case 250: // they meet
			if hold(b); ends {
				tendon.Remove(a, 1)
			}
		case 300:
			if err := tendon.Detach(torch); err != nil {
				t.Fatal(err)
			}
		case 350: // a leap …
			if err := tendon.Attach(torch, b); err != nil {
				t.Fatal(err)
			}
			place.SetValue(torch, components.TransformData{})
		case 380: // … and one that the game says is one
			if err := tendon.Detach(torch); err != nil {
				t.Fatal(err)
			}
			place.Get(torch).Pos.X += 5
			tendon.Teleport(torch)
		}
	}
	var last [2]gmath.Vec
	n, due := 0, time.Duration(0)
	for n < 400 {
		net.Advance(time.Duration(float64(time.Second) / fps))
		leaps := false
		for ; due <= net.Now(); due += time.Second / 60 {
			n++
			step(n)
			leaps = leaps || n == 350 || n == 380
		}
		r.Frame()
		for i, e := range []*donburi.Entry{torch, flame} {
			at := tendon.WorldView(e).Pos
			moved := at.DistanceTo(last[i])
			if last[i] = at; n <= 150 {
				continue
			}
			if is := tendon.WorldTransform(e).Pos; leaps && n == 380 && at != is {
				t.Errorf("step %d: after a teleport %d is drawn at %v, and it is at %v", n, i, at, is)
			}
			if most := speed*60/fps + .5; moved > most && !leaps {
				t.Errorf("step %d: %d is drawn %v further in a frame, at %v", n, i, moved, at)
			}
		}
		if at, off := tendon.WorldView(flame), tendon.WorldView(torch); math.Abs(at.Pos.DistanceTo(off.Pos)-1) > 1e-6 {
			t.Errorf("step %d: the flame is drawn at %v, on a torch at %v", n, at, off)
		}
		if n == 250 && !raceEnabled {
			if n := testing.AllocsPerRun(10, func() { tendon.WorldView(flame) }); n > 0 {
				t.Errorf("WorldView allocates %v", n)
			}
		}
	}
}

// Whatever changes its parent, goes and comes in a step: what has changed its parent is drawn on the straight way
// from where it was in the world to where it is, or is there at once.
func TestOwnTreesAtRandom(t *testing.T) {
	drawn := 0
	for seed := range someRuns(uint64(20)) {
		rng := rand.New(rand.NewPCG(seed, 1))
		net := mem.NewNetwork(1, netsim.Conditions{})
		p := tendon.NewProtocol("trees")
		place, other := tendon.Replicate(p, "place", components.Transform), tendon.Replicate(p, "other", donburi.NewComponentType[tendon.None]())
		r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{Clock: net.Now})
		if err != nil {
			t.Fatal(err)
		}
		var all []*donburi.Entry
		type spot struct {
			at gmath.Vec
			up *donburi.Entry
		}
		was, is := map[donburi.Entity]spot{}, map[donburi.Entity]spot{}
		step := func() {
			r.Receive()
			for range 1 + rng.IntN(4) {
				switch kind := rng.IntN(5); {
				case kind == 0 && len(all) < 20, len(all) < 4:
					if kind == 0 {
						all = append(all, r.Create(other)) // has no place, and stays at the top
					} else {
						all = append(all, r.Create(place))
					}
				case kind == 1:
					i := rng.IntN(len(all))
					tendon.Remove(all[i], 1)
					all = slices.Delete(all, i, i+1)
				default:
					e, up := all[rng.IntN(len(all))], all[rng.IntN(len(all))]
					if rng.IntN(3) == 0 {
						up = nil
					}
					if e.HasComponent(place) {
						_ = tendon.Attach(e, up) // not below itself
					}
				}
			}
			was, is = is, map[donburi.Entity]spot{}
			for _, e := range all {
				if e.HasComponent(place) {
					place.SetValue(e, components.TransformData{Pos: gmath.Vec{X: rng.Float64() * 4, Y: rng.Float64() * 4}, Rot: gmath.Rad(rng.Float64() * 6)})
				}
			}
			for _, e := range all {
				if e.HasComponent(place) {
					is[e.Entity()] = spot{tendon.WorldTransform(e).Pos, tendon.Parent(e)}
				}
			}
			r.Send()
		}
		due := time.Duration(0)
		for range 600 {
			net.Advance(time.Second / 144)
			for ; due <= net.Now(); due += time.Second / 60 {
				step()
			}
			r.Frame()
			for _, e := range all {
				if !e.HasComponent(place) {
					continue
				}
				from, ok := was[e.Entity()]
				to, at := is[e.Entity()], tendon.WorldView(e).Pos
				if !ok || from.up == to.up || from.at.DistanceTo(to.at) > 31 {
					continue
				}
				if off := from.at.DistanceTo(at) + at.DistanceTo(to.at) - from.at.DistanceTo(to.at); off > 1e-6 {
					t.Fatalf("seed %d: drawn at %v, on the way from %v to %v", seed, at, from.at, to.at)
				}
				if at != to.at {
					drawn++
				}
			}
		}
	}
	if drawn == 0 {
		t.Error("nothing is drawn on its way")
	}
}

// Two nodes change places, of which one has no place of its own.
func TestOwnTreeTurnedOver(t *testing.T) {
	net := mem.NewNetwork(1, netsim.Conditions{})
	p := tendon.NewProtocol("trees")
	place, other := tendon.Replicate(p, "place", components.Transform), tendon.Replicate(p, "other", donburi.NewComponentType[tendon.None]())
	r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{Clock: net.Now})
	if err != nil {
		t.Fatal(err)
	}
	var below, above *donburi.Entry
	r.OnStart(func() { below, above = r.Create(place), r.Create(other) })
	n, due := 0, time.Duration(0)
	for range 600 {
		net.Advance(time.Second / 144)
		for ; due <= net.Now(); due += time.Second / 60 {
			r.Receive()
			if n++; n%20 == 0 {
				if err := tendon.Attach(above, nil); err != nil {
					t.Fatal(err)
				}
				if err := tendon.Attach(below, above); err != nil {
					t.Fatal(err)
				}
				below, above = above, below
			}
			r.Send()
		}
		r.Frame()
		for _, e := range []*donburi.Entry{below, above} {
			if at := tendon.WorldView(e); at != (components.TransformData{}) {
				t.Fatalf("step %d: drawn at %v", n, at)
			}
		}
	}
}
