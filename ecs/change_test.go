package ecs_test

// OnChange when other callbacks or references have changed the component since: which
// changes it reports, and which old value.

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// OnChange gives as old the value that the game saw last, and does not report a component
// that has this value again. Changes by other callbacks meanwhile belong to the same
// change.
func TestChangedByAnotherCallback(t *testing.T) {
	for _, c := range []struct {
		in, back uint8 // the values that the step and a callback set
		want     string
	}{
		{5, 6, "1 to 6"},
		{5, 1, ""},
		{1, 6, "1 to 6"},
	} {
		t.Run(fmt.Sprintf("%d, then %d", c.in, c.back), func(t *testing.T) {
			l := newLab(t, lan)
			m := l.machine("alone", tendon.Config{})
			old := m.Create(Paint, Plan).Entity()
			tendon.OnChange(m.Replication, Paint, func(e *donburi.Entry, old PaintData) {
				m.say("%d to %d", old.Colour, Paint.Get(e).Colour)
			})
			l.steps(3)
			check(t, "changes", strings.Join(m.said(), ", "), "")
			m.OnStreamIn(Paint, func(e *donburi.Entry) { Paint.Get(e).Colour = c.back })
			tendon.OnChange(m.Replication, Plan, func(e *donburi.Entry, _ PlanData) { Paint.Get(e).Colour = c.back })

			Paint.Get(m.Create(Paint)).Colour = c.in
			l.steps(3)
			check(t, "changes of what is new", strings.Join(m.said(), ", "), c.want)
			e := m.World().Entry(old)
			Paint.Get(e).Colour, Plan.Get(e).Raised = c.in, true
			l.steps(3)
			check(t, "changes of what was there", strings.Join(m.said(), ", "), c.want)
		})
	}
}

// OnChange does not run for a component that another callback has removed. A component that
// is added again begins with its default as the old value.
func TestComponentRemovedByAnotherCallback(t *testing.T) {
	l := newLab(t, lan)
	m := l.machine("alone", tendon.Config{})
	ent := m.Create(Paint, Plan).Entity()
	here := func() *donburi.Entry { return m.World().Entry(ent) }
	tendon.OnChange(m.Replication, Paint, func(e *donburi.Entry, old PaintData) {
		m.say("%d to %d", old.Colour, Paint.Get(e).Colour)
	})
	tendon.OnChange(m.Replication, Plan, func(e *donburi.Entry, _ PlanData) { carry(e, Paint, false, PaintData{}) })
	l.steps(3)
	Paint.Get(here()).Colour, Plan.Get(here()).Raised = 5, true
	l.steps(3)
	check(t, "changes of what was taken", strings.Join(m.said(), ", "), "")
	carry(here(), Paint, true, PaintData{Colour: 7})
	l.steps(3)
	Paint.Get(here()).Colour = 8
	l.steps(3)
	check(t, "changes of what came again", strings.Join(m.said(), ", "), "1 to 7, 7 to 8")
}

// On a client a reference, as a field and in a list, also changes when its node streams
// in or out there.
func TestReferencesChange(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	tendon.OnChange(client.Replication, Sack, func(e *donburi.Entry, _ SackData) {
		s := Sack.Get(e)
		client.say("%v and %v", client.World().Valid(s.Friend), client.World().Valid(s.Things[0].To))
	})
	friend := server.Create(Paint)
	ent := friend.Entity()
	components.RplNode.Get(friend).Relevance = rpl.OwnerOnly
	Sack.SetValue(server.Create(Sack), SackData{Friend: ent, Things: []ThingData{{To: ent}}})
	l.steps(30)
	check(t, "it refers to what is not here", strings.Join(client.said(), ", "), "false and false")
	for _, c := range []struct {
		seen rpl.Relevance
		want string
	}{{rpl.Always, "true and true"}, {rpl.OwnerOnly, "false and false"}} {
		components.RplNode.Get(server.World().Entry(ent)).Relevance = c.seen
		l.steps(30)
		check(t, "and when that comes or goes", strings.Join(client.said(), ", "), c.want)
	}
}

// The old references are those that OnChange reported last, as fields, in lists and in
// maps, also to nodes that have come or gone since, on clients and on the authority
// alike.
func TestOldReferences(t *testing.T) {
	for _, c := range []struct {
		name           string
		server, client int // changes
		turn           func(server *machine, to donburi.Entity)
	}{
		{"goes out of sight and comes again", 1, 3, func(s *machine, to donburi.Entity) {
			data := components.RplNode.Get(s.World().Entry(to))
			data.Relevance = rpl.OwnerOnly - data.Relevance
		}},
		{"is destroyed", 2, 2, func(s *machine, to donburi.Entity) {
			if s.World().Valid(to) {
				s.World().Remove(to)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t, lan)
			server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
			l.joined()
			to, kept, third := server.Create(Paint).Entity(), server.Create(Paint).Entity(), server.Create(Paint).Entity()
			tellOath(server)
			tellOath(client)
			Oath.SetValue(server.Create(Oath), oathData{To: to, All: []donburi.Entity{third, kept, to, to}, By: map[string]donburi.Entity{"a": to, "b": kept}})
			l.steps(30)
			for range 2 {
				c.turn(server, to)
				l.steps(30)
			}
			check(t, "changes that the server told", len(server.said()), c.server)
			check(t, "changes that the client told", len(client.said()), c.client)
		})
	}
}

// tellOath has a machine log each new value of an oath, and checks the old value.
func tellOath(m *machine) {
	last := fmt.Sprint(oathData{})
	tendon.OnChange(m.Replication, Oath, func(e *donburi.Entry, old oathData) {
		check(m.lab, m.name+", old", fmt.Sprint(old), last)
		last = fmt.Sprint(*Oath.Get(e))
		m.say("%s", last)
	})
}

var Oath = tendon.Replicate(proto, "oath", donburi.NewComponentType[oathData]())

type oathData struct {
	To  donburi.Entity            `rpl:"notify"`
	All []donburi.Entity          `rpl:"max=4"`
	By  map[string]donburi.Entity `rpl:"max=4,each=4"`
}

// A hold keeps replicated state behind a pointer, in a map and in a big.Int.
type (
	holdData struct {
		tank  *tankData
		cargo map[uint8]uint8
		total big.Int
	}
	tankData struct{ fuel uint8 }
	holdWire struct {
		Fuel  uint8   `rpl:"notify"`
		Cargo []uint8 `rpl:"max=8,notify"`
		Total big.Int `rpl:"notify"`
	}
	PurseData struct {
		Money big.Int `rpl:"notify"`
		By    uint8   `rpl:""`
	}
)

func init() {
	rpl.Register(proto.Schema(), rpl.Codec[big.Int, string]{
		Name:    "big",
		Extract: func(v *big.Int) string { return string(v.Bytes()) },
		Inject:  func(v *big.Int, s string) { v.SetBytes([]byte(s)) }, // in place, where there is room
	})
}

func getHold(_ *donburi.Entry, c *holdData) (w holdWire) {
	if c.tank != nil {
		w.Fuel = c.tank.fuel
	}
	for k := range uint8(8) {
		if n, ok := c.cargo[k]; ok {
			w.Cargo = append(w.Cargo, k, n)
		}
	}
	w.Total.Set(&c.total)
	return w
}

func setHold(_ *donburi.Entry, c *holdData, w holdWire) {
	c.tank, c.cargo, c.total = &tankData{w.Fuel}, map[uint8]uint8{}, w.Total
	for i := 0; i+1 < len(w.Cargo); i += 2 {
		c.cargo[w.Cargo[i]] = w.Cargo[i+1]
	}
}

// setHoldInPlace is a set function as it must not be: it writes behind the pointer.
func setHoldInPlace(e *donburi.Entry, c *holdData, w holdWire) {
	if c.tank == nil {
		setHold(e, c, w)
		return
	}
	c.tank.fuel = w.Fuel
	clear(c.cargo)
	for i := 0; i+1 < len(w.Cargo); i += 2 {
		c.cargo[w.Cargo[i]] = w.Cargo[i+1]
	}
	c.total.Set(&w.Total)
}

var (
	Hold      = tendon.ReplicateAs(proto, "hold", donburi.NewComponentType[holdData](), getHold, setHold)
	BluntHold = tendon.ReplicateAs(proto, "blunt hold", donburi.NewComponentType[holdData](), getHold, setHoldInPlace)
	Purse     = tendon.Replicate(proto, "purse", donburi.NewComponentType[PurseData]())
)

func (h *holdData) String() string {
	w := getHold(nil, h)
	return fmt.Sprintf("%d %v %v", w.Fuel, w.Cargo, &w.Total)
}

// The old value is the former one on every machine, also behind pointers, in maps, and in
// values that a codec writes in place.
func TestOldBehindPointers(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	for _, m := range []*machine{server, client} {
		for _, c := range []*donburi.ComponentType[holdData]{Hold, BluntHold} {
			tendon.OnChange(m.Replication, c, func(e *donburi.Entry, old holdData) {
				if now := c.Get(e); c == Hold {
					m.say("%v to %v", &old, now)
				} else {
					m.say("%v", now)
				}
			})
		}
		tendon.OnChange(m.Replication, Purse, func(e *donburi.Entry, old PurseData) {
			m.say("%v to %v", &old.Money, &Purse.Get(e).Money)
		})
	}
	e := server.Create(Hold, BluntHold, Purse)
	for _, c := range []*donburi.ComponentType[holdData]{Hold, BluntHold} {
		c.SetValue(e, holdData{tank: &tankData{100}, cargo: map[uint8]uint8{1: 1}})
		c.Get(e).total.SetUint64(1 << 60)
	}
	Purse.Get(e).Money.SetUint64(7)
	both := func(want string) {
		t.Helper()
		l.steps(20)
		for _, m := range []*machine{server, client} {
			got := m.said()
			slices.Sort(got)
			check(t, m.name, strings.Join(got, "; "), want)
		}
	}
	both("0 [] 0 to 100 [1 1] 1152921504606846976; 0 to 7; 100 [1 1] 1152921504606846976")
	both("")
	for _, c := range []*donburi.ComponentType[holdData]{Hold, BluntHold} {
		h := c.Get(e)
		h.tank.fuel, h.cargo[2] = 50, 3
		h.total.Add(&h.total, big.NewInt(1)) // in place
	}
	money := &Purse.Get(e).Money
	money.Add(money, big.NewInt(5))
	both("100 [1 1] 1152921504606846976 to 50 [1 1 2 3] 1152921504606846977; 50 [1 1 2 3] 1152921504606846977; 7 to 12")
	check(t, "what the authority has", BluntHold.Get(e).String(), "50 [1 1 2 3] 1152921504606846977")
	check(t, "told of who writes in place", *server.Counter("set not pure") > 0, true)
	both("")
}

// A step in which fields with an OnChange have changed allocates nothing.
func TestOnChangeAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	l := newLab(t, lan)
	m := l.machine("alone", tendon.Config{})
	told := 0
	tendon.OnChange(m.Replication, Paint, func(_ *donburi.Entry, old PaintData) { told += int(old.Colour) })
	id := tendon.ID(m.Create(Paint))
	step := func() {
		m.Receive()
		Paint.Get(m.find(id)).Colour++
		m.Send()
	}
	for range 300 {
		step()
	}
	was := told
	check(t, "allocations", testing.AllocsPerRun(100, step), 0)
	check(t, "told", told > was, true)
}

// When one OnChange removes its entity, the others for that change do not run: neither on
// what is gone, nor on what has taken its place in the world.
func TestRemovedByAnotherOnChange(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{})
	l.steps(1)
	tendon.OnChange(server.Replication, Paint, func(e *donburi.Entry, _ PaintData) {
		server.say("first %d", Paint.Get(e).Colour)
		if Paint.Get(e).Colour == 5 {
			e.Remove()
			server.Create(Paint)
		}
	})
	tendon.OnChange(server.Replication, Paint, func(e *donburi.Entry, _ PaintData) { server.say("second %d", Paint.Get(e).Colour) })
	for colour := range uint8(2) {
		Paint.Get(server.Create(Paint)).Colour = 4 + colour
		l.steps(1)
	}
	server.heard("first 4, second 4, first 5")
}

// What a load-time node was built with is no change, on any machine.
func TestNamedIsBuiltWithoutAChange(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	for _, m := range l.machines {
		tendon.OnChange(m.Replication, Paint, func(e *donburi.Entry, old PaintData) {
			m.say("%q from %d to %d", old.Name, old.Colour, Paint.Get(e).Colour)
		})
		m.doors("gate")
	}
	l.joined()
	server.heard("")
	client.heard("")
	gate, _ := Paint.First(server.World())
	Paint.Get(gate).Colour = 9
	l.steps(20)
	server.heard(`"gate" from 1 to 9`)
	client.heard(`"gate" from 1 to 9`)
}
