package ecs_test

// Examples of policies: line of sight on a tile map, and factions with allies.

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

type pawnData struct {
	Pos  gmath.Vec `rpl:"step=1/32,interp,pos"`
	Name string    `rpl:"max=16"`
	side string    // on the server alone: the policy is asked there
}

var (
	pawns = tendon.NewProtocol("pawns")
	pawn  = tendon.Replicate(pawns, "pawn", donburi.NewComponentType[pawnData]())
)

// A tileMap is a policy of line of sight: what stands behind a wall is not sent.
type tileMap struct {
	rpl.Grid // how far one sees where nothing is in the way
	rows     []string
}

const tileSize = 10.0

// Sees goes along the line from the observer to the node, in steps of a quarter of a tile.
func (m *tileMap) Sees(v rpl.View) bool {
	steps := v.Distance / tileSize * 4
	for i := 1.0; i < steps; i++ {
		x, y := v.From[0]+(v.X-v.From[0])*i/steps, v.From[1]+(v.Y-v.From[1])*i/steps
		if m.isWall(math.Floor(x/tileSize), math.Floor(y/tileSize)) {
			return false
		}
	}
	return true
}

// isWall takes any tile: what moves may leave the map, where nothing is in the way.
func (m *tileMap) isWall(column, row float64) bool {
	if !(row >= 0 && row < float64(len(m.rows))) {
		return false
	}
	tiles := m.rows[int(row)]
	return column >= 0 && column < float64(len(tiles)) && tiles[int(column)] == '#'
}

// stage is a server and one client who sees from a pawn of its own.
func stage(in rpl.Interest, at gmath.Vec) (server, client *tendon.Replication, steps func(n int)) {
	network := mem.NewNetwork(1, netsim.Conditions{Delay: 20 * time.Millisecond})
	listener := network.Listener()
	server, err := tendon.New(donburi.NewWorld(), pawns, tendon.Config{Interest: in, Dedicated: true})
	if err == nil {
		client, err = tendon.New(donburi.NewWorld(), pawns, tendon.Config{})
	}
	if err != nil {
		panic(err)
	}
	server.OnJoin(func(p rpl.Peer) {
		e := server.Create(pawn, components.Observer)
		*pawn.Get(e) = pawnData{Name: "me", Pos: at}
		tendon.Give(e, p)
	})
	server.Host(listener)
	client.Join(network.Dialer(listener))
	return server, client, func(n int) {
		for range n {
			network.Advance(time.Second / 60)
			for _, r := range []*tendon.Replication{server, client} {
				r.Receive()
				r.Frame()
				r.Send()
			}
		}
	}
}

// sees prints which of some names a client has.
func sees(client *tendon.Replication, names ...string) {
	has := map[string]bool{}
	for e := range pawn.Iter(client.World()) {
		if _, here := client.Find(tendon.ID(e)); here {
			has[pawn.Get(e).Name] = true
		}
	}
	for i, name := range names {
		names[i] = fmt.Sprint(name, " ", has[name])
	}
	fmt.Println(strings.Join(names, ", "))
}

// Line of sight on a tile map: a guard behind a wall is not sent, and cannot be found in the
// client's memory, until the door between the two opens.
func Example_lineOfSight() {
	m := &tileMap{Grid: rpl.Grid{Enter: 200, Exit: 220}, rows: []string{
		"..........",
		".....#....",
		".....#....",
		".....#....",
		"..........",
	}}
	server, client, steps := stage(m, gmath.Vec{X: 25, Y: 25})
	for name, at := range map[string]gmath.Vec{"friend": {X: 35, Y: 35}, "guard": {X: 85, Y: 25}} {
		*pawn.Get(server.Create(pawn)) = pawnData{Name: name, Pos: at}
	}
	steps(90)
	sees(client, "friend", "guard")

	m.rows[2] = ".........." // the door opens; nobody has moved, so the policy must be asked again
	server.AskAgain(0, nil)
	steps(30)
	sees(client, "friend", "guard")

	m.rows[2] = ".....#...."
	server.AskAgain(0, nil)
	steps(90)
	sees(client, "friend", "guard")
	// Output:
	// friend true, guard false
	// friend true, guard true
	// friend true, guard false
}

// Factions is a policy by sides: one sees one's own side and its allies, where they are near.
type factions struct {
	rpl.Grid
	rep    *tendon.Replication
	sides  map[rpl.Peer]string // kept, because Sees is asked often
	allies map[[2]string]bool
}

func (f *factions) Sees(v rpl.View) bool {
	e, ok := f.rep.Find(v.Node)
	if !ok || !e.HasComponent(pawn) {
		return true
	}
	mine, its := f.sides[v.Viewer], pawn.Get(e).side
	return mine == its || f.allies[[2]string{mine, its}]
}

// Factions with allies: one sees one's own side and one's allies'; an alliance ends.
func Example_factions() {
	f := &factions{
		Grid: rpl.Grid{Enter: 200, Exit: 220}, sides: map[rpl.Peer]string{}, allies: map[[2]string]bool{{"north", "west"}: true},
	}
	server, client, steps := stage(f, gmath.Vec{X: 25, Y: 25})
	f.rep = server
	server.OnJoin(func(p rpl.Peer) { f.sides[p] = "north" })
	for _, side := range []string{"north", "west", "south"} {
		*pawn.Get(server.Create(pawn)) = pawnData{Name: side, side: side, Pos: gmath.Vec{X: 60, Y: 60}}
	}
	steps(90)
	sees(client, "north", "west", "south")

	delete(f.allies, [2]string{"north", "west"})
	f.allies[[2]string{"north", "south"}] = true
	server.AskAgain(0, nil)
	steps(90)
	sees(client, "north", "west", "south")
	// Output:
	// north true, west true, south false
	// north true, west false, south true
}
