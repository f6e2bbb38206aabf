package tendontest_test

// What a Lab promises of its machines and of its time.

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/netsim"
)

type coinData struct {
	N int `rpl:""`
}

// coins makes a lab of a game without rules.
func coins(t *testing.T, c netsim.Conditions, setup func(m *tendontest.Machine), configure func(string, *tendon.Config)) (*tendontest.Lab, *donburi.ComponentType[coinData]) {
	p := tendon.NewProtocol("coins")
	coin := tendon.Replicate(p, "coin", donburi.NewComponentType[coinData]())
	return tendontest.NewLab(t, tendontest.Game{Protocol: p, Setup: setup, Configure: configure, Step: func(*tendontest.Machine) {}}, c), coin
}

// When Join returns, the server has let the client in: OnJoin has run, and what it is given
// right then is its own.
func TestJoinIsWhole(t *testing.T) {
	var in []rpl.Peer
	lab, coin := coins(t, netsim.Conditions{Delay: 100 * time.Millisecond}, func(m *tendontest.Machine) {
		m.OnJoin(func(p rpl.Peer) { in = append(in, p) })
	}, nil)
	server := lab.Host()
	for range 2 {
		client := lab.Join()
		if n := len(in); n == 0 || in[n-1] != client.Me() {
			t.Errorf("OnJoin has run for %v when %s has joined, not for peer %d", in, client.Name, client.Me())
		}
		e := server.Create(coin)
		tendon.Give(e, client.Me())
		lab.Steps(60)
		if tendon.Owner(e) != client.Me() {
			t.Errorf("peer %d owns what %s was given", tendon.Owner(e), client.Name)
		}
	}
}

// TryJoin returns why a client was refused, and those who are let in as Join does.
func TestTryJoin(t *testing.T) {
	lab, _ := coins(t, netsim.Conditions{Delay: 50 * time.Millisecond}, nil, func(machine string, c *tendon.Config) {
		c.Hello = []byte(machine)
		c.Admit = func(hello []byte, _ transport.Identity) error {
			if string(hello) == "client 1" {
				return errors.New("banned until Monday")
			}
			return nil
		}
	})
	lab.Host()
	if m, err := lab.TryJoin(); !errors.Is(err, transport.ErrNotAdmitted) || !strings.Contains(err.Error(), "until Monday") || m.Mode() == tendon.Client {
		t.Errorf("%s is in mode %v, with %v", m.Name, m.Mode(), err)
	}
	if m, err := lab.TryJoin(); err != nil || m.Me() == 0 {
		t.Errorf("%s is peer %d, with %v", m.Name, m.Me(), err)
	}
}

// A lab's time is that of its machines, wherever the steps a second are set: the same line is as
// many steps long as it takes.
func TestTimeOfConfigure(t *testing.T) {
	for _, steps := range []int{30, 120} {
		lab, coin := coins(t, netsim.Conditions{Delay: 200 * time.Millisecond}, nil, func(_ string, c *tendon.Config) {
			c.Steps, c.Sends = steps, 30
		})
		server := lab.Host()
		client := lab.Join()
		lab.Steps(steps)
		e := server.Create(coin)
		late := 0
		for ; late < 2*steps; late++ {
			if lab.Steps(1); tendon.ID(e) != 0 {
				if _, here := client.Find(tendon.ID(e)); here {
					break
				}
			}
		}
		if least, most := steps/5, steps/5+steps/10; late < least || late > most {
			t.Errorf("at %d steps a second a line of 200 ms takes %d steps, not %d to %d", steps, late, least, most)
		}
	}
}

// A reference that the server alone writes, and that no rule asks, is no fault when what it names goes.
func TestCheckStepIsSilentOnWhatGoes(t *testing.T) {
	type heroData struct {
		X   float64        `rpl:"step=1/32"`
		Aim donburi.Entity `rpl:""`
	}
	p := tendon.NewProtocol("aims")
	hero := tendon.Replicate(p, "hero", donburi.NewComponentType[heroData]())
	beast := tendon.Replicate(p, "beast", donburi.NewComponentType[struct {
		N int32 `rpl:""`
	}]())
	walk := tendon.NewCommand[int8](p, "walk", hero)
	tendontest.CheckStep(t, tendontest.Game{
		Protocol: p,
		Setup: func(m *tendontest.Machine) {
			m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(hero), q) })
			walk.Sample(m.Replication, func(*donburi.Entry) int8 { return int8(m.Rand.IntN(3)) })
			walk.Apply(m.Replication, func(c tendon.Call, by int8) { hero.Get(c.Entry).X += float64(by) })
		},
		Step: func(m *tendontest.Machine) {
			walk.Run(m.Replication)
			if !m.IsAuthority() {
				return
			}
			switch m.Tick() % 40 {
			case 5:
				b := m.Create(beast).Entity()
				for e := range hero.Iter(m.World()) {
					hero.Get(e).Aim = b
				}
			case 30:
				if e, ok := beast.First(m.World()); ok {
					e.Remove()
				}
			}
		},
	}, 300)
}

// A game that fills its levels in OnWorld has the first one, too, in a Lab.
func TestLabFillsTheFirstLevel(t *testing.T) {
	p := tendon.NewProtocol("levels")
	door := tendon.Replicate(p, "door", donburi.NewComponentType[struct {
		Open bool `rpl:""`
	}]())
	l := tendontest.NewLab(t, tendontest.Game{
		Protocol: p,
		Setup: func(m *tendontest.Machine) {
			m.OnWorld(func(w donburi.World, _ string) { tendon.Named(w.Entry(w.Create(door)), "door") })
		},
		Step: func(*tendontest.Machine) {},
	}, netsim.Conditions{})
	l.Host()
	l.Join()
	l.Steps(10)
	for _, m := range l.Machines {
		if n := donburi.NewQuery(filter.Contains(door)).Count(m.World()); n != 1 {
			t.Errorf("%s has %d doors", m.Name, n)
		}
	}
}

type (
	bagSlot struct {
		Item uint8 `rpl:""`
		N    uint8 `rpl:""`
	}
	satchelData struct {
		Slots [4]bagSlot `rpl:""`
		List  []bagSlot  `rpl:"max=4"`
		In    struct {
			Slots [2]bagSlot `rpl:""`
		} `rpl:""`
		Sum uint8 `rpl:""`
	}
	bagPress struct {
		Which uint8 `rpl:"max=7"`
	}
)

// An array or a list of structs whose fields travel is no local state, also inside a struct.
func TestCheckStepIsSilentOnArraysOfStructs(t *testing.T) {
	p := tendon.NewProtocol("bag")
	bag := tendon.Replicate(p, "bag", donburi.NewComponentType[satchelData]())
	put := tendon.NewCommand[bagPress](p, "put", bag)
	tendontest.CheckStep(t, tendontest.Game{
		Protocol: p,
		Setup: func(m *tendontest.Machine) {
			m.OnJoin(func(p rpl.Peer) {
				e := m.Create(bag)
				bag.Get(e).List = make([]bagSlot, 4)
				tendon.Give(e, p)
			})
			put.Sample(m.Replication, func(*donburi.Entry) bagPress { return bagPress{uint8(m.Rand.IntN(8))} })
			put.Apply(m.Replication, func(c tendon.Call, k bagPress) {
				b := bag.Get(c.Entry)
				b.Slots[k.Which%4].N += k.Which
				b.List[k.Which%4].N += k.Which
				b.In.Slots[k.Which%2].Item ^= k.Which
				b.Sum = b.Slots[0].N + b.List[1].N + b.In.Slots[1].Item
			})
		},
		Step: func(m *tendontest.Machine) { put.Run(m.Replication) },
	}, 300)
}
