package replay

// back: how predicted nodes go back to the server's state, and how what a correction has moved is
// drawn away.

import (
	"math"
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/predict"
	"github.com/tendonengine/tendon/ecs/internal/track"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/schema"
)

// SaveAll keeps the states after a tick.
func (st *States) SaveAll(all []*nodes.Node, t rpl.Tick) {
	st.saved = t
	for _, n := range all {
		if st.Nodes.Of(n.Entity) == n {
			st.Save(n, t)
		}
	}
}

// inject writes the server's state of an item into its component.
func (st *States) inject(n *nodes.Node, ord int) {
	b := &n.Items[ord]
	e, at := st.Component(b)
	if at == nil {
		return
	}
	w := st.Tagged(b.Comp, e, at)
	if st.Proxy.Inject(n.Replica, ord, b.Comp.Item, w) && b.Comp.StandIn != nil {
		b.Comp.StandIn.Set(e, at, w)
	}
}

// Begin begins to predict a node: what is drawn of it goes over from where it was drawn, behind
// the newest state, to where it is predicted, ahead of that.
func (st *States) Begin(n *nodes.Node, round uint64) {
	n.Predicted = &predict.Node{Round: round}
	if n.Replica != nil {
		st.Begun(n)
	}
	if n.Replica == nil || n.Hidden {
		return
	}
	n.Predicted.Begun, n.Predicted.At, n.Predicted.Under = true, st.Screen.Now().Seconds(), under(n)
	if float64(n.Replica.Leapt) <= st.Screen.Render { // what it is drawn at is after the server's newest leap
		n.Predicted.Leapt = n.Replica.Leapt
	}
	for ord := range n.Items {
		b := &n.Items[ord]
		if e, at := st.Component(b); at != nil && b.Track != nil && !b.Track.Empty() {
			drawn := st.drawn(b, e, at, func(_, w unsafe.Pointer) { st.Screen.Draw(b.Track, w, false) })
			w, k := st.Tagged(b.Comp, e, at), n.Predicted.Item(ord, b.Comp.Item)
			for j := range b.Comp.Drawn.Fields {
				f := &b.Comp.Drawn.Fields[j]
				k.Off = append(k.Off, f.Way(f.Get(w), drawn[j]))
			}
		}
	}
}

// drawn returns the drawn fields of an item's component after draw has drawn a copy of it, and
// of its tagged fields.
func (st *States) drawn(b *nodes.Binding, e *donburi.Entry, at unsafe.Pointer, draw func(v, w unsafe.Pointer)) []float64 {
	v := b.Comp.Fresh()
	b.Comp.Copy(v, at)
	draw(v, st.Tagged(b.Comp, e, v))
	w := v
	if b.Comp.StandIn != nil {
		w = st.Scratch(b.Comp)
	}
	st.was = st.was[:0]
	for j := range b.Comp.Drawn.Fields {
		st.was = append(st.was, b.Comp.Drawn.Fields[j].Get(w))
	}
	return st.was
}

// HaveMoved reports whether a predicted node that Judge compares has another parent than when that last did.
func HaveMoved(all []*nodes.Node) bool {
	return slices.ContainsFunc(all, func(n *nodes.Node) bool { return Known(n) && hasMoved(n) })
}

// hasMoved reports whether what is kept of a node may be of below another parent than it has.
func hasMoved(n *nodes.Node) bool { return n.Predicted.Hung || n.Predicted.Under != under(n) }

func under(n *nodes.Node) rpl.Node {
	if n.Parent != nil {
		return n.Parent.ID
	}
	return 0
}

// Release gives a node that is not predicted any more back to what comes from the server: it
// goes over to where that is drawn. ahead is how many ticks it was predicted ahead.
func (st *States) Release(n *nodes.Node, ahead float64) {
	if n.Replica != nil {
		n.Replica.SetPredicted(false)
	}
	if st.Proxy == nil || n.Leaving || n.Replica == nil || n.Data.Transient || st.Nodes.Of(n.Entity) != n {
		n.Predicted = nil
		return
	}
	st.fit(n, st.saved, true)
	for ord := range n.Items {
		b := &n.Items[ord]
		e, at := st.Component(b)
		st.Refer(n, ord)
		if at == nil || b.Track == nil {
			st.inject(n, ord)
			continue
		}
		drawn := slices.Clone(st.drawn(b, e, at, func(v, _ unsafe.Pointer) {
			st.Draw(n, b.Entity, b.Comp.Type, v, 0, 1, st.Screen.Now().Seconds())
		}))
		st.inject(n, ord)
		st.words = n.Replica.Words(ord, st.words[:0])
		b.Track.Restart(st.Proxy.Newest(), st.words)
		if !hasMoved(n) {
			st.Screen.Take(b.Track, drawn, track.JumpUnits*ahead)
		}
		st.Start(n, b)
	}
	n.Predicted = nil
	st.Report(n)
}

// Leave notes where what is predicted leaves from after tick t, whose way up to Moved nobody sees.
func (st *States) Leave(all []*nodes.Node, t rpl.Tick) {
	for _, n := range all {
		n.Predicted.Anew(t)
		st.noteAbsent(n)
	}
	st.EachDrawn(all, func(_ *predict.Node, k *predict.Item, drawn *track.Fields, at unsafe.Pointer) {
		k.Was, k.Apart = k.Was[:0], k.Apart[:0]
		for j := range drawn.Fields {
			k.Was, k.Apart = append(k.Was, drawn.Fields[j].Get(at)), append(k.Apart, 0)
		}
	})
}

// Back sets predicted nodes back to the server's state of tick t, and notes what was drawn.
func (st *States) Back(all []*nodes.Node, t rpl.Tick) {
	for _, n := range all {
		st.noteAbsent(n)
	}
	st.EachDrawn(all, func(p *predict.Node, k *predict.Item, drawn *track.Fields, at unsafe.Pointer) {
		k.Was = k.Was[:0]
		for j := 0; j < len(drawn.Fields) && !(p.Comes && !p.Begun); j++ { // what nobody has seen comes from nowhere
			k.Was = append(k.Was, drawn.Fields[j].Get(at))
		}
	})
	st.keepDrawn(all, t)
	for _, n := range all {
		n.Predicted.Wakes.Back(t)
		if newest := n.Predicted.Anew(t); n.Leapt > t {
			n.Leapt = newest
		}
		if n.Replica == nil && n.Predicted.Born > t { // its command makes it again
			n.Predicted.Gone = true
			st.fit(n, t, true)
			continue
		}
		unknown := (st.partly || !Known(n)) && (n.Replica == nil || !hasMoved(n)) // nothing is known of it
		st.fit(n, t, !unknown || n.Predicted.Comes)
		st.putExtras(n, t)
		for ord := range n.Items {
			kept := st.copy(n, ord, t) // what does not travel goes back too
			news := n.Predicted.News(ord)
			switch {
			case n.Predicted.Comes:
				st.inject(n, ord)
			case unknown && !news:
			case kept && len(n.Items[ord].Comp.Item.Vars) == 0:
				st.mend(n, ord, t)
			default:
				st.inject(n, ord)
			}
		}
		n.Predicted.Comes = false
		st.Save(n, t)
	}
	st.EachDrawn(all, func(_ *predict.Node, k *predict.Item, drawn *track.Fields, at unsafe.Pointer) {
		for j := range k.Apart {
			f := &drawn.Fields[j]
			k.Apart[j] = f.Way(k.Apart[j], f.Get(at))
		}
	})
}

// keepDrawn keeps what the drawn fields were that are kept of a tick.
func (st *States) keepDrawn(all []*nodes.Node, t rpl.Tick) {
	for _, n := range all {
		for ord := range n.Items {
			b := &n.Items[ord]
			e, at := st.Component(b)
			if at == nil || len(b.Comp.Drawn.Fields) == 0 {
				continue
			}
			k := n.Predicted.Item(ord, b.Comp.Item)
			k.Apart = k.Apart[:0]
			if kept := k.At(t); kept != nil {
				k.Apart = drawnFields(b, st.Tagged(b.Comp, e, kept), k.Apart)
			}
		}
	}
}

// Again sets predicted nodes back to what they were here after a tick, and reports whether all of
// that is kept.
func (st *States) Again(all []*nodes.Node, t rpl.Tick) bool {
	for _, n := range all {
		for ord := range n.Items {
			if b := &n.Items[ord]; st.holder(b) != nil {
				if _, known := n.Predicted.Had(n.Predicted.Item(ord, b.Comp.Item), t); !known {
					return false
				}
			}
		}
	}
	for _, n := range all {
		n.Predicted.Wakes.Back(t)
		st.fit(n, t, false)
		st.putExtras(n, t)
		for ord := range n.Items {
			st.copy(n, ord, t)
		}
	}
	return true
}

// copy copies the state of an item that was kept after a tick back into its component, and reports
// whether one was.
func (st *States) copy(n *nodes.Node, ord int, t rpl.Tick) (kept bool) {
	b := &n.Items[ord]
	_, at := st.Component(b)
	if at == nil {
		return false
	}
	k := n.Predicted.Item(ord, b.Comp.Item)
	if kept = k.Ticks[t%predict.Ticks] == t; kept {
		b.Comp.PutBack(at, k.Ring[t%predict.Ticks])
	}
	return kept
}

// mend writes what the server has otherwise than an item's component, which is as it was kept
// after tick t. What agrees stays unrounded, as the server has it: rounded anew, all that is
// predicted would go on beside the server's from every correction of any of it.
func (st *States) mend(n *nodes.Node, ord int, t rpl.Tick) {
	b := &n.Items[ord]
	e, at := st.Component(b)
	w := st.Tagged(b.Comp, e, at)
	field, _ := st.Differs(n, ord, b, e, at, t)
	if len(st.words) != len(b.Comp.Item.Words) {
		return
	}
	st.nearest(n, ord, w)
	for i := range st.words {
		if field == "" && st.sends(n, ord, &b.Comp.Item.Props[b.Comp.Item.Words[i].Prop]) {
			st.words[i] = st.mine[i] // a step beside it, perhaps, and right all the same
		}
	}
	b.Comp.Item.InjectOver(w, st.words, st.mine, nil, st.Nodes)
	if b.Comp.StandIn != nil {
		b.Comp.StandIn.Set(e, at, w)
	}
}

// nearest moves the drawn fields of the struct at w that are a step beside the server's, in st.mine and st.words, to the
// nearest place that is rounded as the server's is, which is never farther from where the server truly has it. The middle
// of the step might be; and left where they are, such steps add up until they are a correction.
func (st *States) nearest(n *nodes.Node, ord int, w unsafe.Pointer) {
	b := &n.Items[ord]
	for j := range b.Comp.Drawn.Fields {
		f := &b.Comp.Drawn.Fields[j]
		i := f.Word()
		p := &b.Comp.Item.Props[b.Comp.Item.Words[i].Prop]
		if st.mine[i] != st.words[i] && schema.Apart(p, &b.Comp.Item.Words[i], st.mine[i], st.words[i], 1) == 0 && st.sends(n, ord, p) {
			f.Set(w, f.Nearest(f.Get(w), st.words))
			st.words[i] = st.mine[i]
		}
	}
}

// Moved takes what so many ticks since Leave or Back have moved into what is drawn away from now on, and has
// it reported. No error of a leap is drawn away: of one that has come since, or has gone, or is far from the
// server's state all at once, gap ticks after what was compared before.
func (st *States) Moved(all []*nodes.Node, now, ticks, gap float64) {
	st.EachDrawn(all, func(p *predict.Node, k *predict.Item, drawn *track.Fields, at unsafe.Pointer) {
		if len(k.Was) == 0 { // it was not there before
			return
		}
		for len(k.Off) < len(k.Was) {
			k.Off = append(k.Off, 0)
		}
		for i, end := range drawn.Props {
			leaps := false
			for j := i; j < end; j++ {
				f := &drawn.Fields[j]
				off := f.Way(f.Get(at), k.Was[j])
				apart := off
				if j < len(k.Apart) {
					apart = k.Apart[j] / max(gap, 1)
				}
				off += k.Off[j] * track.Fade(now-p.At)
				leaps = leaps || math.IsNaN(off) || !p.Begun && f.Leaps(0, apart) || f.Leaps(0, off/max(ticks, gap, 1)) || f.Steps() // a teleport, or a value that was absent
				k.Off[j] = off
			}
			if leaps {
				clear(k.Off[i:end])
			}
		}
	})
	for _, n := range all {
		st.Report(n)
		p := n.Predicted
		if p.At = now; p.LeapsOtherwise() {
			p.Settle()
		}
	}
}

// MovedBack is Moved after Back, by which the server's leaps have got into what is drawn, and other parents, in the
// place of which nothing is the way it was.
func (st *States) MovedBack(all []*nodes.Node, now, ticks, gap float64) {
	st.Moved(all, now, ticks, gap)
	for _, n := range all {
		p := n.Predicted
		p.Begun = false
		leapt := p.Leapt
		if n.Replica != nil {
			leapt = max(leapt, n.Replica.Leapt)
		}
		if leapt > p.Leapt || hasMoved(n) {
			p.Leapt, p.Hung, p.Under = leapt, false, under(n)
			p.Settle()
		}
	}
}

// A Difference is the first in which the server's state is not what was predicted.
type Difference struct {
	Entry *donburi.Entry
	Field string // "component.Field", or the component alone
	Size  float64
}

// Judge compares the server's state of tick t with what was predicted for it. fresh is whether
// something has come that must be brought up to this machine's tick.
func (st *States) Judge(all []*nodes.Node, t rpl.Tick) (d Difference, wrong, fresh bool) {
	for _, n := range all {
		if !Known(n) || st.partly && n.Predicted.Caught() {
			of, is, comes := st.judgeNews(n)
			if is && !wrong {
				d = of
			}
			wrong, fresh = wrong || is, fresh || comes
			continue
		}
		met, moved := n.Predicted.Met, hasMoved(n)
		n.Predicted.Met, n.Predicted.Comes, fresh = true, st.partly && !met, fresh || moved
		n.Replica.SetPredicted(true)
		agrees := true
		for ord := range n.Items {
			b := &n.Items[ord]
			e := st.holder(b)
			if e == nil {
				continue
			}
			st.Refer(n, ord)
			k := n.Predicted.Item(ord, b.Comp.Item)
			if has := has(n, ord, b.Comp.Item); has != k.Has || k.Other { // a right has come or gone
				k.Has, k.Other, fresh = has, false, true
			}
			had, known := n.Predicted.Had(k, t)
			if !had || !met || moved { // what was predicted below the former parent is no misprediction
				fresh, agrees = true, false
				if known && !had && met && !moved && !wrong { // a rule has removed it
					wrong, d = true, Difference{e, b.Comp.Name, 1}
				}
				continue
			}
			field, size := st.Differs(n, ord, b, e, k.Ring[t%predict.Ticks], t)
			fresh = fresh || st.rests
			if st.Debug {
				st.noteStill(n, ord, field, t)
			}
			if field != "" {
				if agrees = false; !wrong {
					wrong, d = true, Difference{e, b.Comp.Name + "." + field, size}
				}
			}
		}
		if of, is := st.judgeSet(n, t); is && met && !moved {
			if agrees = false; !wrong {
				wrong, d = true, of
			}
		}
		n.Predicted.Refit, fresh = false, fresh || n.Predicted.Refit
		if agrees { // what is drawn is after its leaps
			n.Predicted.Leapt = max(n.Predicted.Leapt, n.Replica.Leapt)
		}
	}
	return d, wrong, fresh
}

// has returns which parts of an item this client has, a bit for each.
func has(n *nodes.Node, ord int, of *rpl.ItemType) (has uint64) {
	for i, p := range of.Parts {
		if n.Replica.Has(ord, p.Audience) {
			has |= 1 << (i & 63)
		}
	}
	return has
}

// Keep drops those from what is predicted that are not any more, or have gone: of another round.
// ahead is how many ticks what is predicted is ahead of what is drawn of others.
func (st *States) Keep(all []*nodes.Node, round uint64, ahead float64) []*nodes.Node {
	kept := all[:0]
	for _, n := range all {
		if (n.Predicted.Round == round || st.lacks(n)) && st.Nodes.Of(n.Entity) == n {
			kept = append(kept, n)
		} else {
			st.Release(n, ahead)
		}
	}
	clear(all[len(kept):])
	return kept
}
