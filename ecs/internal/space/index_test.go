package space

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A world is an index and the plain list that it must answer like.
type world struct {
	ix   *Index
	list map[uint32]Shape
}

func (w *world) put(id uint32, s Shape) {
	w.ix.Put(id, id, s)
	if delete(w.list, id); s.Allowed() {
		w.list[id] = s
	}
}

func (w *world) ids(is func(s *Shape) bool) []uint32 {
	var ids []uint32
	for id, s := range w.list {
		if is(&s) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func sorted(ids []uint32) []uint32 {
	slices.Sort(ids)
	return ids
}

// coordinates are from several scales, on round places, and where no world reaches.
func coordinates(t *rapid.T, label string) float64 {
	switch rapid.IntRange(0, 9).Draw(t, label+" scale") {
	case 0:
		return float64(rapid.IntRange(-20, 20).Draw(t, label))
	case 1:
		return plain(rapid.Float64Range(-1e5, 1e5).Draw(t, label))
	case 2:
		return rapid.SampledFrom([]float64{0, 1e18, -1e18, math.Inf(1), math.NaN(), 64, -64, 1e-90}).Draw(t, label)
	}
	return plain(rapid.Float64Range(-300, 300).Draw(t, label))
}

// plain is v, or 0 where the square of a difference of such would be nothing.
func plain(v float64) float64 {
	if math.Abs(v) < 1e-100 {
		return 0
	}
	return v
}

func shapes(t *rapid.T) Shape {
	s := Shape{X: coordinates(t, "x"), Y: coordinates(t, "y")}
	half := func(label string) float64 {
		return rapid.SampledFrom([]float64{0, 0.5, 3, 10, 31, 33, 500, 1e5, -1, math.NaN()}).Draw(t, label)
	}
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		s.HX, s.Round = half("radius"), true
	case 1:
		s.HX, s.HY = half("half width"), half("half height")
	}
	return s
}

// TestIndexAnswersLikeAList asks random questions of random worlds that change.
func TestIndexAnswersLikeAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{ix: NewIndex(), list: map[uint32]Shape{}}
		seed := rapid.Uint64().Draw(t, "seed")
		rng := rand.New(rand.NewPCG(seed, 1))
		crowd := rapid.SampledFrom([]float64{0, 1, 100, 3000}).Draw(t, "crowd's width")
		for id := range uint32(rapid.SampledFrom([]int{0, 20, 400}).Draw(t, "crowd")) {
			w.put(id, Shape{X: rng.Float64() * crowd, Y: rng.Float64() * crowd})
		}
		w.ix.Resize()
		for range rapid.IntRange(1, 40).Draw(t, "acts") {
			switch rapid.IntRange(0, 7).Draw(t, "act") {
			case 0, 1:
				w.put(rapid.Uint32Range(0, 450).Draw(t, "id"), shapes(t))
			case 2:
				id := rapid.Uint32Range(0, 450).Draw(t, "id")
				w.ix.Remove(id)
				delete(w.list, id)
			case 3:
				w.ix.changes = 1000
				w.ix.Resize()
			default:
				w.ask(t)
			}
			if w.ix.Len() != len(w.list) {
				t.Fatalf("%d things, not %d", w.ix.Len(), len(w.list))
			}
		}
	})
}

func (w *world) ask(t *rapid.T) {
	x, y := coordinates(t, "at x"), coordinates(t, "at y")
	switch rapid.IntRange(0, 4).Draw(t, "question") {
	case 0:
		x1, y1 := x+rapid.Float64Range(-1, 500).Draw(t, "width"), coordinates(t, "y1")
		want := w.ids(func(s *Shape) bool {
			if s.Round {
				nx, ny := min(max(s.X, x), x1)-s.X, min(max(s.Y, y), y1)-s.Y
				return x <= x1 && y <= y1 && square(nx, ny) <= s.HX*s.HX
			}
			return x <= x1 && y <= y1 && s.X+s.HX >= x && s.X-s.HX <= x1 && s.Y+s.HY >= y && s.Y-s.HY <= y1
		})
		if got := sorted(w.ix.InRect(x, y, x1, y1, nil)); !slices.Equal(got, want) {
			t.Fatalf("in the rectangle %v,%v to %v,%v are %v, not %v", x, y, x1, y1, got, want)
		}
	case 1:
		r := rapid.SampledFrom([]float64{0, 1, 10, 100, 1e4, math.Inf(1), -1, math.NaN()}).Draw(t, "radius")
		want := w.ids(func(s *Shape) bool { return r >= 0 && x-x+y-y == 0 && s.WithinOf(x, y, r) })
		if got := sorted(w.ix.Within(x, y, r, nil)); !slices.Equal(got, want) {
			t.Fatalf("within %v of %v,%v are %v, not %v", r, x, y, got, want)
		}
	case 2:
		k := rapid.SampledFrom([]int{-1, 0, 1, 8, 100, 1000}).Draw(t, "k")
		odd := func(id uint32) bool { return id%2 == 1 }
		want := w.ids(func(s *Shape) bool { return x-x+y-y == 0 })
		want = slices.DeleteFunc(want, func(id uint32) bool { return !odd(id) })
		far := func(id uint32) float64 { s := w.list[id]; return s.Distance(x, y) }
		slices.SortStableFunc(want, func(a, b uint32) int { return cmp.Compare(far(a), far(b)) })
		want = want[:min(max(k, 0), len(want))]
		got, d := w.ix.Nearest(x, y, k, math.Inf(1), odd, nil, nil)
		if !slices.Equal(got, want) {
			t.Fatalf("the %d nearest to %v,%v are %v, not %v", k, x, y, got, want)
		}
		for i := range got {
			if d[i] != far(got[i]) {
				t.Fatalf("%d is said to be %v away, it is %v", got[i], d[i], far(got[i]))
			}
		}
	case 3:
		s := shapes(t)
		but := rapid.Uint32Range(0, 450).Draw(t, "but")
		want := w.ids(func(o *Shape) bool { return s.Allowed() && s.Touches(o) })
		want = slices.DeleteFunc(want, func(id uint32) bool { return id == but })
		if got := sorted(w.ix.Touching(s, but, nil)); !slices.Equal(got, want) {
			t.Fatalf("what touches %+v is %v, not %v", s, got, want)
		}
	case 4:
		toX, toY := coordinates(t, "to x"), coordinates(t, "to y")
		var want Hit
		hit := false
		for _, id := range w.ids(func(*Shape) bool { return true }) {
			s := w.list[id]
			if h, ok := s.HitBy(x, y, toX-x, toY-y); ok && (!hit || h.Share < want.Share) {
				want, hit = h, true
				want.ID = id
			}
		}
		if toX-x-(toX-x)+toY-y-(toY-y) != 0 {
			want, hit = Hit{}, false
		}
		got, ok := w.ix.Trace(x, y, toX, toY, nil)
		if math.Hypot(toX-x, toY-y) > 1e9 {
			return // floats are too coarse there to say what is hit
		}
		if ok != hit || ok && got != want {
			t.Fatalf("from %v,%v to %v,%v the ray hits %+v %v, not %+v %v", x, y, toX, toY, got, ok, want, hit)
		}
	}
}

// Hits are where they must be.
func TestHits(t *testing.T) {
	for _, c := range []struct {
		name   string
		s      Shape
		dx, dy float64
		want   Hit
		ok     bool
	}{
		{"a circle ahead", Shape{X: 10, HX: 2, Round: true}, 20, 0, Hit{Share: 0.4, NX: -1}, true},
		{"a circle behind", Shape{X: -10, HX: 2, Round: true}, 20, 0, Hit{}, false},
		{"beyond the end", Shape{X: 30, HX: 2, Round: true}, 20, 0, Hit{}, false},
		{"inside a circle", Shape{X: 1, HX: 2, Round: true}, 20, 0, Hit{}, true},
		{"a box ahead", Shape{X: 10, HX: 2, HY: 1}, 20, 0, Hit{Share: 0.4, NX: -1}, true},
		{"a box above", Shape{Y: 10, HX: 2, HY: 1}, 0, 20, Hit{Share: 0.45, NY: -1}, true},
		{"past a box", Shape{X: 10, Y: 5, HX: 2, HY: 1}, 20, 0, Hit{}, false},
		{"inside a box", Shape{X: 1, HX: 2, HY: 2}, 20, 0, Hit{}, true},
		{"a wall without thickness", Shape{X: 5, HX: 0, HY: 3}, 20, 0, Hit{Share: 0.25, NX: -1}, true},
		{"a point", Shape{X: 5}, 20, 0, Hit{}, false},
		{"no way at all, inside", Shape{HX: 1, HY: 1}, 0, 0, Hit{}, true},
	} {
		if got, ok := c.s.HitBy(0, 0, c.dx, c.dy); ok != c.ok || got != c.want {
			t.Errorf("%s: %+v %v, not %+v %v", c.name, got, ok, c.want, c.ok)
		}
	}
}

// Ten thousand things on one point are found, and do not have the cells shrink for ever.
func TestAllOnOnePoint(t *testing.T) {
	ix := NewIndex()
	for id := range uint32(10_000) {
		ix.Put(id, id, Shape{X: 5, Y: 5})
		ix.Resize()
	}
	if n := len(ix.Within(5, 5, 0, nil)); n != 10_000 {
		t.Errorf("%d of 10000 found", n)
	}
	if ids, _ := ix.Nearest(0, 0, 3, math.Inf(1), nil, nil, nil); !slices.Equal(ids, []uint32{0, 1, 2}) {
		t.Errorf("the nearest three are %v", ids)
	}
	if c := ix.Cell(); c < 1e-6 {
		t.Errorf("cells are %v wide", c)
	}
}

// What moves about for long keeps no more memory than it needs.
func TestMemoryOfTheIndexIsGivenBack(t *testing.T) {
	ix := NewIndex()
	for step := range 2000 {
		for id := range uint32(50) {
			ix.Put(id, id, Shape{X: float64(step) * 1000, Y: float64(id) * 1000})
		}
		ix.Resize()
	}
	l := &ix.levels[0]
	if len(l.pages) > 200 || len(l.blocks) > 200 || len(l.table) > 1024 {
		t.Errorf("%d pages, %d blocks, a table of %d for 50 things", len(l.pages), len(l.blocks), len(l.table))
	}
}

// scattered is n things at a density, some in villages.
func scattered(n int, edge float64, villages int, extent float64) *Index {
	ix, rng := NewIndex(), rand.New(rand.NewPCG(1, 2))
	for id := range uint32(n) {
		s := Shape{X: rng.Float64() * edge, Y: rng.Float64() * edge, HX: extent, Round: true}
		if villages > 0 && id%2 == 0 {
			v := float64(int(id)/2%villages) + 0.5
			s.X, s.Y = v*edge/float64(villages)+rng.NormFloat64()*edge/200, v*edge/float64(villages)+rng.NormFloat64()*edge/200
		}
		ix.Put(id, id, s)
	}
	ix.Resize()
	return ix
}

func BenchmarkIndex(b *testing.B) {
	const n = 100_000
	for _, world := range []struct {
		name     string
		villages int
	}{{"even", 0}, {"villages", 5}} {
		edge := math.Sqrt(n)
		ix, solid := scattered(n, edge, world.villages, 0), scattered(n, edge, world.villages, 0.2)
		rng := rand.New(rand.NewPCG(3, 4))
		var to []uint32
		var far []float64
		found := 0
		each := func(name string, fn func(x, y float64)) {
			b.Run(fmt.Sprintf("%s/%s", world.name, name), func(b *testing.B) {
				b.ReportAllocs()
				found = 0
				least := time.Duration(math.MaxInt64)
				const batch = 5
				for b.Loop() {
					from := time.Now()
					for range batch {
						to, far = to[:0], far[:0]
						fn(rng.Float64()*edge, rng.Float64()*edge)
						found += len(to)
					}
					least = min(least, time.Since(from))
				}
				found /= batch
				b.ReportMetric(float64(least)/batch, "least-ns")
				b.ReportMetric(float64(found)/float64(b.N), "found")
			})
		}
		w := math.Sqrt(200) / 2
		each("camera of 200", func(x, y float64) { to = ix.InRect(x-w, y-w, x+w, y+w, to) })
		each("radius of 20", func(x, y float64) { to = ix.Within(x, y, math.Sqrt(20/math.Pi), to) })
		each("nearest 8", func(x, y float64) { to, far = ix.Nearest(x, y, 8, math.Inf(1), nil, to, far) })
		l := 50 * solid.Cell()
		each("ray of 50 cells", func(x, y float64) {
			if h, ok := solid.Trace(x, y, x+l*0.8, y+l*0.6, func(uint32) bool { return false }); ok {
				to = append(to, h.ID)
			}
		})
		each("move", func(x, y float64) { ix.Put(uint32(rng.IntN(n)), 0, Shape{X: x, Y: y}) })
		b.Logf("%s: cells of %.2f and %.2f, crowding %.1f", world.name, ix.Cell(), solid.Cell(), ix.levels[0].meanPerCell())
	}
}
