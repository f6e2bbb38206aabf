// Package spawns keeps, on a client, the nodes that its commands have made before the
// authority has: a bullet is there in the frame of the key. The authority's node has the
// same name, and takes over the entity when it arrives. What a correction does not make
// again goes, and so does what the authority has refused.
package spawns

import (
	"bytes"
	"time"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/ecs/internal/loadtime"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/predict"
	"github.com/tendonengine/tendon/rpl"
)

// maxAwaited bounds what waits for the authority: more than anybody fires in a round trip.
const maxAwaited = 256

// Waits is how much longer than a round trip a predicted spawn waits for the authority's, of steps and
// sends a second: four of each, so that a loss or two are made up for, and at least as long as at 60
// and 30. With those of both ends it is about 250 ms there, as Prefab.Predict says.
func Waits(steps, sends int) time.Duration {
	return 4 * (time.Second/time.Duration(min(steps, 60)) + time.Second/time.Duration(min(sends, 30)))
}

// A Spawn is a node that the authority has not told of yet.
type Spawn struct {
	name   predict.Name
	prefab *nodes.Prefab
	node   *nodes.Node
	args   []byte
	first  []unsafe.Pointer // its components as they were made, by ordinal
	until  time.Duration    // when it is given up
}

// A Set is the nodes that wait for the authority's.
type Set struct {
	*nodes.Base
	Nodes    *nodes.Table
	LoadTime *loadtime.Nodes
	End      func(n *nodes.Node) // forgets a node, and removes its entities

	all      []*Spawn
	resolved []*Spawn // the authority has told of them, or they were given up; a replay may still run their commands
}

// Keep has those that wait stay predicted, whatever moves them: of what is not, a correction sets nothing back.
func (st *Set) Keep(round uint64) {
	for _, s := range st.all {
		s.node.Predicted.Round = round
	}
}

// Asked is whether a node that the authority tells of, and gives an owner, is predicted though it is not this player's.
// What a command has made for this player, and the authority has given away in the same tick, is so only if the game has
// asked for it. What it has made for nobody goes on as what has made it.
func (st *Set) Asked(n *nodes.Node, to rpl.Peer) bool {
	return n.Asked && (to == st.Me || to == 0) || n.Awaited && n.Owner == 0 && to == 0
}

// Reset forgets all; what becomes of the entities is up to who ends the session.
func (st *Set) Reset() { st.all, st.resolved = nil, nil }

// Make makes the node of a name, once: in a replay it sets the node back to what build
// makes. until is when it is given up: by the next Expire where too many wait already.
func (st *Set) Make(name predict.Name, owner rpl.Peer, f *nodes.Prefab, args []byte, until time.Duration, build func() *donburi.Entry) *nodes.Node {
	for i, s := range st.all {
		if s.name != name || s.prefab != f {
			continue
		}
		if st.here(s.node) {
			st.again(s, args, build)
			return s.node
		}
		st.all = drop(st.all, i) // the game has removed it, which it should not
		break
	}
	for _, s := range st.resolved {
		if s.name == name && s.prefab == f {
			if st.here(s.node) && s.node.Predicted != nil {
				return s.node // as the authority tells
			}
			until = 0 // it has ended, or was given up, or is not to be written to: the game gets one for this replay
			break
		}
	}
	if len(st.all) >= maxAwaited {
		st.Faults.Count("spawn not predicted")
		until = 0
	}
	e := build()
	donburix.Add(e, components.RplNode, components.Owner, components.Parent, components.Proxy)
	if data := components.RplNode.Get(e); *data == (components.NodeData{}) {
		*data = f.Node
	}
	n := st.Nodes.New(e.Entity(), *components.RplNode.Get(e))
	delete(st.Nodes.Parts, e.Entity())
	for _, p := range n.Parts() {
		donburix.Add(st.World.Entry(p), components.Proxy)
	}
	n.SetBuilt(st.LoadTime.BuiltWith(n))
	n.Items = n.ByOrdinal(st.Nodes.Bindings(n))
	n.Awaited, n.Spawned = true, name.Spawned()
	st.Nodes.Add(n)
	st.Nodes.SetOwner(n, owner)
	st.Nodes.ShowParent(n)
	s := &Spawn{name: name, prefab: f, node: n, args: bytes.Clone(args), until: until}
	st.keep(s)
	st.all = append(st.all, s)
	return n
}

// keep keeps a node's components as they have just been made.
func (st *Set) keep(s *Spawn) {
	s.first = s.first[:0]
	for i := range s.node.Items {
		b := &s.node.Items[i]
		var at unsafe.Pointer
		if _, now := st.Component(b); now != nil {
			at = b.Comp.Fresh()
			b.Comp.Keep(at, now)
		}
		s.first = append(s.first, at)
	}
}

// again sets a node back to how it was made, in a replay. With other arguments another
// entity shows what it would have been made like.
func (st *Set) again(s *Spawn, args []byte, build func() *donburi.Entry) {
	if !bytes.Equal(args, s.args) {
		e := build()
		model := st.Nodes.New(e.Entity(), components.NodeData{})
		delete(st.Nodes.Parts, e.Entity())
		of := st.Nodes.Bindings(model)
		for i := range s.node.Items {
			b := &s.node.Items[i]
			_, to := st.Component(b)
			for k := range of {
				if to != nil && of[k].Comp == b.Comp {
					if _, from := st.Component(&of[k]); from != nil {
						b.Comp.Copy(to, from)
						of[k].Comp = nil
						break
					}
				}
			}
		}
		st.RemoveEntities(model)
		s.args = append(s.args[:0], args...)
		st.keep(s)
		return
	}
	for i := range s.node.Items {
		if _, at := st.Component(&s.node.Items[i]); at != nil && i < len(s.first) && s.first[i] != nil {
			s.node.Items[i].Comp.PutBack(at, s.first[i])
		}
	}
}

// Arguments returns the arguments of a node's prefab, and the name of a predicted spawn, which
// is behind them; def may be nil.
func Arguments(def *nodes.Prefab, args []byte) ([]byte, predict.Name) {
	if def == nil {
		return args, predict.Name{}
	}
	n, err := def.Wire.Args.Split(args)
	if err != nil { // the function's own refusal tells why
		return args, predict.Name{}
	}
	name, ok := predict.ParseName(args[n:])
	if !ok {
		return args, predict.Name{}
	}
	return args[:n], name
}

// Claim returns the node that waits for the authority's of a name and a prefab, which takes
// it over, and its components as they were made, by ordinal; nil if there is none.
func (st *Set) Claim(name predict.Name, f *rpl.PrefabType) (n *nodes.Node, made []unsafe.Pointer) {
	if name.Tick == 0 {
		return nil, nil
	}
	for _, s := range st.resolved {
		if s.name == name && s.prefab.Wire == f {
			return nil, nil // it was given up before it came
		}
	}
	best, off := -1, rpl.Tick(predict.Near+1)
	for i, s := range st.all {
		like := s.name
		like.Tick = name.Tick
		if s.prefab.Wire != f || like != name {
			continue
		}
		if d := max(s.name.Tick, name.Tick) - min(s.name.Tick, name.Tick); d < off {
			best, off = i, d
		}
	}
	if best < 0 {
		return nil, nil
	}
	s := st.all[best]
	st.all = drop(st.all, best)
	if !st.here(s.node) { // the game has removed it
		return nil, nil
	}
	st.resolved = append(st.resolved, s)
	if was, is := s.node.Spawned, name.Spawned(); was != is { // it was made a tick off
		s.node.Spawned = is
		st.rename(was, is)
	}
	return s.node, s.first
}

// rename renames what commands of a spawned node have made here once that has another name.
func (st *Set) rename(was, is rpl.Node) {
	for _, list := range [][]*Spawn{st.all, st.resolved} {
		for _, s := range list {
			if s.name.Node != was {
				continue
			}
			old := s.name.Spawned()
			s.name.Node = is
			if s.node.Spawned == old {
				s.node.Spawned = s.name.Spawned()
				st.rename(old, s.node.Spawned)
			}
		}
	}
}

// Resolve notes the node that the authority's of a name has become, where none waited for it: a
// replay that comes to it later makes no other. mine is whether it is this machine's player's.
func (st *Set) Resolve(name predict.Name, f *nodes.Prefab, n *nodes.Node, mine bool) {
	if name.Tick == 0 {
		return
	}
	if n.Spawned = name.Spawned(); !mine {
		return
	}
	for _, s := range st.resolved {
		if s.name == name && s.prefab == f {
			s.node = n
			return
		}
	}
	st.resolved = append(st.resolved, &Spawn{name: name, prefab: f, node: n})
}

func (st *Set) here(n *nodes.Node) bool {
	return st.Nodes.Of(n.Entity) == n && st.World.Valid(n.Entity)
}

func drop(list []*Spawn, i int) []*Spawn {
	copy(list[i:], list[i+1:])
	list[len(list)-1] = nil
	return list[:len(list)-1]
}

// Withdraw ends those that are not as a correction has it, and Expire those of which the
// authority should have told by now, and has not. They return how many.
func (st *Set) Withdraw(gone func(n *nodes.Node) bool) int {
	return st.end(func(s *Spawn) bool { return gone(s.node) })
}

// Expire: see Withdraw. newest is the newest tick that the authority has told of.
func (st *Set) Expire(now time.Duration, newest rpl.Tick) int {
	for len(st.resolved) > 0 && st.resolved[0].name.Tick+predict.Ticks < newest {
		st.resolved = drop(st.resolved, 0)
	}
	if len(st.all) == 0 {
		return 0
	}
	return st.end(func(s *Spawn) bool {
		if now < s.until {
			return false
		}
		if s.until != 0 {
			st.resolved = append(st.resolved, s)
		}
		return true
	})
}

// Refused ends those that the authority has not made, as is certain: of all ticks after since, up to newest, it
// has said what it has made for this machine's player. taken is whether the commands up to a tick have reached it,
// and in time. One that was late counts in one of the next ticks.
func (st *Set) Refused(since, newest rpl.Tick, taken func(rpl.Tick) (is, late bool)) int {
	return st.end(func(s *Spawn) bool {
		is, late := taken(s.name.Tick)
		if late {
			is = is && s.name.Tick+predict.Near <= newest
		}
		if !is || s.name.Tick <= since || s.name.Tick > newest || s.node.Owner != st.Me {
			return false
		}
		st.resolved = append(st.resolved, s)
		return true
	})
}

func (st *Set) end(gone func(s *Spawn) bool) (ended int) {
	for i := 0; i < len(st.all); {
		n := st.all[i].node
		here := st.here(n)
		if here && !gone(st.all[i]) {
			i++
			continue
		}
		st.all = drop(st.all, i)
		if here {
			st.End(n)
			ended++
		}
	}
	return ended
}
