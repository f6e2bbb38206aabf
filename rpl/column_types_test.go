package rpl_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Components that a column reads differently from a walker: positions of float32s,
// without a velocity, with a third axis, or no position at all.
type (
	smallWalker struct {
		HP  uint8                  `rpl:""`
		Pos struct{ X, Y float32 } `rpl:"step=1/8,pos,predict=Vel"`
		Vel struct{ X, Y float32 } `rpl:"step=1/8"`
	}
	jumper struct {
		Pos  xy    `rpl:"step=1/8,pos"`
		Team int16 `rpl:""`
	}
	climber struct {
		Pos    xy      `rpl:"step=1/8,pos,predict=Vel"`
		Vel    xy      `rpl:"step=1/8"`
		Height float64 `rpl:"step=1/8,predict=Climb"`
		Climb  float64 `rpl:"step=1/8"`
	}
	score struct {
		Points int32 `rpl:""`
		Lead   bool  `rpl:""`
		Ratio  xy    `rpl:"step=1/8"`
	}
)

// Columns with more rows than are read at a time send the same bytes as Set of each
// item, for every kind of component.
func TestColumnsOfManyRows(t *testing.T) {
	t.Run("float32", func(t *testing.T) {
		manyRows(t, func(c *smallWalker, r *rand.Rand) {
			c.Pos.X += c.Vel.X / 60
			if r.IntN(8) == 0 {
				c.Vel.X, c.HP = float32(r.IntN(800))/8-50, uint8(r.IntN(4))
			}
		})
	})
	t.Run("inferred", func(t *testing.T) {
		manyRows(t, func(c *jumper, r *rand.Rand) {
			c.Pos.X += 0.5
			if r.IntN(20) == 0 {
				c.Pos.Y, c.Team = float64(r.IntN(800)), int16(r.IntN(3))
			}
		})
	})
	t.Run("three axes", func(t *testing.T) {
		manyRows(t, func(c *climber, r *rand.Rand) {
			c.Pos.X, c.Pos.Y, c.Height = c.Pos.X+c.Vel.X/60, c.Pos.Y+c.Vel.Y/60, c.Height+c.Climb/60
			switch r.IntN(20) {
			case 0:
				c.Vel = xy{float64(r.IntN(800))/8 - 50, float64(r.IntN(800))/8 - 50}
			case 1:
				c.Climb = float64(r.IntN(80))/8 - 5
			case 2:
				c.Height = 0
			}
		})
	})
	odd := [...]float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300, 5e-324, 1 << 40, -(1 << 40)}
	t.Run("no numbers", func(t *testing.T) {
		manyRows(t, func(c *climber, r *rand.Rand) {
			for _, x := range []*float64{&c.Pos.X, &c.Pos.Y, &c.Vel.X, &c.Height, &c.Climb} {
				if r.IntN(20) == 0 {
					*x = odd[r.IntN(len(odd))]
				}
			}
		})
	})
	t.Run("no numbers of float32", func(t *testing.T) {
		manyRows(t, func(c *smallWalker, r *rand.Rand) {
			for _, x := range []*float32{&c.Pos.X, &c.Pos.Y, &c.Vel.X} {
				if r.IntN(20) == 0 {
					*x = float32(odd[r.IntN(len(odd))])
				}
			}
		})
	})
	t.Run("nowhere", func(t *testing.T) {
		manyRows(t, func(c *score, r *rand.Rand) {
			if r.IntN(8) == 0 {
				c.Points, c.Lead, c.Ratio.X = int32(r.IntN(9)), r.IntN(2) == 0, float64(r.IntN(9))
			}
		})
	})
}

func manyRows[T any](t *testing.T, step func(c *T, r *rand.Rand)) {
	const rows, ticks = 150, 120
	var told [2][]byte
	for k := range told {
		s := rpl.NewSchema("kinds")
		typ := s.Item("kind", reflect.TypeFor[T](), nil)
		net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60}, 1, netsim.Conditions{Delay: 40 * time.Millisecond, Loss: 0.1})
		if err != nil {
			t.Fatal(err)
		}
		net.OnDatagram = func(_ rpl.Peer, b []byte) { told[k] = append(told[k], b...) }
		if _, err := net.Join(2); err != nil {
			t.Fatal(err)
		}
		at, items := make([]unsafe.Pointer, rows), make([]rpl.Item, rows)
		column := net.A.NewColumn(typ, func(row int) unsafe.Pointer { return at[row] })
		column.Resize(rows)
		for i := range rows {
			id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}})
			if err != nil {
				t.Fatal(err)
			}
			items[i], _ = net.A.Item(id, 0)
			at[i] = unsafe.Pointer(new(T))
			if k == 1 {
				column.Put(i, items[i])
			}
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for range ticks {
			net.Tick(func(rpl.Tick) {
				for i, c := range at {
					step((*T)(c), rng)
					if k == 0 {
						net.A.Set(items[i], c)
					}
				}
				if k == 1 {
					net.A.SetColumn(column, at)
				}
			})
		}
	}
	if len(told[0]) < rows || !bytes.Equal(told[0], told[1]) {
		t.Fatalf("%d bytes left by the item, %d by the column, and not the same", len(told[0]), len(told[1]))
	}
}

// A position of float32s in a column decides which clients hold the node.
func TestColumnOfFloat32Places(t *testing.T) {
	net, c, id, w := lone[smallWalker](t, netsim.Conditions{})
	net.A.Observe(2, [2]float64{0, 0})
	for _, place := range []struct {
		x, y float32
		near bool
	}{{100, 50, true}, {420, 50, true}, {450, 50, false}, {420, 50, false}, {100, -50, true}, {100, -500, false}, {0, -300, true}} {
		w.is.Pos.X, w.is.Pos.Y = place.x, place.y
		for range 90 {
			net.Tick(func(rpl.Tick) { net.A.SetColumn(w.column, w.at) })
		}
		if held := c.Log.Held[id] != nil; held != place.near {
			t.Errorf("at %v, %v held is %t", place.x, place.y, held)
		}
	}
}
