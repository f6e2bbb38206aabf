package bots

import (
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/demo/island"
	tendon "github.com/tendonengine/tendon/ecs"
)

// Each bot walks, shoots, drives, and gets farther from its start than the exit radius
// of nodes. Single player has no network, so each seed always plays the same game.
func TestBotsDoEverything(t *testing.T) {
	for seed := range int64(8) {
		rep, err := tendon.New(donburi.NewWorld(), island.Protocol, island.Config(nil))
		if err != nil {
			t.Fatal(err)
		}
		game := island.Setup(rep, seed)
		game.Sample = New(game, seed).Sample
		var begin gmath.Vec
		var farthest float64
		shots, driven := 0, 0
		rep.OnStreamIn(island.Flight, func(*donburi.Entry) { shots++ })
		done := func() bool { return shots > 0 && driven > 0 && farthest >= island.Exit }
		for i := 0; i < 40*island.Steps && !done(); i++ {
			rep.Receive()
			game.Step(rep)
			rep.Send()
			me, ok := tendon.Mine(rep, island.Walker)
			if !ok {
				continue
			}
			at := island.Where(me).Pos
			if begin.IsZero() {
				begin = at
			}
			farthest = max(farthest, at.DistanceTo(begin))
			if _, driving := island.ParentOf(me); driving {
				driven++
			}
		}
		if !done() {
			t.Errorf("seed %d: %d shots, %d steps at the wheel, %.0f units away; want some of each and more than %.0f units", seed, shots, driven, farthest, island.Exit)
		}
	}
}
