package ecs_test

import (
	"testing"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A component may come and go as often as a game likes: a stun, a shield. So may two
// that take each other's places while nothing arrives.
func TestComponentsComeAndGo(t *testing.T) {
	l := newLab(t, netsim.Conditions{Delay: 20e6, Jitter: 20e6, Loss: 0.3})
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	e := server.Create(Body)
	id, ent := tendon.ID(e), e.Entity()
	stun := func(i int) {
		if e := server.World().Entry(ent); i%2 == 0 {
			donburi.Remove[PaintData](e, Paint)
			donburi.Add(e, Ammo, &AmmoData{Left: i})
		} else {
			donburi.Remove[AmmoData](e, Ammo)
			donburi.Add(e, Paint, &PaintData{Colour: uint8(i)})
		}
	}
	donburi.Add(e, Paint, &PaintData{})
	for i := range 300 {
		stun(i)
		l.steps(i % 7)
	}
	tendon.Give(server.World().Entry(ent), client.Me())
	for _, last := range []int{99, 100} {
		stun(last)
		l.steps(60)
		e := client.find(id)
		check(t, "has one", e.HasComponent(Paint), last%2 == 1)
		check(t, "has the other", e.HasComponent(Ammo), last%2 == 0)
		if last%2 == 1 {
			check(t, "it is", Paint.Get(e).Colour, uint8(last))
		} else {
			check(t, "it is", Ammo.Get(e).Left, last)
		}
	}
	check(t, "items not added", *server.Counter("item not added"), 0)
}
