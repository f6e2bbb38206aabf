package rpl_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// What another item's velocity predicts costs no more than 15 % above what one item with both
// costs, and 25 % where packets are lost, chains included, and is right.
func TestVelocityOfAnotherItem(t *testing.T) {
	lines := []netsim.Conditions{{}, {Loss: 0.05, Delay: 40 * time.Millisecond, Jitter: 20 * time.Millisecond, Duplicate: 0.05}}
	for _, c := range tiedItems() {
		t.Run(c.name, func(t *testing.T) {
			for _, line := range lines {
				one, some := bytesOf(t, c.one, line, 1, time.Second, c.step), bytesOf(t, c.items, line, 1, time.Second, c.step)
				t.Logf("loss %.2f: %d bytes, in one item %d", line.Loss, some, one)
				most := 15
				if line.Loss > 0 {
					most = 25 // what has turned has copies, and those of the velocity's row go alone
				}
				if some > one+one*most/100 {
					t.Errorf("loss %.2f: %d bytes, in one item %d", line.Loss, some, one)
				}
			}
		})
	}
}

// At every version both ends have the same, also of what is sent again while its velocity passes
// through zero: at the top of a throw.
func TestPredictedAlikeUnderLoss(t *testing.T) {
	t.Parallel()
	line := netsim.Conditions{Loss: 0.05, Delay: 40 * time.Millisecond}
	for _, c := range tiedItems() {
		for seed := range uint64(2) {
			bytesOf(t, c.one, line, seed, time.Second/60, c.step)
			bytesOf(t, c.items, line, seed, time.Second/60, c.step)
		}
	}
}

// A tiedCase is bodies that move, in one item and in several.
type tiedCase struct {
	name       string
	one, items map[string]reflect.Type
	step       func(*body, *rand.Rand)
}

func tiedItems() []tiedCase {
	type steady struct {
		Vel float64 `rpl:"step=1/256"`
	}
	type thrown struct {
		Vel float64 `rpl:"step=1/256,predict=pull.Pull/tick"`
	}
	type pull struct {
		Pull float64 `rpl:"step=1/4096"`
	}
	type apart struct {
		At float64 `rpl:"step=1/32,interp,predict=motion.Vel/tick"`
	}
	type both struct {
		At  float64 `rpl:"step=1/32,interp,predict=Vel/tick"`
		Vel float64 `rpl:"step=1/256"`
	}
	type all struct {
		At   float64 `rpl:"step=1/32,interp,predict=Vel/tick"`
		Vel  float64 `rpl:"step=1/256,predict=Pull/tick"`
		Pull float64 `rpl:"step=1/4096"`
	}
	bounces := func(b *body, _ *rand.Rand) {
		if b.at += b.vel; b.at < 0 || b.at > 100 {
			b.vel = -b.vel
		}
	}
	jumps := func(b *body, r *rand.Rand) {
		b.pull = 3.0 / 64
		b.vel += b.pull
		if b.at += b.vel; b.at > 100 {
			b.at, b.vel = 100, -1.5-r.Float64()
		}
	}
	return []tiedCase{
		{"steady", of[both]("one"), join(of[apart]("at"), of[steady]("motion")), bounces},
		{"the velocity's row first", of[both]("one"), join(of[apart]("place"), of[steady]("motion")), bounces},
		{"a chain", of[all]("one"), join(of[apart]("at"), join(of[thrown]("motion"), of[pull]("pull"))), jumps},
	}
}

type body struct{ at, vel, pull float64 }

func of[T any](name string) map[string]reflect.Type {
	return map[string]reflect.Type{name: reflect.TypeFor[T]()}
}

func join(a, b map[string]reflect.Type) map[string]reflect.Type {
	for name, t := range b {
		a[name] = t
	}
	return a
}

// bytesOf plays 50 bodies with these items for 10 s to a client, and returns the bytes it took.
func bytesOf(t *testing.T, of map[string]reflect.Type, line netsim.Conditions, seed uint64, check time.Duration, move func(*body, *rand.Rand)) int {
	const things, ticks = 50, 600
	s := rpl.NewSchema("apart")
	var items []*rpl.ItemType
	var types []reflect.Type
	for _, name := range []string{"at", "one", "motion", "pull", "place"} {
		if typ := of[name]; typ != nil {
			items, types = append(items, s.Item(name, typ, nil)), append(types, typ)
		}
	}
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, CheckEvery: check}, seed, line)
	if err != nil {
		t.Fatal(err)
	}
	var ids [things]rpl.Node
	var bodies [things]body
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range ids {
		bodies[i] = body{at: 50 * r.Float64(), vel: 1 + r.Float64()}
		if ids[i], err = net.A.Spawn(rpl.Spawn{Items: items}); err != nil {
			t.Fatal(err)
		}
	}
	c, err := net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	of1 := func(b *body, typ reflect.Type) unsafe.Pointer {
		v := reflect.New(typ)
		for name, x := range map[string]float64{"At": b.at, "Vel": b.vel, "Pull": b.pull} {
			if f := v.Elem().FieldByName(name); f.IsValid() {
				f.SetFloat(x)
			}
		}
		return v.UnsafePointer()
	}
	step := func(rpl.Tick) {
		for i, id := range ids {
			move(&bodies[i], r)
			for ord, typ := range types {
				it, _ := net.A.Item(id, ord)
				net.A.Set(it, of1(&bodies[i], typ))
			}
		}
	}
	for range 120 {
		net.Tick(step)
	}
	net.Payload = 0
	for range ticks {
		net.Tick(step)
	}
	sent := net.Payload
	for range 60 {
		net.Tick(nil)
	}
	if n := c.P.Counters(); n.Mismatches+n.Refused > 0 {
		t.Errorf("seed %d: %d mismatches, %d packets refused", seed, n.Mismatches, n.Refused)
	}
	for i, id := range ids {
		rep, ok := c.P.Replica(id)
		if !ok {
			t.Fatal("a node is not there")
		}
		for ord, item := range items {
			got := reflect.New(types[ord])
			c.P.Inject(rep, ord, item, got.UnsafePointer())
			for k := range got.Elem().NumField() {
				f := got.Elem().Type().Field(k)
				want := map[string]float64{"At": bodies[i].at, "Vel": bodies[i].vel, "Pull": bodies[i].pull}[f.Name]
				if x := got.Elem().Field(k).Float(); x > want+1.0/32 || x < want-1.0/32 {
					t.Errorf("seed %d: %s is %v, not %v", seed, f.Name, x, want)
				}
			}
		}
	}
	return sent
}

// A velocity that only the owner may see predicts nothing for others: a copy would tell it.
func TestSecretVelocityIsNotBorrowed(t *testing.T) {
	type place struct {
		At float64 `rpl:"step=1/32,interp,predict=motion.Vel/tick"`
	}
	type secret struct {
		Vel float64 `rpl:"step=1/256,to=owner"`
	}
	type open struct {
		Vel float64 `rpl:"step=1/256"`
	}
	for _, c := range []struct {
		of      reflect.Type
		borrows bool
	}{{reflect.TypeFor[secret](), false}, {reflect.TypeFor[open](), true}} {
		s := rpl.NewSchema("secret")
		s.Item("place", reflect.TypeFor[place](), nil)
		s.Item("motion", c.of, nil)
		if err := s.Freeze(60); err != nil {
			t.Fatal(err)
		}
		all, _ := rowtype.TypesOf(s)
		for _, of := range all {
			if of.Item.Name == "place" && (len(of.Borrowed) > 0) != c.borrows {
				t.Errorf("%s borrows %d words of %v", of.Item.Name, len(of.Borrowed), c.of)
			}
		}
	}
}
