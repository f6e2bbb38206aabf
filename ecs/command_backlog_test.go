package ecs_test

import (
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Presses made while the server stands still count once, when it goes on: also those that it did not
// keep because they came too long before their ticks. If more are made than wait for a tick, they are counted.
func TestPressesWhileTheServerStalls(t *testing.T) {
	seed := uint64(os.Getpid())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, c := range []netsim.Conditions{{}, {Delay: 40 * time.Millisecond}, {Delay: 60 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.1}} {
		for _, hz := range []int{60, 240} {
			for _, stall := range some([]int{70, 30, 100, 180}) { // 60ths of a second, as every
				for _, every := range []int{4, 10, 25} {
					pressesInStalls(t, rng, c, hz, stall, every)
				}
			}
		}
	}
}

func pressesInStalls(t *testing.T, rng *rand.Rand, c netsim.Conditions, hz, stall, every int) {
	x := newRace(t, c, func(c *tendon.Config) { c.Steps = hz })
	presses, scale := 0, hz/60
	press := func() {
		if rng.IntN(every*scale) == 0 && !x.input.Jump {
			x.input.Jump, presses = true, presses+1
		}
	}
	for round := range 3 {
		for range 60*scale + round {
			press()
			x.steps(1)
		}
		for range stall * scale {
			press()
			x.net.Advance(time.Second / time.Duration(hz))
			x.stepOf(x.client)
		}
		if round == 1 && (hz == 60 || c.Loss == 0) { // it makes up for a second
			for range min(stall*scale, hz) {
				x.stepOf(x.server)
			}
		}
	}
	x.steps(300 * scale)
	if n := *x.server.Counter("command refused"); n > 0 {
		t.Errorf("%+v, stalls of %d 60ths: %d commands of an honest client are refused", c, stall, n)
	}
	lost := int(*x.client.Counter("press lost") + *x.server.Counter("press lost"))
	if got := int(x.onServer().Jumps); got+lost != presses || lost > 0 && stall/every < 10 {
		t.Errorf("%+v, %d steps a second, stalls of %d 60ths, a press in %d: %d of %d presses counted, %d said to be lost; %+v", c, hz, stall, every, got, presses, lost, x.server.CommandStats())
	}
}

// Of what an honest client sends nothing is refused, wherever the time was lost: in the middle of a step, or
// before steps that the server makes up for without having read its socket yet, or on the line.
func TestWhatComesAtOnceIsNotRefused(t *testing.T) {
	for _, stall := range []int{75, 90, 120, 180, 480, 570} { // 60ths of a second
		span := time.Duration(0) // in which what was held comes
		if stall > 256 {         // more are not run in one step
			span = 60 * time.Millisecond
		}
		for name, lose := range map[string]func(x *race, pass func(held, stands bool)){
			"in a step": func(x *race, pass func(held, stands bool)) {
				x.nudge = func() { x.nudge = nil; pass(false, true) }
				x.stepOf(x.server)
			},
			"before the socket is read": func(x *race, pass func(held, stands bool)) {
				pass(true, true)
				for range 30 {
					x.stepOf(x.server)
				}
			},
			"on the line": func(_ *race, pass func(held, stands bool)) { pass(true, false) },
		} {
			x := newRace(t, netsim.Conditions{})
			lose(x, func(held, stands bool) {
				for i := range stall {
					if held { // until all of it comes at once
						x.dialer.SetConditions(netsim.Conditions{Delay: time.Second*time.Duration(stall-i)/60 + span*time.Duration(i)/time.Duration(stall)}, netsim.Conditions{})
					}
					x.net.Advance(time.Second / 60)
					x.stepOf(x.client)
					if !stands {
						x.stepOf(x.server)
					}
				}
				x.dialer.SetConditions(netsim.Conditions{Delay: span}, netsim.Conditions{}) // nothing overtakes it
			})
			x.steps(120)
			if n := *x.server.Counter("command refused"); n > 0 {
				t.Errorf("%d 60ths of a second lost %s: %d commands are refused; %+v", stall, name, n, x.server.CommandStats())
			}
		}
	}
}

type longKeys struct {
	Jump  bool       `rpl:"edge"`
	Noise [14]uint32 `rpl:""`
}

// So do those beside which a command takes so many bytes that a message holds a dozen of them.
func TestPressesOfLongCommandsWhileTheServerStalls(t *testing.T) {
	const seed = 1
	t.Logf("seed %d", seed)
	for _, delay := range []time.Duration{0, 40 * time.Millisecond} {
		for _, stall := range []int{40, 70, 100} {
			p := tendon.NewProtocol("long")
			body := tendon.Replicate(p, "body", donburi.NewComponentType[runnerData]())
			push := tendon.NewCommand[longKeys](p, "push", body)
			rng, net := rand.New(rand.NewPCG(seed, 0)), mem.NewNetwork(seed, netsim.Conditions{Delay: delay})
			presses, playing := 0, false
			session := func(dedicated bool) *tendon.Replication {
				r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{Dedicated: dedicated})
				if err != nil {
					t.Fatal(err)
				}
				push.Sample(r, func(*donburi.Entry) (k longKeys) {
					for i := range k.Noise {
						k.Noise[i] = rng.Uint32()
					}
					if k.Jump = playing && rng.IntN(20) == 0; k.Jump {
						presses++
					}
					return k
				})
				push.Apply(r, func(c tendon.Call, k longKeys) {
					if k.Jump {
						body.Get(c.Entry).Jumps++
					}
				})
				return r
			}
			server, client := session(true), session(false)
			server.OnJoin(func(q rpl.Peer) { tendon.Give(server.Create(body), q) })
			l := net.Listener()
			server.Host(l)
			client.Join(net.Dialer(l))
			step := func(rs ...*tendon.Replication) {
				net.Advance(time.Second / 60)
				for _, r := range rs {
					r.Receive()
					push.Run(r)
					r.Send()
				}
			}
			for range 240 {
				step(server, client)
			}
			for range 3 {
				playing = true
				for range 60 {
					step(server, client)
				}
				for range stall {
					step(client)
				}
				playing = false
				for range 240 {
					step(server, client)
				}
			}
			if got := int(body.Get(body.MustFirst(server.World())).Jumps); got != presses {
				t.Errorf("%v, stalls of %d steps: %d of %d presses counted; %+v", delay, stall, got, presses, server.CommandStats())
			}
		}
	}
}

// A press that comes late counts with all that its own command says, whatever the tick says in which it runs,
// and in that tick alone; so do those that the client itself had to put off.
func TestALatePressSaysWhatItSaid(t *testing.T) {
	type slotKeys struct {
		Use  bool   `rpl:"edge"`
		Slot uint16 `rpl:""`
	}
	for seed, c := range []netsim.Conditions{{Delay: 50 * time.Millisecond}, {Delay: 75 * time.Millisecond, Jitter: 40 * time.Millisecond, Loss: 0.1}, {Delay: 50 * time.Millisecond, Loss: 0.1, Burst: 4}} {
		p := tendon.NewProtocol("slots")
		body := tendon.Replicate(p, "body", donburi.NewComponentType[runnerData]())
		act := tendon.NewCommand[slotKeys](p, "act", body)
		rng, net := rand.New(rand.NewPCG(uint64(seed), 0)), mem.NewNetwork(uint64(seed)+1, c)
		presses, held := uint16(0), 0
		did := map[uint16]int{}
		session := func(dedicated bool) *tendon.Replication {
			r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{Dedicated: dedicated})
			if err != nil {
				t.Fatal(err)
			}
			act.Sample(r, func(*donburi.Entry) slotKeys {
				if rng.IntN(25) > 0 {
					return slotKeys{}
				}
				presses++
				return slotKeys{true, presses}
			})
			act.Apply(r, func(c tendon.Call, k slotKeys) {
				if !tendon.IsAuthority(c.Entry) {
					return
				}
				switch {
				case k.Use && k.Slot != 0:
					did[k.Slot]++
				case k.Use:
					t.Errorf("seed %d: a press without its slot", seed)
				case k.Slot != 0:
					held++
				}
			})
			return r
		}
		server, client := session(true), session(false)
		server.OnJoin(func(q rpl.Peer) { tendon.Give(server.Create(body), q) })
		l := net.Listener()
		server.Host(l)
		client.Join(net.Dialer(l))
		for i := range 2400 {
			net.Advance(time.Second / 60)
			for _, r := range []*tendon.Replication{client, server} {
				if r == server && i%600 > 500 && i%600 < 560 {
					continue // it stands for a second
				}
				r.Receive()
				act.Run(r)
				r.Send()
			}
		}
		for slot, n := range did {
			if n > 1 {
				t.Errorf("seed %d: press %d counts %d times", seed, slot, n)
			}
		}
		late, missed := server.CommandStats().Late, server.CommandStats().Missed
		if held > missed+1 { // where a command is missing, or the client's lead grows, the one before stands for it, without its press
			t.Errorf("seed %d: a slot without its press in %d ticks, with %d commands missing", seed, held, missed)
		}
		if len(did) < int(presses)-8 || presses < 60 || late == 0 && c.Jitter == 0 && c.Burst > 0 {
			t.Errorf("seed %d: %d of %d presses counted, %d commands were late", seed, len(did), presses, late)
		}
	}
}
