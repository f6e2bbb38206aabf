package ecs_test

// What is its owner's alone, or all others', where a node changes hands and packets are lost.

import (
	"testing"
	"time"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// faceData is a card: what only its owner sees, what everyone but its owner sees, and what all see.
type faceData struct {
	Face uint32 `rpl:"to=owner"`
	Back uint32 `rpl:"to=others"`
	Turn uint32 `rpl:""`
	Lift uint8  `rpl:""` // changes between the turns, too
}

// sleeveData is a second component, which is put on and taken off.
type sleeveData struct {
	Mark uint32 `rpl:"to=owner"`
	Tint uint32 `rpl:"to=others"`
}

// A handover is a card that three clients and the server hand on under loss.
type handover struct {
	t       *testing.T
	seed    uint64
	lab     *tendontest.Lab
	server  *tendontest.Machine
	clients []*tendontest.Machine
	card    *donburi.ComponentType[faceData]
	sleeve  *donburi.ComponentType[sleeveData]
	e       *donburi.Entry
	table   *donburi.Entry      // a node below which the card may lie
	given   map[uint32]rpl.Peer // by face
	told    int                 // how often clients heard of another owner
	turn    uint32
}

// face is what the card shows in the present turn. Faces do not go up evenly: what does is drawn ahead.
func (h *handover) face() uint32 { return 1 + h.turn*h.turn*7919 }

// newHandover begins a handover of a card that all clients predict, or none.
func newHandover(t *testing.T, seed uint64, c netsim.Conditions, predicts bool) *handover {
	p := tendon.NewProtocol("faces")
	h := &handover{t: t, seed: seed, given: map[uint32]rpl.Peer{}}
	h.card = tendon.Replicate(p, "card", donburi.NewComponentType[faceData]())
	h.sleeve = tendon.Replicate(p, "sleeve", donburi.NewComponentType[sleeveData]())
	hold := tendon.NewCommand[tendon.None](p, "hold", h.card)
	h.lab = tendontest.NewLab(t, tendontest.Game{
		Protocol: p, Seed: seed,
		Configure: func(n string, c *tendon.Config) { c.Dedicated = n == "server" },
		Setup: func(m *tendontest.Machine) {
			hold.Apply(m.Replication, func(tendon.Call, tendon.None) {})
			m.OnStreamIn(h.card, func(e *donburi.Entry) { tendon.Predict(e, predicts) })
			m.OnOwner(h.card, func(e *donburi.Entry, _ rpl.Peer) {
				if !tendon.IsAuthority(e) {
					h.told++
					h.checkOf(m, e)
				}
			})
		},
		Step: func(m *tendontest.Machine) { hold.Run(m.Replication) },
	}, c)
	h.server = h.lab.Host()
	for range 3 {
		h.clients = append(h.clients, h.lab.Join())
	}
	h.e, h.table = h.server.Create(h.card), h.server.Create(h.card)
	components.RplNode.Get(h.e).Keep = true
	return h
}

// hand gives the card to one of the clients or to nobody, with a new face and a new back.
func (h *handover) hand() {
	h.turn++
	to := rpl.Peer(0)
	if k := h.server.Rand.IntN(len(h.clients) + 1); k > 0 {
		to = h.clients[k-1].Me()
	}
	h.given[h.face()] = to
	tendon.Give(h.e, to)
	is := h.card.Get(h.e)
	is.Face, is.Back, is.Turn = h.face(), h.face(), h.turn
	if h.e.HasComponent(h.sleeve) {
		h.sleeve.SetValue(h.e, sleeveData{h.face(), h.face()})
	}
}

// check has each client hold nothing that is not its own by the owner that it knows, and nothing that it
// was not to have at the time.
func (h *handover) check() {
	for _, m := range h.clients {
		for x := range h.card.Iter(m.World()) {
			h.checkOf(m, x)
		}
	}
}

// checkOf is check of a card on one machine.
func (h *handover) checkOf(m *tendontest.Machine, x *donburi.Entry) {
	for _, is := range []faceData{*h.card.Get(x), tendon.View(x, h.card), tendon.Confirmed(x, h.card)} {
		mine := tendon.Owner(x) == m.Me()
		mark, tint := uint32(0), uint32(0)
		if x.HasComponent(h.sleeve) {
			mark, tint = h.sleeve.Get(x).Mark, h.sleeve.Get(x).Tint
		}
		for _, v := range []uint32{is.Face, mark} {
			if v != 0 && (!mine || h.given[v] != m.Me()) {
				h.t.Errorf("seed %d, tick %d: %s has what is its owner's alone of face %d, of a card that is owned by %d there, in turn %d", h.seed, h.server.Tick(), m.Name, v, tendon.Owner(x), is.Turn)
			}
		}
		for _, v := range []uint32{is.Back, tint} {
			if v != 0 && (mine || h.given[v] == m.Me()) {
				h.t.Errorf("seed %d, tick %d: %s has what is the others' of face %d, of a card that is owned by %d there, in turn %d", h.seed, h.server.Tick(), m.Name, v, tendon.Owner(x), is.Turn)
			}
		}
	}
}

// What only the owner has goes with the ownership, in one step of each client, whatever packets are
// lost: who has handed a card on has no face of it, and who has got one has no back.
func TestFaceGoesWithTheOwner(t *testing.T) {
	for seed := range someRuns(uint64(8)) {
		h := newHandover(t, seed+1, netsim.Conditions{Delay: 50 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.08}, seed%2 == 1)
		for i := range 2000 {
			if i%47 == 0 {
				h.hand()
			}
			if i%5 == 0 {
				h.card.Get(h.e).Lift++
			}
			h.lab.Steps(1)
			h.check()
		}
		if h.told < 50 {
			t.Errorf("seed %d: clients heard %d times of another owner", seed+1, h.told)
		}
	}
}

// Where a client predicts a card, what is its owner's goes just as soon: also where the card gets another component
// in the step in which it is handed on, and before OnOwner tells of that.
func TestFaceGoesFromWhatIsPredicted(t *testing.T) {
	for wait := 1; wait < 13; wait++ {
		h := newHandover(t, uint64(wait), netsim.Conditions{Delay: 50 * time.Millisecond}, true)
		h.lab.Steps(60)
		h.turn, h.given[1+7919] = 1, h.clients[0].Me()
		h.card.Get(h.e).Face = h.face()
		tendon.Give(h.e, h.clients[0].Me())
		h.lab.Steps(1 + wait)
		h.wear()
		h.sleeve.Get(h.e).Tint = 0
		tendon.Give(h.e, 0)
		for range 30 {
			h.lab.Steps(1)
			h.check()
		}
		if h.told < 2 {
			t.Errorf("after %d steps: clients heard %d times of another owner", 1+wait, h.told)
		}
	}
}

// A card that goes just after it was handed on is told with its last state alone where packets are lost. Who has the
// face of it by that knows itself for the owner, and who takes itself for that has no back.
func TestFaceGoesWithTheLastOwner(t *testing.T) {
	for seed := range someRuns(uint64(12)) {
		h := newHandover(t, seed+1, netsim.Conditions{Delay: 50 * time.Millisecond, Loss: 0.1}, seed%3 == 2)
		ended := 0
		for _, m := range h.clients {
			m.OnStreamOut(h.card, func(e *donburi.Entry, _ bool) {
				ended++
				h.checkOf(m, e)
			})
		}
		for i := range 1500 {
			if h.server.Rand.IntN(12) == 0 {
				h.hand()
			}
			if h.server.Rand.IntN(40) == 0 {
				h.e.Remove()
				h.e = h.server.Create(h.card)
			}
			if i%5 == 0 {
				h.card.Get(h.e).Lift++
			}
			h.lab.Steps(1)
			h.check()
		}
		if ended < 50 {
			t.Errorf("seed %d: %d cards ended", seed+1, ended)
		}
	}
}

// An older packet that comes after a forget brings nothing back, and breaks nothing.
func TestPacketsThatComeAfterAForget(t *testing.T) {
	for seed := range uint64(3) {
		h := newHandover(t, seed+1, netsim.Conditions{Delay: 50 * time.Millisecond, Late: 0.1, LateBy: 150 * time.Millisecond}, seed == 1)
		for i := range 1500 {
			if h.server.Rand.IntN(8) == 0 {
				h.hand()
			}
			if i%3 == 0 {
				h.card.Get(h.e).Lift++
			}
			h.lab.Steps(1)
			h.check()
		}
		h.lab.Steps(300)
		h.lab.CheckEqual()
		h.exact()
	}
}

// However quickly a card is handed back and forth, and whatever else becomes of it meanwhile, in the end
// each client has of it exactly what it is to have.
func TestQuickHandoversLoseNoPart(t *testing.T) {
	for seed := range someRuns(uint64(8)) {
		r := netsim.Conditions{Delay: 50 * time.Millisecond, Jitter: time.Duration(seed%3) * 20 * time.Millisecond, Loss: 0.05 + 0.05*float64(seed%6)}
		h := newHandover(t, seed+1, r, seed%3 == 1)
		for range 4 {
			gap, much := 1+h.server.Rand.IntN(20), h.server.Rand.IntN(2) == 0
			for range 120 {
				switch k := h.server.Rand.IntN(12 * gap); {
				case k < 12:
					h.hand()
				case k < 18:
					h.card.Get(h.e).Lift++
				case k == 18 && much:
					h.move()
				case k == 19 && much:
					h.wear()
				case k < 23 && much:
					h.cover()
				}
				h.lab.Steps(1)
				h.check()
			}
			for _, m := range h.clients {
				tendon.ByRule(h.table, m.Me())
			}
			h.lab.Steps(300)
			h.lab.CheckEqual()
			h.exact()
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed+1)
		}
	}
}

// move lays the card below the table, or takes it away from there.
func (h *handover) move() {
	below := h.table
	if tendon.Parent(h.e) != nil {
		below = nil
	}
	if err := tendon.Attach(h.e, below); err != nil {
		h.t.Fatal(err)
	}
}

// cover takes the table, and what is below it, out of a client's sight, or shows it again.
func (h *handover) cover() {
	m := h.clients[h.server.Rand.IntN(len(h.clients))]
	if h.server.Rand.IntN(2) == 0 {
		tendon.Hide(h.table, m.Me())
	} else {
		tendon.ByRule(h.table, m.Me())
	}
}

// wear puts the sleeve on or takes it off.
func (h *handover) wear() {
	if h.e.HasComponent(h.sleeve) {
		h.e.RemoveComponent(h.sleeve)
	} else {
		donburi.Add(h.e, h.sleeve, &sleeveData{h.face(), h.face()})
	}
}

// exact has each client hold of the card what the server has, as far as it may see it, and zeros else.
func (h *handover) exact() {
	h.check()
	is := *h.card.Get(h.e)
	for _, m := range h.clients {
		want := is
		if mine := tendon.Owner(h.e) == m.Me(); mine {
			want.Back = 0
		} else {
			want.Face = 0
		}
		x := h.lab.Other(m, h.e)
		if got := *h.card.Get(x); got != want {
			h.t.Errorf("seed %d, tick %d: %s has %+v, not %+v", h.seed, h.server.Tick(), m.Name, got, want)
		}
		if x.HasComponent(h.sleeve) != h.e.HasComponent(h.sleeve) {
			h.t.Errorf("seed %d, tick %d: %s has the sleeve: %t", h.seed, h.server.Tick(), m.Name, x.HasComponent(h.sleeve))
		}
	}
}
