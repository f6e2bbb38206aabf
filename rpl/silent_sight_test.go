package rpl_test

// What goes out of sight for a peer of which nothing has come for long.

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/rpl"
)

// A peer of which nothing has come for long is let in nowhere. What is out of its sight it has no
// longer than half a second after it came, and not in the next send where its policy was asked anew: with
// a grid, with a policy and with any other rule, with one observer, with many and with none.
func TestSilentPeersLoseSight(t *testing.T) {
	const enter, stay, late = 40.0, 31, 8
	rapid.Check(t, func(t *rapid.T) {
		grid := rpl.Grid{Enter: enter, Exit: 1.1 * enter}
		sides := &factions{Grid: grid, ofPeer: map[rpl.Peer]int{}, ofNode: map[rpl.Node]int{}, allied: map[[2]int]bool{}}
		kind := rapid.IntRange(0, 2).Draw(t, "rule")
		s := newScape(t, []rpl.Interest{grid, sides, asked{grid}}[kind], rapid.IntRange(1, 40).Draw(t, "dots"), 1)
		sees := func(i int, exact bool) bool {
			for _, at := range s.from(0) {
				d := math.Hypot(s.dots[i].Pos.X-at[0], s.dots[i].Pos.Y-at[1])
				if d <= grid.Exit+1e-9 && (kind != 1 || !exact || sides.Sees(rpl.View{Viewer: s.peer(0), Node: s.nodes[i]})) {
					return true
				}
			}
			return false
		}
		eighths := func(n int) float64 { return float64(n) / 8 }
		place := rapid.Map(rapid.IntRange(0, 8*100), eighths)
		for i := range s.dots {
			s.dots[i].Pos = xy{place.Draw(t, "x"), place.Draw(t, "y")}
			sides.ofNode[s.nodes[i]] = i % 2
		}
		sides.allied[[2]int{0, 1}] = true
		s.at[0] = [2]float64{50, 50}
		s.more = map[int][][2]float64{}
		for range rapid.SampledFrom([]int{0, 0, 1, 3, 12}).Draw(t, "further observers") {
			s.more[0] = append(s.more[0], [2]float64{place.Draw(t, "dx") - 50, place.Draw(t, "dy") - 50})
		}
		for i := range 70 {
			if s.send(true); i == 5 {
				now := time.Duration(s.tick) * time.Second / 60
				s.a.Schedule(now)
				s.a.Encode(s.peer(0), now, &nobody{})
			}
		}
		had := map[[2]int]int{}
		for key, since := range s.since {
			had[key] = since
		}
		refused := map[int]int{} // since when the peer must not have a dot by its policy
		for range rapid.IntRange(1, 60).Draw(t, "ticks") {
			asked := false
			dot := rapid.IntRange(0, len(s.dots)-1).Draw(t, "dot")
			switch rapid.IntRange(0, 6).Draw(t, "op") {
			case 0:
				sides.allied[[2]int{0, 1}] = !sides.allied[[2]int{0, 1}]
				if asked = rapid.Bool().Draw(t, "asked"); asked {
					s.a.AskAgain(rapid.SampledFrom([]rpl.Peer{0, s.peer(0)}).Draw(t, "peer"), 0)
				}
			case 1:
				s.dots[dot].Pos = xy{place.Draw(t, "x"), place.Draw(t, "y")}
			case 2:
				s.dots[dot].Pos.X += place.Draw(t, "dx")/10 - 5
			case 3:
				s.at[0][0] += place.Draw(t, "dx")/10 - 5
			case 4:
				if rapid.IntRange(0, 5).Draw(t, "leaps") == 0 {
					s.at[0][0] += place.Draw(t, "dx")
				}
			}
			s.send(true)
			for i := range s.dots {
				since, has := s.since[[2]int{0, i}]
				if !has {
					continue
				}
				if was, ok := had[[2]int{0, i}]; !ok || was != since {
					t.Fatalf("tick %d: a silent peer is given dot %d", s.tick, i)
				}
				old := int(s.tick)-since > stay
				if !sees(i, false) && old {
					t.Fatalf("tick %d: a silent peer has dot %d, which is beyond its sight", s.tick, i)
				}
				switch {
				case sees(i, true):
					delete(refused, i)
				case refused[i] == 0:
					refused[i] = int(s.tick)
				}
				if since := refused[i]; since > 0 && (asked || old && int(s.tick)-since >= late) {
					t.Fatalf("tick %d: a silent peer has dot %d, which its policy has refused since tick %d", s.tick, i, since)
				}
			}
		}
		s.at[0] = [2]float64{-1e6, 0}
		s.more = nil
		for range stay {
			s.send(true)
		}
		for key := range s.since {
			t.Fatalf("in the end a silent peer that sees nothing has dot %d", key[1])
		}
	})
}
