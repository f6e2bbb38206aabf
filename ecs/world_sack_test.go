package ecs_test

// In games played at random: props without a fixed length (texts, lists and maps), and
// references to other nodes, which come, go and may be streamed out.

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

var Sack = tendon.Replicate(proto, "sack", donburi.NewComponentType[SackData]())

type (
	SackData struct {
		Name    string           `rpl:"notify,max=12"`
		Things  []ThingData      `rpl:"notify,max=5"`
		Counts  map[string]int32 `rpl:"notify,max=4,each=8"`
		Friend  donburi.Entity   `rpl:"notify"`
		Friends []donburi.Entity `rpl:"max=3"`
		Own     []int32          `rpl:"to=owner,max=4"`
		Text    []byte           `rpl:"max=20000"` // more than a packet holds, at times more than a message
	}
	ThingData struct {
		Kind uint8          `rpl:""`
		To   donburi.Entity `rpl:""`
		here int            // each machine's own
	}
)

// A naming gives the node that an entity stands for, 0 for none.
type naming func(donburi.Entity) rpl.Node

// names returns the id of a machine's node, and 0 for every other entity.
func (a *actor) names(e donburi.Entity) rpl.Node {
	if w := a.World(); e != donburi.Null && w.Valid(e) {
		if id := tendon.ID(w.Entry(e)); a.has(id) {
			return id
		}
	}
	return 0
}

// seenBy returns a naming of the server's entities: the id of a node that player p has
// too, else 0.
func (g *adventure) seenBy(p *actor) naming {
	return func(e donburi.Entity) rpl.Node {
		if id := g.server.names(e); p.has(id) {
			return id
		}
		return 0
	}
}

// first returns as much of a list as travels.
func first[T any](list []T, most int) []T { return list[:min(len(list), most)] }

// told describes the props of a sack that OnChange reports, as far as they travel.
func (b *SackData) told(as naming) string {
	var s strings.Builder
	name := b.Name
	for len(name) > 12 || !utf8.ValidString(name) {
		name = name[:len(name)-1]
	}
	fmt.Fprintf(&s, "%q, friend %v, things", name, as(b.Friend))
	for _, t := range first(b.Things, 5) {
		fmt.Fprintf(&s, " %d to %v,", t.Kind, as(t.To))
	}
	for _, key := range first(slices.Sorted(maps.Keys(b.Counts)), 4) {
		fmt.Fprintf(&s, " %s: %d", key, b.Counts[key])
	}
	return s.String()
}

// all describes a whole sack, as far as it travels to its owner or to another peer.
func (b *SackData) all(as naming, owner bool) string {
	var s strings.Builder
	fmt.Fprint(&s, b.told(as), ", friends")
	for _, e := range first(b.Friends, 3) {
		fmt.Fprint(&s, " ", as(e))
	}
	if owner {
		fmt.Fprint(&s, ", own ", first(b.Own, 4))
	} else {
		fmt.Fprint(&s, ", own []")
	}
	fmt.Fprintf(&s, ", text %q", first(b.Text, 20_000))
	return s.String()
}

// stuff changes something in a node's sack. The session's sack refers to no node, since
// the session outlives the world.
func (a *actor) stuff(e *donburi.Entry, pick func(int) int) {
	b := Sack.Get(e)
	at := func(n int) int { return pick(n + 1) } // also past the end
	someone := func() donburi.Entity {
		if to := a.some(pick); to != nil && pick(4) > 0 && tendon.ID(e) != rpl.SessionNode {
			return to.Entity()
		}
		return donburi.Null
	}
	switch pick(10) {
	case 0:
		b.Name = strings.Repeat([]string{"x", "ä", "name "}[pick(3)], pick(9))
	case 1, 2:
		i := at(len(b.Things))
		if b.Things = slices.Insert(b.Things, i, ThingData{Kind: uint8(pick(9)), To: someone()}); len(b.Things) > 8 {
			b.Things = slices.Delete(b.Things, 0, 3)
		}
	case 3:
		if n := len(b.Things); n > 0 {
			i := pick(n)
			b.Things = slices.Delete(b.Things, i, i+1)
		}
	case 4:
		slices.SortStableFunc(b.Things, func(x, y ThingData) int { return cmp.Compare(x.Kind, y.Kind) })
		for i := range b.Things {
			b.Things[i].here++
			b.Things[i].Kind += uint8(pick(2))
		}
	case 5, 6:
		key := fmt.Sprint("key", pick(7))
		if _, ok := b.Counts[key]; ok && pick(2) == 0 {
			delete(b.Counts, key)
		} else if b.Counts == nil {
			b.Counts = map[string]int32{key: int32(pick(5))}
		} else {
			b.Counts[key] = int32(pick(1000)) - 500
		}
	case 7:
		b.Friend = someone()
	case 8:
		if b.Friends = append(b.Friends, someone()); len(b.Friends) > 4 {
			b.Friends = nil
		}
	case 9:
		if pick(3) > 0 {
			b.Own = append(b.Own[:min(len(b.Own), pick(4))], int32(pick(100)))
		} else {
			i := at(len(b.Text))
			b.Text = slices.Insert(b.Text, i, []byte(strings.Repeat(string(rune('a'+pick(26))), 1+pick(30)*pick(30)))...)
			b.Text = b.Text[:min(len(b.Text), 2700)]
			if a.volumes > 0 && pick(3) == 0 {
				a.volumes--
				b.Text = bytes.Repeat([]byte(b.Name+"."), 1+20_500/(len(b.Name)+1))
			}
		}
	}
}

// attendSacks checks what OnChange reports of sacks.
func (g *adventure) attendSacks(a *actor) {
	tendon.OnChange(a.Replication, Sack, func(e *donburi.Entry, old SackData) {
		id, now := tendon.ID(e), Sack.Get(e)
		if id != rpl.SessionNode && !a.in[id] {
			g.t.Fatalf("%s: change of the sack of %v, which is not in", a.name, id)
		}
		as := entities
		last, ok := a.sacks[id]
		// A change from one entity that is no node to another is not reported, so the old
		// value may hold a reference that was never told.
		if !last.whole || old.Friend != last.data.Friend && old.Friend == now.Friend && a.names(now.Friend) == 0 {
			as = nameless
		}
		was := old.told(as)
		if ok && id != rpl.SessionNode && was != last.data.told(as) && was != (&SackData{}).told(as) { // an empty old value: the sack was added
			g.t.Fatalf("%s, %v: sack of %v from %s, which was told to be %s", a.name, a.Mode(), id, was, last.data.told(as))
		}
		a.sacks[id] = a.sackNow(now)
		g.react(a, e, onSack)
	})
}

func nameless(donburi.Entity) rpl.Node { return 0 }

func entities(e donburi.Entity) rpl.Node { return rpl.Node(e) }

// A sackTold is a sack as OnChange reported it last.
type sackTold struct {
	named string
	data  SackData
	whole bool // every reference was a node or null; other references in lists are not remembered
}

func (a *actor) sackNow(now *SackData) sackTold {
	t := sackTold{data: *now, whole: true}
	t.data.Things, t.data.Counts = slices.Clone(now.Things), maps.Clone(now.Counts)
	t.named = now.told(func(e donburi.Entity) rpl.Node {
		id := a.names(e)
		t.whole = t.whole && (id != 0 || e == donburi.Null)
		return id
	})
	return t
}

// sacksTold checks that OnChange has reported the sacks that a machine has.
func (a *actor) sacksTold(all []*donburi.Entry) error {
	for _, e := range all {
		if !e.HasComponent(Sack) {
			continue
		}
		was, ok := a.sacks[tendon.ID(e)]
		if now := Sack.Get(e).told(a.names); ok && was.named != now {
			return fmt.Errorf("it was told that the sack of %v is %s, not %s", tendon.ID(e), was.named, now)
		}
	}
	return nil
}
