package ecs_test

// Questions about space, against plain lists.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"
	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

type (
	stoneData struct {
		Pos gmath.Vec `rpl:"step=1/64,pos,explicit"`
	}
	birdData struct {
		Pos gmath.Vec `rpl:"step=1/64,pos"`
	}
)

// A land is a small game with places of three kinds: bumped, compared, and relative.
type land struct {
	net     *mem.Network
	stone   *donburi.ComponentType[stoneData]
	bird    *donburi.ComponentType[birdData]
	place   *donburi.ComponentType[components.TransformData]
	painted donburi.IComponentType
	server  *tendon.Replication
	client  *tendon.Replication
	all     []donburi.Entity // on the server
}

func newLand(t interface{ Fatal(...any) }, joined bool) *land {
	p := tendon.NewProtocol("land")
	l := &land{net: mem.NewNetwork(1, netsim.Conditions{Delay: 20 * time.Millisecond})}
	l.stone = tendon.Replicate(p, "stone", donburi.NewComponentType[stoneData]())
	l.bird = tendon.Replicate(p, "bird", donburi.NewComponentType[birdData]())
	l.place = tendon.Replicate(p, "place", components.Transform)
	l.painted = tendon.Replicate(p, "paint", donburi.NewComponentType[struct {
		C uint8 `rpl:""`
	}]())
	session := func() *tendon.Replication {
		r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	l.server = session()
	if joined {
		l.client = session()
		at := l.net.Listener()
		l.server.Host(at)
		l.client.Join(l.net.Dialer(at))
	}
	l.step(1)
	return l
}

func (l *land) step(n int) {
	for range n {
		l.net.Advance(time.Second / 60)
		for _, r := range []*tendon.Replication{l.server, l.client} {
			if r != nil {
				r.Receive()
				r.Send()
			}
		}
	}
}

// make creates a node of one of the kinds.
func (l *land) make(kind int, at gmath.Vec, extent components.ExtentData, painted bool) *donburi.Entry {
	var cs []donburi.IComponentType
	if painted {
		cs = append(cs, l.painted)
	}
	if extent != (components.ExtentData{}) {
		cs = append(cs, components.Extent)
	}
	e := l.server.Create(append(cs, []donburi.IComponentType{l.stone, l.bird, l.place}[kind])...)
	if e.HasComponent(components.Extent) {
		components.Extent.SetValue(e, extent)
	}
	l.move(e, at, 0)
	l.all = append(l.all, e.Entity())
	return e
}

func (l *land) move(e *donburi.Entry, to gmath.Vec, rot gmath.Rad) {
	switch {
	case e.HasComponent(l.stone):
		l.stone.Get(e).Pos = to
		tendon.Bump(e, l.stone)
	case e.HasComponent(l.bird):
		l.bird.Get(e).Pos = to
	case e.HasComponent(l.place):
		l.place.SetValue(e, components.TransformData{Pos: to, Rot: rot})
	}
}

// A known is a node in the plain list.
type known struct {
	e    donburi.Entity
	id   rpl.Node
	at   gmath.Vec
	x    components.ExtentData
	keep bool
}

// list is the plain list: every node of a machine with where it is.
func (l *land) list(r *tendon.Replication, f filter.LayoutFilter) (all []known) {
	for e := range components.RplNode.Iter(r.World()) {
		if e.Entity() == r.Session().Entity() {
			continue
		}
		k := known{e: e.Entity(), id: tendon.ID(e), at: l.world(e).Pos, keep: f == nil || f.MatchesLayout(e.Archetype().ComponentTypes())}
		if e.HasComponent(components.Extent) {
			k.x = components.Extent.GetValue(e)
		}
		if k.keep {
			all = append(all, k)
		}
	}
	return all
}

func (l *land) world(e *donburi.Entry) (t components.TransformData) {
	switch {
	case e.HasComponent(l.stone):
		t.Pos = l.stone.Get(e).Pos
	case e.HasComponent(l.bird):
		t.Pos = l.bird.Get(e).Pos
	default:
		t = l.place.GetValue(e)
	}
	if up := tendon.Parent(e); up != nil {
		w := l.world(up)
		return components.TransformData{Pos: w.Pos.Add(t.Pos.Rotated(w.Rot)), Rot: w.Rot + t.Rot}
	}
	return t
}

func (k known) far(p gmath.Vec) float64 {
	if k.x.Half.IsZero() {
		return max(math.Sqrt((k.at.X-p.X)*(k.at.X-p.X)+(k.at.Y-p.Y)*(k.at.Y-p.Y))-k.x.Radius, 0)
	}
	dx, dy := max(math.Abs(k.at.X-p.X)-k.x.Half.X, 0), max(math.Abs(k.at.Y-p.Y)-k.x.Half.Y, 0)
	return math.Sqrt(dx*dx + dy*dy)
}

func landEntities(of []known, is func(known) bool) (es []donburi.Entity) {
	for _, k := range of {
		if is(k) {
			es = append(es, k.e)
		}
	}
	slices.Sort(es)
	return es
}

// check asks one machine everything about a point, and compares with its plain list.
func (l *land) check(t *rapid.T, r *tendon.Replication, sp *tendon.Space, f filter.LayoutFilter, p gmath.Vec) {
	all := l.list(r, f)
	size := rapid.Float64Range(0, 300).Draw(t, "size")
	var got []donburi.Entity
	for e := range sp.Within(p, size) {
		got = append(got, e.Entity())
	}
	slices.Sort(got)
	// The exact edge is the index's own to decide: rounding differs between two ways to say it.
	sure := func(d, edge float64) bool { return math.Abs(d-edge) > 1e-9 }
	for _, k := range all {
		if d := k.far(p); sure(d, size) && slices.Contains(got, k.e) != (d <= size) {
			t.Fatalf("%v, %v away, is found %v within %v", k.e, d, slices.Contains(got, k.e), size)
		}
	}
	if len(got) > len(landEntities(all, func(k known) bool { return k.far(p) <= size+1e-9 })) {
		t.Fatalf("%d are found, of %d nodes", len(got), len(all))
	}
	got = got[:0]
	area := gmath.Rect{Min: p, Max: p.Add(gmath.Vec{X: size, Y: size / 2})}
	for e := range sp.InRect(area) {
		got = append(got, e.Entity())
	}
	slices.Sort(got)
	want := landEntities(all, func(k known) bool {
		if k.x.Half.IsZero() {
			d := k.at.Sub(gmath.Vec{X: gmath.Clamp(k.at.X, area.Min.X, area.Max.X), Y: gmath.Clamp(k.at.Y, area.Min.Y, area.Max.Y)})
			return d.X*d.X+d.Y*d.Y <= k.x.Radius*k.x.Radius
		}
		return k.at.X+k.x.Half.X >= area.Min.X && k.at.X-k.x.Half.X <= area.Max.X && k.at.Y+k.x.Half.Y >= area.Min.Y && k.at.Y-k.x.Half.Y <= area.Max.Y
	})
	if !slices.Equal(got, want) {
		t.Fatalf("in %v are %v, not %v", area, got, want)
	}
	n, i, told := rapid.IntRange(0, 12).Draw(t, "n"), 0, rpl.Node(0)
	slices.SortStableFunc(all, func(a, b known) int {
		return cmp.Or(cmp.Compare(a.far(p), b.far(p)), cmp.Compare(a.id, b.id))
	})
	for e, far := range sp.Nearest(p, n) {
		at := slices.IndexFunc(all, func(k known) bool { return k.e == e.Entity() })
		if at < 0 || i >= len(all) || math.Abs(all[i].far(p)-far) > 1e-9 || math.Abs(all[at].far(p)-far) > 1e-9 {
			t.Fatalf("number %d of the nearest to %v is %v at %v", i, p, e.Entity(), far)
		}
		if all[at].id == told {
			t.Fatalf("%v is found twice", e.Entity())
		}
		told = all[at].id
		i++
	}
	if i != min(n, len(all)) {
		t.Fatalf("%d nearest, not %d of %d", i, n, len(all))
	}
}

// TestSpaceAnswersLikeAPlainList plays random worlds, on a server and on a client of it.
func TestSpaceAnswersLikeAPlainList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLand(t, true)
		defer l.server.Close("")
		defer l.client.Close("")
		coordinate := rapid.OneOf(rapid.Float64Range(-200, 200), rapid.Map(rapid.IntRange(-3, 3), func(n int) float64 { return float64(n * 50) }))
		spot := func(name string) gmath.Vec {
			return gmath.Vec{X: math.Round(coordinate.Draw(t, name)*64) / 64, Y: math.Round(coordinate.Draw(t, name)*64) / 64}
		}
		painted := filter.Contains(l.painted)
		spaces := map[*tendon.Replication][2]*tendon.Space{
			l.server: {l.server.Space(nil), l.server.Space(painted)},
			l.client: {l.client.Space(nil), l.client.Space(painted)},
		}
		pick := func() *donburi.Entry {
			l.all = slices.DeleteFunc(l.all, func(e donburi.Entity) bool { return !l.server.World().Valid(e) })
			if len(l.all) == 0 {
				return nil
			}
			return l.server.World().Entry(l.all[rapid.IntRange(0, len(l.all)-1).Draw(t, "which")])
		}
		for range rapid.IntRange(1, 60).Draw(t, "acts") {
			switch act := rapid.IntRange(0, 9).Draw(t, "act"); act {
			case 0, 1, 2:
				x := rapid.SampledFrom([]components.ExtentData{{}, {}, {Radius: 5}, {Half: gmath.Vec{X: 20, Y: 3}}, {Radius: 300}}).Draw(t, "extent")
				l.make(rapid.IntRange(0, 2).Draw(t, "kind"), spot("at"), x, rapid.Bool().Draw(t, "painted"))
			case 3, 4:
				if e := pick(); e != nil {
					l.move(e, spot("to"), gmath.Rad(rapid.Float64Range(0, 6).Draw(t, "turn")))
				}
			case 5:
				if e := pick(); e != nil {
					l.server.World().Remove(e.Entity())
				}
			case 6:
				if a, b := pick(), pick(); a != nil {
					_ = tendon.Attach(a, b) // a ring is refused
				}
			case 7:
				if e := pick(); e != nil {
					_ = tendon.Attach(e, nil)
				}
			default:
				l.step(1 + rapid.IntRange(0, 1).Draw(t, "one more"))
				r := l.server
				if act == 9 {
					r = l.client
				}
				which := rapid.IntRange(0, 1).Draw(t, "filter")
				var f filter.LayoutFilter
				if which == 1 {
					f = painted
				}
				l.check(t, r, spaces[r][which], f, spot("from"))
			}
		}
	})
}

// What is made, moved with a bump, removed and hung elsewhere in a step counts at once.
func TestSpaceSeesWhatHappensInAStep(t *testing.T) {
	l := newLand(t, false)
	sp := l.server.Space(nil)
	found := func(x float64) (n int) {
		for range sp.Within(gmath.Vec{X: x}, 1) {
			n++
		}
		return n
	}
	stone, bird := l.make(0, gmath.Vec{}, components.ExtentData{}, false), l.make(1, gmath.Vec{}, components.ExtentData{}, false)
	if n := found(0); n != 2 {
		t.Errorf("%d are found as they are made, not 2", n)
	}
	l.move(stone, gmath.Vec{X: 100}, 0)
	l.move(bird, gmath.Vec{X: 100}, 0)
	if n := found(100); n != 1 {
		t.Errorf("%d are found, the bumped one counts at once and no other", n)
	}
	tendon.Moved(bird)
	if n := found(100); n != 2 {
		t.Errorf("%d are found after Moved", n)
	}
	if err := tendon.Attach(bird, stone); err != nil {
		t.Fatal(err)
	}
	if n := found(200); n != 1 {
		t.Errorf("%d hang below a stone at their place", n)
	}
	for e := range sp.Within(gmath.Vec{X: 100}, 500) { // the loop may remove what it has found
		l.server.World().Remove(bird.Entity())
		if e.Entity() == bird.Entity() && e.Valid() {
			t.Error("a node is there again")
		}
	}
	if n := found(200); n != 0 {
		t.Errorf("%d are found that have gone", n)
	}
	l.move(stone, gmath.Vec{X: math.NaN()}, 0)
	if n := found(100); n != 0 {
		t.Error("a node without a place is found")
	}
	if hit, ok := sp.Trace(gmath.Vec{}, gmath.Vec{X: math.Inf(1)}); ok {
		t.Errorf("a ray without an end hits %v", hit)
	}
}

// A ray hits the nearest shape, and Intersecting finds what a shape touches.
func TestSpaceShapes(t *testing.T) {
	l := newLand(t, false)
	sp := l.server.Space(nil)
	wall := l.make(0, gmath.Vec{X: 100}, components.ExtentData{Half: gmath.Vec{X: 2, Y: 50}}, false)
	ball := l.make(1, gmath.Vec{X: 90}, components.ExtentData{Radius: 9}, true)
	me := l.make(2, gmath.Vec{}, components.ExtentData{Radius: 1}, false)
	hit, ok := sp.Trace(gmath.Vec{}, gmath.Vec{X: 200}, me)
	if !ok || hit.Entry.Entity() != ball.Entity() || hit.Distance != 81 || hit.Normal != (gmath.Vec{X: -1}) || hit.At != (gmath.Vec{X: 81}) {
		t.Errorf("the ray hits %+v", hit)
	}
	hit, ok = sp.Trace(gmath.Vec{}, gmath.Vec{X: 200}, me, ball)
	if !ok || hit.Entry.Entity() != wall.Entity() || hit.Distance != 98 {
		t.Errorf("without the ball it hits %+v", hit)
	}
	if _, ok = l.server.Space(filter.Contains(l.painted)).Trace(gmath.Vec{Y: 60}, gmath.Vec{X: 200, Y: 60}); ok {
		t.Error("a ray past all hits something")
	}
	var touched []string
	for e := range sp.Intersecting(ball) {
		touched = append(touched, fmt.Sprint(e.Entity() == wall.Entity()))
	}
	if !slices.Equal(touched, []string{"true"}) {
		t.Errorf("the ball touches %v, not the wall alone", touched)
	}
	for range sp.Intersecting(nil) {
		t.Error("nothing touches something")
	}
	components.Extent.Get(wall).Half.X = math.NaN()
	tendon.Moved(wall)
	if _, ok := sp.Trace(gmath.Vec{X: 95}, gmath.Vec{X: 200}, ball); ok {
		t.Error("a bad extent is hit")
	}
	if n := *l.server.Counter("Extent refused"); n == 0 {
		t.Errorf("a bad extent is not counted")
	}
}

// Questions allocate nothing once they have been asked.
func TestSpaceAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("allocations are not those of the program under the race detector")
	}
	l := newLand(t, false)
	for i := range 2000 {
		l.make(i%2, gmath.Vec{X: float64(i % 50), Y: float64(i / 50)}, components.ExtentData{Radius: float64(i%3) / 10}, i%5 == 0)
	}
	l.step(2)
	sp := l.server.Space(filter.Contains(l.painted))
	found := 0
	ask := func() {
		at := gmath.Vec{X: 25, Y: 20}
		for range sp.Within(at, 5) {
			found++
		}
		for range sp.InRect(gmath.Rect{Min: at, Max: at.Add(gmath.Vec{X: 5, Y: 5})}) {
			for range sp.Within(at, 1) { // a question inside of a question
				found++
			}
		}
		for range sp.Nearest(at, 8) {
			found++
		}
		for range sp.Intersecting(l.server.World().Entry(l.all[0])) {
			found++
		}
		if _, ok := sp.Trace(at, at.Add(gmath.Vec{X: 30})); ok {
			found++
		}
	}
	ask()
	if n := testing.AllocsPerRun(100, ask); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if found == 0 {
		t.Error("nothing is found")
	}
}

// A Space that nobody made says how to make one.
func TestNoSpace(t *testing.T) {
	for name, ask := range map[string]func(){
		"nil":  func() { (*tendon.Space)(nil).Nearest(gmath.Vec{}, 1) },
		"zero": func() { new(tendon.Space).Trace(gmath.Vec{}, gmath.Vec{X: 1}) },
	} {
		func() {
			defer func() {
				if s, _ := recover().(string); !strings.Contains(s, "Replication.Space") {
					t.Errorf("%s: %q", name, s)
				}
			}()
			ask()
		}()
	}
}
