package ecs_test

import (
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// What a predicted node refers to comes and goes: its references follow, OnChange tells of it, the
// rest of its component stays as predicted, and nothing of it is a correction.
func TestPredictedRefersToWhatComesAndGoes(t *testing.T) {
	type hunterData struct {
		X    float64          `rpl:"step=1/32"`
		Prey donburi.Entity   `rpl:"notify"`
		Pack []donburi.Entity `rpl:"max=3"`
	}
	p := tendon.NewProtocol("hunters")
	hunter := tendon.Replicate(p, "hunter", donburi.NewComponentType[hunterData]())
	prey := tendon.Replicate(p, "prey", donburi.NewComponentType[struct {
		N int32 `rpl:""`
	}]())
	walk := tendon.NewCommand[int8](p, "walk", hunter)
	server, client, steps := pairOfKnights(t, p, walk, netsim.Conditions{Delay: 60 * time.Millisecond}, tendon.Config{}, func(c tendon.Call, by int8) {
		hunter.Get(c.Entry).X += float64(by) / 8
	})
	server.OnJoin(func(q rpl.Peer) { tendon.Give(server.Create(hunter), q) })
	corrections, changes := 0, 0
	client.OnCorrection(func(c tendon.Correction) { corrections++ })
	tendon.OnChange(client, hunter, func(*donburi.Entry, hunterData) { changes++ })
	steps(240)
	mine, ok := tendon.Mine(client, hunter)
	if !ok {
		t.Fatal("the client has no hunter")
	}
	e, _ := server.Find(tendon.ID(mine))
	quarry := server.Create(prey)
	walkOn := func(what string, here bool) {
		t.Helper()
		x := hunter.Get(mine).X
		changes = 0
		for range 60 {
			steps(1)
			if x += 1. / 8; hunter.Get(mine).X != x {
				t.Fatalf("%s: the hunter is at %v, not %v", what, hunter.Get(mine).X, x)
			}
		}
		d := hunter.Get(mine)
		there := donburi.Null
		if found, ok := client.Find(tendon.ID(quarry)); ok && here {
			there = found.Entity()
		}
		if d.Prey != there || len(d.Pack) > 1 && d.Pack[1] != there || here && there == donburi.Null {
			t.Errorf("%s: the hunter refers to %v and %v, not %v", what, d.Prey, d.Pack, there)
		}
		if changes != 1 {
			t.Errorf("%s: OnChange ran %d times", what, changes)
		}
	}
	hunter.Get(e).Prey, hunter.Get(e).Pack = quarry.Entity(), []donburi.Entity{e.Entity(), quarry.Entity()}
	walkOn("it comes", true)
	corrections = 0
	for range 3 {
		tendon.Hide(quarry, client.Me())
		walkOn("it is hidden", false)
		tendon.Show(quarry, client.Me())
		walkOn("it is shown", true)
	}
	tendon.Remove(quarry, 0)
	walkOn("it goes", false)
	if corrections != 0 {
		t.Errorf("%d corrections", corrections)
	}
}
