package rpl_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"sync"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// The schema of random worlds, and their model of items.

type xy struct{ X, Y float64 }

// bodyItem is a first item. Every node's first item has its position; here the position
// is predicted from Vel.
type bodyItem struct {
	Pos xy      `rpl:"step=1/8,pos,predict=Vel"`
	Vel xy      `rpl:"step=1/8"`
	Dir float64 `rpl:"angle,bits=12"`
	HP  uint8   `rpl:""`
}

// moverItem is a first item whose position is predicted from an inferred velocity.
type moverItem struct {
	Pos  xy      `rpl:"step=1/16,pos"`
	Lift float64 `rpl:"step=1/4,min=-60,max=60,interp,predict=hulk.Rate"`
	Face float64 `rpl:"angle=360,step=1"`
	HP   uint8   `rpl:"max=100,explicit"` // explicit: in columns the item is read when it is bumped
	Seed int16   `rpl:"once"`
}

// craftItem is a first item with bounds, a kind, and a Look that follows its velocity.
type craftItem struct {
	Kind uint8   `rpl:"max=3"`
	Pos  xy      `rpl:"step=1/16,min=-900,max=900,pos,predict=Vel/tick"`
	Vel  xy      `rpl:"step=1/64,min=-20,max=20"`
	Look float64 `rpl:"angle,bits=10"`
	Load int16   `rpl:""`
	HP   uint8   `rpl:""`
}

// pawnItem is a first item whose position is in whole numbers.
type pawnItem struct {
	X, Y int16   `rpl:"pos,min=-1000,max=1000"`
	HP   uint8   `rpl:""`
	Look float32 `rpl:"angle=360,bits=8"`
	Odds float32 `rpl:"min=0,max=1,bits=7"`
}

// roamItem is a first item of float32 fields.
type roamItem struct {
	Pos   xy32    `rpl:"step=1/16,pos,predict=Vel,interp"`
	Vel   xy32    `rpl:"step=1/16"`
	HP    uint8   `rpl:"explicit"`
	Extra float32 `rpl:"step=1/8,predict=plate.Pace/tick"`
}

type xy32 struct{ X, Y float32 }

type slotItem struct {
	Kind uint8 `rpl:""`
	N    int32 `rpl:""`
}

type bagItem struct {
	Name   string           `rpl:"max=40"`
	Slots  []slotItem       `rpl:"max=8"`
	Counts map[string]int32 `rpl:"max=6"`
	Aim    rpl.Opt[int32]   `rpl:""`
	Open   bool             `rpl:""`
	Inside int32            `rpl:"if=Open"`
	Label  string           `rpl:"if=Open,max=20"`
}

// secretItem has fields for every audience. Its numbers and words are never used twice,
// so a peer that has one was sent it.
type secretItem struct {
	Open      int32  `rpl:""`
	Token     int32  `rpl:"to=owner"`
	Word      string `rpl:"to=owner,max=40"`
	Other     int32  `rpl:"to=others"`
	Team      int32  `rpl:"to=team"`
	Watch     int32  `rpl:"to=watch"` // a group whose members a Condition decides
	TeamWord  string `rpl:"to=team,max=40"`
	OwnerHint uint8  `rpl:"to=owner"`
}

type onceItem struct {
	Seed int32 `rpl:"once"`
	Seen int32 `rpl:""`
}

// tomeItem may be longer than a datagram; it is then sent as a block.
type tomeItem struct {
	Page uint8  `rpl:""`
	Text []byte `rpl:"max=2400"`
}

// entity is a reference to a node: the node's number in the model.
type entity uint64

// hulkItem has fields of every kind, more words than one chunk holds.
type hulkItem struct {
	Long   int64             `rpl:""`
	Word   uint32            `rpl:""`
	Full   int32             `rpl:""`
	Raw    float64           `rpl:""`
	Raw32  float32           `rpl:""`
	Range  float64           `rpl:"min=1,max=3,bits=9"`
	Heat   float64           `rpl:"step=1/8,predict=Rate"`
	Rate   float64           `rpl:"step=1/64"`
	Spin   float64           `rpl:"angle,bits=16,predict=Turn"`
	Turn   float64           `rpl:"step=1/256"`
	Drawn  float64           `rpl:"step=1/8,interp"`
	Many   [12]int16         `rpl:""`
	Open   bool              `rpl:""`
	Hidden [3]int32          `rpl:"if=Open"`
	Shield rpl.Opt[float64]  `rpl:"step=1/4,interp"`
	Gear   rpl.Opt[slotItem] `rpl:""`
	Aim    entity            `rpl:""`
	Mine   int16             `rpl:"to=owner"`
	Tags   []entity          `rpl:"max=3"`
}

// plateItem is an item without a position, with predicted and explicit fields, that
// columns can hold.
type plateItem struct {
	A, B int32   `rpl:""`
	Glow float64 `rpl:"step=1/8,predict=Pace/tick"`
	Pace float64 `rpl:"step=1/8"`
	Rest [3]int8 `rpl:"explicit"`
}

// randomSchema is the schema of random worlds, and its types.
type randomSchema struct {
	s      *rpl.Schema
	body   *rpl.ItemType
	first  []*rpl.ItemType // body, mover, craft, pawn, roam
	extra  []*rpl.ItemType // bag, secret, once, tome, hulk, plate
	team   rpl.Audience
	watch  rpl.Audience
	squad  rpl.Audience // a group to which nodes belong, for rpl.Grouped
	call   *rpl.RPCType // reliable
	shout  *rpl.RPCType // Everywhere
	report *rpl.RPCType // to the owner
	hint   *rpl.RPCType // unreliable
	ask    *rpl.RPCType // to the server
	chat   *rpl.RPCType // to the server, from anyone
	nudge  *rpl.RPCType // to the server, from anyone, unreliable
	fab    *rpl.PrefabType
}

// newRandomSchema returns one schema for all worlds, because compiling it takes as long
// as playing several worlds.
var newRandomSchema = sync.OnceValue(func() *randomSchema {
	r := &randomSchema{s: rpl.NewSchema("random")}
	r.s.SetRef(reflect.TypeFor[entity]())
	r.team, r.watch, r.squad = r.s.Group("team"), r.s.Group("watch"), r.s.Group("squad")
	r.body = r.s.Item("body", reflect.TypeFor[bodyItem](), nil)
	r.first = []*rpl.ItemType{
		r.body,
		r.s.Item("mover", reflect.TypeFor[moverItem](), nil),
		r.s.Item("craft", reflect.TypeFor[craftItem](), nil),
		r.s.Item("pawn", reflect.TypeFor[pawnItem](), nil),
		r.s.Item("roam", reflect.TypeFor[roamItem](), nil),
	}
	r.extra = []*rpl.ItemType{
		r.s.Item("bag", reflect.TypeFor[bagItem](), nil),
		r.s.Item("secret", reflect.TypeFor[secretItem](), nil),
		r.s.Item("once", reflect.TypeFor[onceItem](), nil),
		r.s.Item("tome", reflect.TypeFor[tomeItem](), nil),
		r.s.Item("hulk", reflect.TypeFor[hulkItem](), nil),
		r.s.Item("plate", reflect.TypeFor[plateItem](), nil),
	}
	r.fab = r.s.Prefab("fab", reflect.TypeFor[uint16]())
	id := reflect.TypeFor[uint32]()
	r.call = r.s.RPC("call", id, rpl.Broadcast, rpl.Reliable)
	r.shout = r.s.RPC("shout", id, rpl.Everywhere, rpl.Reliable)
	r.report = r.s.RPC("tell", id, rpl.ToOwner, rpl.Reliable)
	r.hint = r.s.RPC("hint", id, rpl.Broadcast, rpl.Unreliable)
	r.ask = r.s.RPC("ask", id, rpl.ToServer, rpl.Reliable)
	r.chat = r.s.RPC("chat", id, rpl.ToServer, rpl.Reliable)
	r.nudge = r.s.RPC("nudge", id, rpl.ToServer, rpl.Unreliable)
	r.chat.FromAnyone, r.nudge.FromAnyone = true, true
	return r
})

// part is one item of a node in the model.
type part struct {
	t        *rpl.ItemType
	item     rpl.Item
	v        any  // a pointer to the struct
	lone     bool // it is set with Set and is in no column
	reported any  // of an explicit item: the component at its last Bump
}

func (p *part) ptr() unsafe.Pointer { return reflect.ValueOf(p.v).UnsafePointer() }

// blank returns a part of the same type with a zero component.
func (p *part) blank() *part {
	return &part{t: p.t, v: reflect.New(reflect.TypeOf(p.v).Elem()).Interface()}
}

// goTo sets the position of a first item.
func (p *part) goTo(at xy) {
	switch v := p.v.(type) {
	case *bodyItem:
		v.Pos = at
	case *moverItem:
		v.Pos = at
	case *craftItem:
		v.Pos = at
	case *pawnItem:
		v.X, v.Y = int16(int64(at.X)), int16(int64(at.Y))
	case *roamItem:
		v.Pos = xy32{float32(at.X), float32(at.Y)}
	}
}

// hp returns the HP field of a first item, which changes often.
func (p *part) hp() *uint8 {
	switch v := p.v.(type) {
	case *bodyItem:
		return &v.HP
	case *moverItem:
		return &v.HP
	case *craftItem:
		return &v.HP
	case *pawnItem:
		return &v.HP
	case *roamItem:
		return &v.HP
	}
	return nil
}

// step moves an item on by a tick. pace is per second.
func (p *part) step(pace xy, noise *rand.Rand) {
	switch v := p.v.(type) {
	case *bodyItem:
		v.Vel = pace
		v.Pos.X, v.Pos.Y = v.Pos.X+pace.X/60, v.Pos.Y+pace.Y/60
	case *moverItem:
		v.Pos.X, v.Pos.Y = v.Pos.X+pace.X/60, v.Pos.Y+pace.Y/60
		v.Lift = math.Min(math.Max(v.Lift+pace.Y/120, -70), 70)
		if noise != nil {
			v.Pos.X += noise.Float64() - .5
		}
	case *craftItem:
		v.Vel = xy{pace.X / 60, pace.Y / 60}
		v.Pos.X, v.Pos.Y = v.Pos.X+v.Vel.X, v.Pos.Y+v.Vel.Y
		if v.Kind != 2 && v.Vel != (xy{}) {
			v.Look = math.Atan2(v.Vel.Y, v.Vel.X)
		}
		if noise != nil {
			v.Vel.X += noise.Float64() - .5
		}
	case *pawnItem:
		v.Look, v.Odds = v.Look+float32(pace.X/60), float32(math.Mod(math.Abs(pace.Y), 1))
	case *roamItem:
		v.Vel = xy32{float32(pace.X), float32(pace.Y)}
		v.Pos.X, v.Pos.Y = v.Pos.X+v.Vel.X/60, v.Pos.Y+v.Vel.Y/60
	case *hulkItem:
		v.Heat += v.Rate / 60
		v.Spin += v.Turn / 60
		v.Drawn += pace.X / 60
	case *plateItem:
		v.Glow += v.Pace
	}
}

// stop ends the movement that step makes without a pace.
func (p *part) stop() {
	switch v := p.v.(type) {
	case *hulkItem:
		v.Rate, v.Turn = 0, 0
	case *plateItem:
		v.Pace = 0
	}
}

func (w *randomWorld) newPart(t *rpl.ItemType) *part {
	p := &part{t: t}
	switch t.Name {
	case "body":
		p.v = &bodyItem{HP: 100}
	case "mover":
		p.v = &moverItem{Seed: 7}
	case "craft":
		p.v = &craftItem{HP: 100}
	case "pawn":
		p.v = &pawnItem{}
	case "roam":
		p.v = &roamItem{}
	case "bag":
		p.v = &bagItem{Name: "bag"}
	case "secret":
		s := &secretItem{}
		w.conceal(s)
		p.v = s
	case "once":
		p.v = &onceItem{Seed: w.secret()}
	case "tome":
		b := &tomeItem{}
		w.write(b)
		p.v = b
	case "hulk":
		p.v = &hulkItem{Range: 2}
	case "plate":
		p.v = &plateItem{}
	}
	return p
}

// conceal gives an item new secrets, which w.given records.
func (w *randomWorld) conceal(s *secretItem) {
	s.Token, s.Other, s.Team, s.Watch = w.sparse(), w.sparse(), w.sparse(), w.sparse()
	s.Word, s.TeamWord = fmt.Sprint("owner ", w.secret()), fmt.Sprint("team ", w.secret())
	w.given.words[s.Word], w.given.words[s.TeamWord] = true, true
}

// sparse returns a secret number that is far from all others, so that a misread delta
// of one does not give another.
func (w *randomWorld) sparse() int32 {
	n := int32(uint32(w.secret()) * 0x9e3779b1 & math.MaxInt32)
	w.given.numbers[n] = true
	return n
}
