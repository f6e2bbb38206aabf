package ecs_test

// Examples of what travels: a component's fields, who sees them, lists, references, codecs.

import (
	"fmt"
	"slices"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// Fields with an `rpl` tag travel, rounded to their step. Fields without a tag stay
// local.
func ExampleReplicate() {
	type boat struct {
		Pos    gmath.Vec `rpl:"step=1/8,pos"` // metres
		Course gmath.Rad `rpl:"angle,bits=10"`
		Flag   string    `rpl:"max=3"`
		wet    bool      // each machine's own
	}
	p := tendon.NewProtocol("boats")
	Boat := tendon.Replicate(p, "boat", donburi.NewComponentType[boat]())
	server, client, play := together(p, func(*tendon.Replication) {})

	e := server.Create(Boat)
	Boat.SetValue(e, boat{Pos: gmath.Vec{X: 10.3, Y: -2}, Flag: "ESP", wet: true})
	play()
	for e := range Boat.Iter(client.World()) {
		fmt.Println(Boat.Get(e).Pos, Boat.Get(e).Flag, Boat.Get(e).wet)
	}
	// Output:
	// [10.250000, -2.000000] ESP false
}

// A condition on a field's audience: a player's cards are sent to their owner only. A
// condition on the state: the loot is sent to nobody until the chest is open.
func ExampleReplicate_condition() {
	type hand struct {
		Cards int    `rpl:"min=0,max=10"`
		Best  string `rpl:"max=16,to=owner"`
	}
	type chest struct {
		Open bool   `rpl:""`
		Loot string `rpl:"max=16,if=Open"`
	}
	p := tendon.NewProtocol("cards")
	Hand := tendon.Replicate(p, "hand", donburi.NewComponentType[hand]())
	Chest := tendon.Replicate(p, "chest", donburi.NewComponentType[chest]())
	server, client, play := together(p, func(rep *tendon.Replication) {
		rep.OnJoin(func(p rpl.Peer) {
			e := rep.Create(Hand)
			Hand.SetValue(e, hand{Cards: 5, Best: fmt.Sprint("ace of peer ", p)})
			tendon.Give(e, p)
		})
	})
	play()
	for e := range Hand.Iter(client.World()) {
		fmt.Printf("peer %d has %d cards, best %q\n", tendon.Owner(e), Hand.Get(e).Cards, Hand.Get(e).Best)
	}

	box := server.Create(Chest)
	Chest.Get(box).Loot = "a map"
	show := func() {
		for e := range Chest.Iter(client.World()) {
			fmt.Printf("%+v\n", *Chest.Get(e))
		}
	}
	play()
	show()
	Chest.Get(box).Open = true
	play()
	show()
	// Output:
	// peer 2 has 5 cards, best "ace of peer 2"
	// peer 1 has 5 cards, best ""
	// {Open:false Loot:}
	// {Open:true Loot:a map}
}

// Only the changes of a list travel: one insertion, not a hundred elements. The local
// fields of an element stay with it when it moves.
func ExampleReplicate_list() {
	type item struct {
		Kind  uint16 `rpl:""`
		Count uint8  `rpl:""`
		icon  string // each machine's own
	}
	type pack struct {
		Items []item           `rpl:"max=100"`
		Notes map[string]int32 `rpl:"max=8,each=12"`
	}
	p := tendon.NewProtocol("packs")
	Pack := tendon.Replicate(p, "pack", donburi.NewComponentType[pack]())
	server, client, play := together(p, func(*tendon.Replication) {})
	e := server.Create(Pack)
	Pack.SetValue(e, pack{Items: []item{{Kind: 1, Count: 1}, {Kind: 2, Count: 5}}, Notes: map[string]int32{"gold": 7}})
	play()
	there, _ := client.Find(tendon.ID(e))
	got := Pack.Get(there)
	got.Items[1].icon = "arrow"

	items := &Pack.Get(e).Items
	*items = slices.Insert(*items, 0, item{Kind: 9, Count: 9})
	(*items)[2].Count--
	Pack.Get(e).Notes["gold"] = 8
	play()
	fmt.Printf("%+v %v\n", got.Items, got.Notes)
	// Output:
	// [{Kind:9 Count:9 icon:} {Kind:1 Count:1 icon:} {Kind:2 Count:4 icon:arrow}] map[gold:8]
}

// A field may be absent, or refer to a node; a reference is null while its node is not on
// this machine.
func ExampleReplicate_reference() {
	type wolf struct {
		Prey   donburi.Entity   `rpl:""`
		Hunger rpl.Opt[float64] `rpl:"min=0,max=1,bits=8"`
	}
	p := tendon.NewProtocol("wolves")
	Wolf := tendon.Replicate(p, "wolf", donburi.NewComponentType[wolf]())
	server, client, play := together(p, func(*tendon.Replication) {})
	a, b := server.Create(Wolf), server.Create(Wolf)
	Wolf.SetValue(a, wolf{Prey: b.Entity(), Hunger: rpl.Some(1.0)})
	play()
	there, _ := client.Find(tendon.ID(a))
	show := func() {
		w := Wolf.Get(there)
		hunger, hungry := w.Hunger.Get()
		if w.Prey == donburi.Null {
			fmt.Println("no prey, hunger", hunger, hungry)
			return
		}
		fmt.Println("prey:", tendon.ID(client.World().Entry(w.Prey)), "hunger", hunger, hungry)
	}
	show()
	b.Remove()
	Wolf.Get(a).Hunger.Clear()
	play()
	show()
	// Output:
	// prey: node 2.1 hunger 1 true
	// no prey, hunger 0 false
}

// A codec replicates a type of another package that tags cannot describe. It is
// registered once, and needs only a snapshot and the way back.
func ExampleProtocol_Schema() {
	type race struct {
		Start time.Time   `rpl:""`
		Laps  []time.Time `rpl:"max=50"`
	}
	p := tendon.NewProtocol("races")
	rpl.Register(p.Schema(), rpl.Codec[time.Time, int64]{
		Name:    "time",
		Extract: func(t *time.Time) int64 { return t.UnixMilli() },
		Inject:  func(t *time.Time, ms int64) { *t = time.UnixMilli(ms).UTC() },
	})
	Race := tendon.Replicate(p, "race", donburi.NewComponentType[race]())
	server, client, play := together(p, func(*tendon.Replication) {})
	e := server.Create(Race)
	start := time.Date(2030, 5, 1, 12, 0, 0, 0, time.UTC)
	Race.SetValue(e, race{Start: start})
	play()
	Race.Get(e).Laps = append(Race.Get(e).Laps, start.Add(83*time.Second))
	play()
	there, _ := client.Find(tendon.ID(e))
	fmt.Println(Race.Get(there).Start.Format(time.TimeOnly), Race.Get(there).Laps[0].Format(time.TimeOnly))
	// Output:
	// 12:00:00 12:01:23
}
