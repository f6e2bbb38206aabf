package ecs_test

// Lists and maps of elements that refer to nodes: on a client each reference is the node if
// it is here, else null, and local fields stay with their element.

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

var Crew = tendon.Replicate(proto, "crew", donburi.NewComponentType[crewData]())

type (
	crewData struct {
		N     uint8                       `rpl:""`
		Refs  []donburi.Entity            `rpl:"max=8"`
		Posts []postData                  `rpl:"max=8"`
		Map   map[int]postData            `rpl:"max=8"`
		Aide  rpl.Opt[donburi.Entity]     `rpl:""`
		Rows  map[string][]donburi.Entity `rpl:"max=4,each=4"`
	}
	postData struct {
		To    donburi.Entity `rpl:""`
		N     uint8          `rpl:""`
		local string
	}
)

// relevance streams a node in for clients (seen), or out.
func relevance(m *machine, ent donburi.Entity, seen bool) {
	d := components.RplNode.Get(m.World().Entry(ent))
	if d.Relevance = rpl.OwnerOnly; seen {
		d.Relevance = rpl.Always
	}
}

// A node streams out that lists refer to beside nulls and nodes that never streamed in.
func TestListsOfWhatGoesOutOfSight(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	e := server.Create(Crew)
	crew, id := e.Entity(), tendon.ID(e)
	a, h := server.Create(Paint).Entity(), server.Create(Paint).Entity()
	relevance(server, h, false)
	for _, refs := range [][]donburi.Entity{{h, 0, a, h}, {h, a, 0, h}, {a, 0, h}, {h, 0, a}, {h, a, 0, 0, h}, {0, h, a, h, 0, h}} {
		relevance(server, a, true)
		d := Crew.Get(server.World().Entry(crew))
		*d = crewData{Refs: refs, Map: map[int]postData{}}
		for i, ent := range refs {
			d.Posts, d.Map[i] = append(d.Posts, postData{To: ent}), postData{To: ent}
		}
		l.steps(30)
		got := Crew.Get(client.find(id))
		for i := range refs {
			if here := refs[i] == a; (got.Refs[i] != donburi.Null) != here || (got.Posts[i].To != donburi.Null) != here {
				t.Fatalf("%v: it refers to %v and %v", refs, got.Refs, got.Posts)
			}
			got.Posts[i].local = fmt.Sprint(i)
		}
		relevance(server, a, false)
		l.steps(60)
		got = Crew.Get(client.find(id))
		for i := range refs {
			if got.Refs[i] != donburi.Null || got.Map[i].To != donburi.Null || got.Posts[i] != (postData{local: fmt.Sprint(i)}) {
				t.Fatalf("%v: element %d is %v, %v and %v, with all out of sight", refs, i, got.Refs[i], got.Map[i], got.Posts[i])
			}
		}
	}
}

// Elements that refer to nodes out of sight keep their local fields when others are swapped
// and inserted.
func TestLocalsOfWhatIsOutOfSight(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	var hidden []donburi.Entity
	e := server.Create(Crew)
	crew, id := e.Entity(), tendon.ID(e)
	for i := range 4 {
		hidden = append(hidden, server.Create(Paint).Entity())
		relevance(server, hidden[i], false)
		Crew.Get(server.World().Entry(crew)).Posts = append(Crew.Get(server.World().Entry(crew)).Posts, postData{To: hidden[i]})
	}
	l.steps(30)
	for i := range hidden {
		Crew.Get(client.find(id)).Posts[i].local = string(rune('A' + i))
	}
	d := Crew.Get(server.World().Entry(crew))
	d.Posts[1], d.Posts[3] = d.Posts[3], d.Posts[1]
	d.Posts = slices.Insert(d.Posts, 0, postData{N: 1})
	l.steps(30)
	got := ""
	for _, p := range Crew.Get(client.find(id)).Posts {
		got += p.local + ","
	}
	check(t, "locals", got, ",A,D,C,B,")
}

// A crewGame is one crew that a server edits at random and a client receives.
type crewGame struct {
	*lab
	rng            *rand.Rand
	server, client *machine
	crew           donburi.Entity
	id             rpl.Node
	nodes          []donburi.Entity
	seen           []bool
	names          uint8
	edits          int          // how many edits since the last look
	was            []postData   // the server's posts at the last look
	keys           map[int]bool // the keys of its map at the last look
}

// Crews at random: nodes stream in and out and are removed, also the crew and its
// component.
func TestCrewsAtRandom(t *testing.T) {
	for seed := range someRuns(uint64(12)) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			l := newLab(t, lan)
			g := &crewGame{lab: l, rng: rand.New(rand.NewPCG(seed, 1)), server: l.server(tendon.Config{}), client: l.client(tendon.Config{})}
			l.joined()
			e := g.server.Create(Crew)
			g.crew, g.id = e.Entity(), tendon.ID(e)
			for range 4 {
				g.nodes, g.seen = append(g.nodes, g.server.Create(Paint).Entity()), append(g.seen, true)
			}
			g.anew()
			for range 60 {
				for range g.rng.IntN(4) {
					g.change()
					g.steps(g.rng.IntN(6))
				}
				if g.rng.IntN(2) == 0 {
					g.edit()
				}
				g.steps(30)
				g.look()
			}
		})
	}
}

func (g *crewGame) data() *crewData { return Crew.Get(g.server.World().Entry(g.crew)) }

func (g *crewGame) ref() donburi.Entity {
	if i := g.rng.IntN(5); i < len(g.nodes) {
		return g.nodes[i]
	}
	return donburi.Null
}

// post returns a post with a number of its own.
func (g *crewGame) post() postData {
	g.names++
	return postData{To: g.ref(), N: g.names, local: fmt.Sprint("post ", g.names)}
}

// anew fills a new component, of which the client has no local fields yet.
func (g *crewGame) anew() {
	*g.data() = crewData{Map: map[int]postData{}, Rows: map[string][]donburi.Entity{}}
	for range 3 {
		g.data().Posts = append(g.data().Posts, g.post())
	}
	g.was, g.keys, g.edits = nil, nil, 2
}

// change has a node that may be referred to, or the crew itself, come or go.
func (g *crewGame) change() {
	i := g.rng.IntN(len(g.nodes))
	switch g.rng.IntN(12) {
	case 0:
		g.server.World().Remove(g.nodes[i])
		for k := range g.was { // references to it become null
			if g.was[k].To == g.nodes[i] {
				g.was[k].To = donburi.Null
			}
		}
		g.nodes[i], g.seen[i] = g.server.Create(Paint).Entity(), true
		g.edits++
	case 1:
		g.data().N++ // the client injects the whole component again
	case 2:
		relevance(g.server, g.crew, false)
		g.steps(20)
		relevance(g.server, g.crew, true)
		g.was, g.keys, g.edits = nil, nil, 2
	case 3:
		e := g.server.World().Entry(g.crew)
		e.RemoveComponent(Crew)
		g.steps(g.rng.IntN(4))
		e = g.server.World().Entry(g.crew)
		e.AddComponent(Crew)
		g.anew()
		g.steps(2)
	default:
		g.seen[i] = !g.seen[i]
		relevance(g.server, g.nodes[i], g.seen[i])
	}
}

// edit makes one edit of the crew.
func (g *crewGame) edit() {
	g.edits++
	d := g.data()
	at := g.rng.IntN(len(d.Posts) + 1)
	switch op := g.rng.IntN(9); {
	case op == 0:
		if d.Refs = append(slices.Clone(d.Refs), g.ref()); len(d.Refs) > 6 {
			d.Refs = slices.Delete(d.Refs, 1, 4)
		}
	case op == 1:
		d.Aide = rpl.Some(g.ref())
	case op == 2:
		d.Rows["ab"[at%2:][:1]] = []donburi.Entity{g.ref(), g.ref()}
	case op == 3:
		k := g.rng.IntN(4)
		if _, ok := d.Map[k]; ok && at%2 == 0 {
			delete(d.Map, k)
		} else {
			d.Map[k] = g.post()
		}
	case op == 4 && len(d.Posts) < 8:
		d.Posts = slices.Insert(slices.Clone(d.Posts), at, g.post())
	case at == len(d.Posts):
		d.Aide.Clear()
	case op == 5 && len(d.Posts) > 1:
		d.Posts = slices.Delete(slices.Clone(d.Posts), at, at+1)
	case op == 6:
		d.Posts[at].To = g.ref()
	default:
		p := d.Posts[at]
		d.Posts = slices.Insert(slices.Delete(slices.Clone(d.Posts), at, at+1), g.rng.IntN(len(d.Posts)), p)
	}
}

// look compares the client's crew with the server's, and fills in its local fields.
func (g *crewGame) look() {
	g.Helper()
	d, c := g.data(), Crew.Get(g.client.find(g.id))
	check(g.T, "sizes", fmt.Sprint(len(c.Refs), len(c.Posts), len(c.Map), len(c.Rows), c.N), fmt.Sprint(len(d.Refs), len(d.Posts), len(d.Map), len(d.Rows), d.N))
	for i := range d.Refs {
		g.refers("Refs", d.Refs[i], c.Refs[i])
	}
	for k, row := range d.Rows {
		for i := range row {
			g.refers("Rows "+k, row[i], c.Rows[k][i])
		}
	}
	aide, has := d.Aide.Get()
	got, had := c.Aide.Get()
	check(g.T, "Aide is there", had, has)
	g.refers("Aide", aide, got)
	for i, want := range d.Posts {
		got := c.Posts[i]
		g.refers(fmt.Sprint("Posts ", i), want.To, got.To)
		k := slices.IndexFunc(g.was, func(p postData) bool { return p.N == want.N })
		switch {
		case g.edits > 1 && (k < 0 || g.was[k] != want):
		case k < 0:
			check(g.T, fmt.Sprint("the local of the new Posts ", i), got.local, "")
		default:
			check(g.T, fmt.Sprint("the local of Posts ", i), got.local, want.local)
		}
		c.Posts[i].local = want.local
	}
	keys := map[int]bool{}
	for k, want := range d.Map {
		got := c.Map[k]
		g.refers(fmt.Sprint("Map ", k), want.To, got.To)
		if g.keys[k] {
			check(g.T, fmt.Sprint("the local of Map ", k), got.local, fmt.Sprint("key ", k))
		} else if g.was != nil {
			check(g.T, fmt.Sprint("the local of the new Map ", k), got.local, "")
		}
		got.local = fmt.Sprint("key ", k)
		c.Map[k], keys[k] = got, true
	}
	g.was, g.keys, g.edits = slices.Clone(d.Posts), keys, 0
}

func (g *crewGame) refers(what string, to, got donburi.Entity) {
	g.Helper()
	want := donburi.Null
	if i := slices.Index(g.nodes, to); i >= 0 {
		if e, ok := g.client.Find(tendon.ID(g.server.World().Entry(to))); ok {
			want = e.Entity()
		}
		if g.seen[i] != (want != donburi.Null) {
			g.Fatalf("a node is here: %v", want != donburi.Null)
		}
	}
	if got != want {
		g.Fatalf("%s refers to %v, want %v", what, got, want)
	}
}
