package island

import (
	"iter"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// MarkerData is a player on the map: a small node beside the walker, which is far away and
// not sent. A machine has the markers of its team while its map is open, and no others.
type MarkerData struct {
	Pos    gmath.Vec `rpl:"step=8,min=0,max=4096,interp"` // coarse: a map is small
	Colour uint8     `rpl:"max=7"`

	walker donburi.Entity // on the authority
}

// teams is how many teams there are; a player's is told by its colour.
const teams = 2

// Marker, its prefab, and the groups of who looks at each team's map.
var (
	Marker       = tendon.Replicate(Protocol, "marker", donburi.NewComponentType[MarkerData]())
	MarkerPrefab = tendon.NewPrefab(Protocol, "marker", func(w donburi.World, _ tendon.None) *donburi.Entry {
		return w.Entry(w.Create(Marker))
	}, components.NodeData{Relevance: rpl.Grouped, Hz: 5})
	maps = [teams]*tendon.Group{tendon.NewGroup(Protocol, "red map"), tendon.NewGroup(Protocol, "blue map")}
)

// teamOf returns a peer's team.
func teamOf(p rpl.Peer) int { return int(colourOf(p)) % teams }

func colourOf(p rpl.Peer) uint8 { return uint8((p - 1) % colourChoice) }

// allowMaps lets each peer look at the map of its own team.
func (g *Game) allowMaps() {
	for team, m := range maps {
		m.Allow(g.rep, func(p rpl.Peer) bool { return teamOf(p) == team })
	}
}

// pin puts a new player on its team's map, on the authority.
func (g *Game) pin(walker *donburi.Entry, colour uint8) {
	e := MarkerPrefab.Spawn(g.rep.World(), tendon.None{})
	*Marker.Get(e) = MarkerData{Colour: colour, walker: walker.Entity(), Pos: Where(walker).Pos}
	maps[colour%teams].Add(e)
}

// follow moves the markers that somebody has on a map, and takes those of players who have
// left away.
func (g *Game) follow() {
	w := g.rep.World()
	for _, e := range g.collect(Marker) {
		switch m := Marker.Get(e); {
		case !w.Valid(m.walker):
			e.Remove()
		case tendon.Watched(e): // nobody's map is open: nobody needs to know where that player is
			m.Pos = Where(w.Entry(m.walker)).Pos
		}
	}
}

// OpenMap asks for the markers of this machine's team, or does without them again. Before this
// machine has joined, its team is not known: it asks then.
func (g *Game) OpenMap(open bool) { g.chart.open = open }

// A chart is what this machine's player wants to see of the map, and what was asked for.
type chart struct {
	open, asked bool
	by          rpl.Peer
}

// askForMap asks for what the player wants.
func (g *Game) askForMap() {
	c, me := &g.chart, g.rep.Me()
	if me == 0 || c.open == c.asked && (me == c.by || !c.open) {
		return
	}
	c.asked, c.by = c.open, me
	maps[teamOf(me)].Ask(g.rep, c.open)
}

// Mates are the players of this machine's team whose markers it has, as they are drawn in
// this frame.
func (g *Game) Mates() iter.Seq[MarkerData] {
	return func(yield func(MarkerData) bool) {
		for e := range Marker.Iter(g.rep.World()) {
			if m := tendon.View(e, Marker); int(m.Colour)%teams == teamOf(g.rep.Me()) && !yield(m) {
				return
			}
		}
	}
}
