package island

import (
	"fmt"
	"unicode/utf8"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// ScoreData is what everyone knows of a player, at any distance.
type ScoreData struct {
	Name   string `rpl:"max=16"`
	Colour uint8  `rpl:"max=7"`
	Points uint16 `rpl:"max=65535"`
	// Tally counts what the points came from, by name.
	Tally map[string]uint16 `rpl:"max=8,each=12"`
}

// Score and its prefab: a row of the score board.
var (
	Score       = tendon.Replicate(Protocol, "score", donburi.NewComponentType[ScoreData]())
	ScorePrefab = tendon.NewPrefab(Protocol, "score", newScore, components.NodeData{Relevance: rpl.Always})
)

func newScore(w donburi.World, _ tendon.None) *donburi.Entry { return w.Entry(w.Create(Score)) }

// join gives a new peer its row, its walker and its controller.
func (g *Game) join(p rpl.Peer) {
	w := g.rep.World()
	colour := colourOf(p)
	score := ScorePrefab.Spawn(w, tendon.None{})
	*Score.Get(score) = ScoreData{Name: g.Name(p), Colour: colour}
	walker := WalkerPrefab.Spawn(w, tendon.None{})
	*Walker.Get(walker) = WalkerData{Colour: colour, Health: FullHealth, Ammo: maxAmmo, player: score.Entity()}
	Place.Get(walker).Pos = g.standUp()
	g.pin(walker, colour)
	ctl := ControllerPrefab.Spawn(w, tendon.None{})
	Controller.Get(ctl).walker = walker.Entity()
	for _, e := range []*donburi.Entry{score, walker, ctl} {
		tendon.Give(e, p)
	}
}

// Name returns the name that the peer gave itself, on the authority: what can be printed of
// it, cut to maxName, or its number. The name comes from the network: in a terminal its
// bytes could move the cursor, and forge lines.
func (g *Game) Name(p rpl.Peer) string {
	name := printable(string(g.rep.Hello(p)))
	if name == "" {
		return fmt.Sprintf("Player %d", p)
	}
	for len(name) > maxName {
		_, last := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-last]
	}
	return name
}

// reward gives the player of a walker points for something, if both are still there and
// the round is not over.
func (g *Game) reward(walker donburi.Entity, points uint16, what string) {
	s := g.scoreOf(walker)
	if s == nil || g.over() {
		return
	}
	s.Points += points
	if s.Tally == nil {
		s.Tally = map[string]uint16{}
	}
	s.Tally[what]++
}

// scoreOf returns the score of a walker's player, nil if either is gone.
func (g *Game) scoreOf(walker donburi.Entity) *ScoreData {
	w := g.rep.World()
	if !w.Valid(walker) || !w.Entry(walker).HasComponent(Walker) {
		return nil
	}
	player := Walker.Get(w.Entry(walker)).player
	if !w.Valid(player) {
		return nil
	}
	return Score.Get(w.Entry(player))
}

// fine takes points from a player, down to 0.
func (g *Game) fine(player donburi.Entity, points uint16) {
	if w := g.rep.World(); w.Valid(player) && !g.over() {
		s := Score.Get(w.Entry(player))
		s.Points -= min(s.Points, points)
	}
}
