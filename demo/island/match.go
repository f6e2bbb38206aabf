package island

import (
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// MatchData is the state of the round.
type MatchData struct {
	Left   uint8  `rpl:"max=200"` // seconds
	Over   bool   `rpl:""`        // the pause between two rounds
	Winner string `rpl:"max=16"`
	Best   uint16 `rpl:""` // the winner's points

	steps int // until the next second
}

// Match is on one node, which everyone has.
var (
	Match       = tendon.Replicate(Protocol, "match", donburi.NewComponentType[MatchData]())
	MatchPrefab = tendon.NewPrefab(Protocol, "match", newMatch, components.NodeData{Relevance: rpl.Always})
)

func newMatch(w donburi.World, _ tendon.None) *donburi.Entry {
	e := w.Entry(w.Create(Match))
	*Match.Get(e) = MatchData{Left: roundSeconds, steps: Steps}
	return e
}

// keepTime counts the round down and starts the next one.
func (g *Game) keepTime() {
	e, ok := Match.First(g.rep.World())
	if !ok {
		return
	}
	m := Match.Get(e)
	if m.steps--; m.steps > 0 {
		return
	}
	m.steps = Steps
	if m.Left--; m.Left > 0 {
		return
	}
	if m.Over {
		*m = MatchData{Left: roundSeconds, steps: Steps}
		for _, e := range g.collect(Score) {
			s := Score.Get(e)
			s.Points, s.Tally = 0, nil
		}
		return
	}
	m.Over, m.Left = true, pauseSeconds
	for _, e := range g.collect(Score) {
		if s := Score.Get(e); m.Winner == "" || s.Points > m.Best {
			m.Winner, m.Best = s.Name, s.Points
		}
	}
}

// over reports whether the round is over, so that points do not count.
func (g *Game) over() bool {
	e, ok := Match.First(g.rep.World())
	return ok && Match.Get(e).Over
}
