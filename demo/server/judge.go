package main

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/demo/island"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// A judge compares what clients hold with what they should hold. It has its own version
// of the rules of relevancy, and uses the replication only to look into the two worlds.
type judge struct{ items []judged }

// judged is one replicated component, with an item type of its own to quantise it.
type judged struct {
	c    donburi.IComponentType
	item *rpl.ItemType
}

// edge is how far from a radius, in units, a node may be held or not: positions are
// quantised.
const edge = 0.25

func newJudge() (*judge, error) {
	schema := rpl.NewSchema("judge")
	j := &judge{}
	for _, c := range island.Replicated() {
		j.items = append(j.items, judged{c, schema.Item(c.Name(), c.Typ(), nil)})
	}
	return j, schema.Freeze(island.Steps)
}

// A verdict is the number of differences and the first of them.
type verdict struct {
	count int
	first string
}

func (v *verdict) add(m *member, format string, args ...any) {
	if v.count++; v.count == 1 {
		v.first = m.name + ": " + fmt.Sprintf(format, args...)
	}
}

// compare counts the differences of all clients: a prop that differs, a node that is held
// and should not be, a node that is missing.
func (j *judge) compare(server *member, clients []*member) verdict {
	var v verdict
	nodes := nodesOf(server.rep)
	for _, c := range clients {
		if c.rep.Me() == 0 {
			v.add(c, "has not joined")
			continue
		}
		j.compareClient(&v, server, c, nodes)
	}
	return v
}

func (j *judge) compareClient(v *verdict, server, c *member, nodes []*donburi.Entry) {
	eyes := eyesOf(server.rep, c.rep.Me())
	known := map[rpl.Node]bool{}
	for _, e := range nodes {
		id := tendon.ID(e)
		known[id] = true
		mine, held := c.rep.Find(id)
		switch should, may := relevant(e, c.rep.Me(), eyes); {
		case should && !held:
			v.add(c, "%v (%s) is missing", id, describe(e))
		case held && !may:
			v.add(c, "%v (%s) is held and should not be", id, describe(e))
		case held:
			j.compareNode(v, c, e, mine)
		}
	}
	for _, e := range nodesOf(c.rep) {
		if id := tendon.ID(e); !known[id] {
			v.add(c, "%v (%s) is held and does not exist", id, describe(e))
		}
	}
}

// compareNode compares owner, parent, and every prop that the client may see.
func (j *judge) compareNode(v *verdict, c *member, want, got *donburi.Entry) {
	id := tendon.ID(want)
	if a, b := tendon.Owner(want), tendon.Owner(got); a != b {
		v.add(c, "%v (%s) is owned by %d, not by %d", id, describe(want), b, a)
	}
	if a, b := parentID(want), parentID(got); a != b {
		v.add(c, "%v (%s) is under %v, not under %v", id, describe(want), b, a)
	}
	if components.RplNode.Get(want).Transient {
		return // every machine moves a transient node itself
	}
	owner := tendon.Owner(want) == c.rep.Me()
	for _, d := range j.items {
		switch a, b := want.HasComponent(d.c), got.HasComponent(d.c); {
		case a != b:
			v.add(c, "%v (%s) has %s: %v, not %v", id, describe(want), d.item.Name, b, a)
		case a:
			d.compare(want.Component(d.c), got.Component(d.c), owner, tendon.Predicted(got), func(prop string) {
				v.add(c, "%v (%s) differs in %s.%s", id, describe(want), d.item.Name, prop)
			})
		}
	}
}

// compare calls differs for each prop in which two components differ once they are
// quantised. What a client predicts it computes by itself, unrounded, and so a fraction may be
// a step beside the server's.
func (d *judged) compare(want, got unsafe.Pointer, owner, predicted bool, differs func(prop string)) {
	a, av := d.extract(want)
	b, bv := d.extract(got)
	for _, p := range d.item.Props {
		if p.Audience == rpl.OwnerSees && !owner {
			continue
		}
		same := true
		for i := p.Words[0]; i < p.Words[1]; i++ {
			apart := a[i] - b[i]
			if w := &d.item.Words[i]; w.Wrap && max(apart, -apart) == w.Max-w.Min {
				apart = 1
			}
			fraction := strings.HasPrefix(p.Kind, "float") || strings.HasPrefix(p.Kind, "angle")
			same = same && (apart == 0 || predicted && fraction && max(apart, -apart) == 1)
		}
		for i := p.Vars[0]; i < p.Vars[1]; i++ {
			same = same && d.item.Vars[i].Type.Equal(av[i], bv[i])
		}
		if !same {
			differs(p.Name)
		}
	}
}

func (d *judged) extract(p unsafe.Pointer) ([]int32, []any) {
	words, vars := make([]int32, len(d.item.Words)), make([]any, len(d.item.Vars))
	d.item.Extract(p, words, vars, nil)
	return words, vars
}

// nodesOf returns a machine's nodes except the session's.
func nodesOf(r *tendon.Replication) []*donburi.Entry {
	var list []*donburi.Entry
	for e := range components.RplNode.Iter(r.World()) {
		if id := tendon.ID(e); id != 0 && id != rpl.SessionNode {
			list = append(list, e)
		}
	}
	return list
}

// eyesOf returns the places from which a peer sees.
func eyesOf(r *tendon.Replication, p rpl.Peer) []gmath.Vec {
	var eyes []gmath.Vec
	for e := range components.Observer.Iter(r.World()) {
		if tendon.Owner(e) == p {
			eyes = append(eyes, island.Where(e).Pos.Add(components.Observer.Get(e).Offset))
		}
	}
	return eyes
}

// relevant reports whether a peer must hold a node, and whether it may: between the two
// radii both are right.
func relevant(e *donburi.Entry, p rpl.Peer, eyes []gmath.Vec) (should, may bool) {
	root := e
	for parent, ok := island.ParentOf(root); ok; parent, ok = island.ParentOf(root) {
		root = parent
	}
	if ownsAny(root, p) {
		return true, true // the owner of a node has the whole tree
	}
	switch components.RplNode.Get(root).Relevance {
	case rpl.Always:
		return true, true
	case rpl.Near:
		for _, eye := range eyes {
			d := island.Where(root).Pos.DistanceTo(eye)
			should = should || d < island.Enter-edge
			may = may || d < island.Exit+edge
		}
	}
	return should, may
}

// ownsAny reports whether a peer owns a node, or a node below it.
func ownsAny(e *donburi.Entry, p rpl.Peer) bool {
	if tendon.Owner(e) == p {
		return true
	}
	for c := range tendon.Children(e) {
		if ownsAny(c, p) {
			return true
		}
	}
	return false
}

func parentID(e *donburi.Entry) rpl.Node {
	if p, ok := island.ParentOf(e); ok {
		return tendon.ID(p)
	}
	return 0
}

func describe(e *donburi.Entry) string {
	if e.HasComponent(island.Look) {
		return island.Look.Get(e).Kind.String()
	}
	return "no sprite"
}
