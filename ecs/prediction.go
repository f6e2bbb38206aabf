package ecs

// prediction: what a client does at once with its own commands, and what becomes of it when
// the server tells what really was. The state after each tick is kept; when the server's of
// that tick comes and differs, all predicted nodes go back to it together, and the ticks
// since run again. What is drawn apart from what is simulated ends in fadeSeconds.

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/track"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/schema"
)

// keptTicks is how many ticks a prediction goes back at most: a second, more than commands
// are ever ahead. Predictions older than that are not judged.
const keptTicks = 64

// A Correction is a prediction that was wrong.
type Correction struct {
	Entry *donburi.Entry // the first node that differed; valid during the call
	Field string         // "component.Field", the first that differed
	Size  float64        // by how much it differed, in its own unit
	Ticks int            // that were run again
}

// A prediction is what a client predicts.
type prediction struct {
	*shared
	nodes    *nodeTable
	draw     *drawing
	line     *line
	commands *commanding

	all   []*node // predicted, by id
	known rpl.Tick
	round uint64 // counts findings of what is predicted
	words []int32
	mine  []int32
	vars  []any
	told  []func(Correction)
	was   []float64 // scratch

	Ticks, Corrections int
	ReplayTime         time.Duration // of the corrections
}

// A predicted is what is kept of one predicted node.
type predicted struct {
	round uint64
	items []keptItem // by ordinal
	at    float64    // when its error was last changed, in seconds
}

// A keptItem is an item's component after each of the last ticks.
type keptItem struct {
	ring  [keptTicks]unsafe.Pointer
	ticks [keptTicks]rpl.Tick
	off   []float64 // what is drawn beside it, by drawn field
}

// Predict says whether this client predicts a node that it does not own, such as a ball or
// the car of another: its commands then run here too, with the zero value. Own nodes are
// predicted in any case. On an authority it does nothing.
func Predict(e *donburi.Entry, on bool) {
	if r, n := nodeAt(e); n != nil && r.shared.auth == nil {
		n.asked = on
	}
}

// OnCorrection runs after a prediction was wrong and has been mended.
func (r *Replication) OnCorrection(fn func(Correction)) {
	mustBe("OnCorrection", fn)
	r.predict.told = append(r.predict.told, fn)
}

func sortNodes(ns []*node) {
	slices.SortStableFunc(ns, func(a, b *node) int {
		if a.id == 0 || b.id == 0 {
			return cmp.Compare(b.id, a.id)
		}
		return cmp.Compare(a.id, b.id)
	})
}

// find finds out what is predicted now.
func (pr *prediction) find() {
	pr.round++
	was := len(pr.all)
	for _, b := range pr.commands.all {
		if b == nil || !b.predicted() {
			continue
		}
		for _, n := range b.find() {
			if n.id == 0 || n.owner != pr.me && !n.asked {
				continue
			}
			if n.predicted == nil {
				n.predicted = &predicted{}
				pr.all = append(pr.all, n)
			}
			n.predicted.round = pr.round
		}
	}
	kept := pr.all[:0]
	for _, n := range pr.all {
		if p := n.predicted; p.round == pr.round && pr.nodes.of(n.entity) == n {
			kept = append(kept, n)
		} else {
			n.predicted = nil
			pr.release(n)
		}
	}
	clear(pr.all[len(kept):])
	if pr.all = kept; len(kept) > was {
		sortNodes(pr.all)
	}
}

// release gives a node that is not predicted any more back to what comes from the server.
func (pr *prediction) release(n *node) {
	if pr.proxy == nil || n.leaving || n.replica == nil || pr.nodes.of(n.entity) != n {
		return
	}
	for ord := range n.items {
		b := &n.items[ord]
		e, p := pr.component(b)
		if p == nil {
			continue
		}
		w := pr.tagged(b.comp, e, p)
		if pr.proxy.Inject(n.replica, ord, b.comp.item, w) && b.comp.standIn != nil {
			b.comp.standIn.set(e, p, w)
		}
		if b.track != nil {
			pr.draw.words = n.replica.Words(ord, pr.draw.words[:0])
			b.track.Restart(pr.proxy.Newest(), pr.draw.words)
		}
	}
}

// item returns what is kept of an item.
func (p *predicted) item(ord int) *keptItem {
	for len(p.items) <= ord {
		p.items = append(p.items, keptItem{})
	}
	return &p.items[ord]
}

// save keeps the state after a tick.
func (pr *prediction) save(t rpl.Tick) {
	for _, n := range pr.all {
		if pr.nodes.of(n.entity) == n {
			pr.saveNode(n, t)
		}
	}
}

func (pr *prediction) saveNode(n *node, t rpl.Tick) {
	for ord := range n.items {
		b := &n.items[ord]
		if _, at := pr.component(b); at != nil {
			k := n.predicted.item(ord)
			s := &k.ring[t%keptTicks]
			if *s == nil {
				*s = b.comp.fresh()
			}
			b.comp.copy(*s, at)
			k.ticks[t%keptTicks] = t
		}
	}
}

// reconcile compares the newest state that has come with what was predicted for its tick.
func (pr *prediction) reconcile(now rpl.Tick) {
	t := pr.proxy.Newest()
	if t <= pr.known {
		return
	}
	pr.known = t
	var c Correction
	fresh, wrong := false, false
	for _, n := range pr.all {
		for ord := range n.items {
			b := &n.items[ord]
			e, at := pr.component(b)
			if at == nil {
				continue
			}
			k := n.predicted.item(ord)
			if k.ticks[t%keptTicks] != t {
				fresh = true
				continue
			}
			if field, size := pr.differs(n, ord, b, e, k.ring[t%keptTicks], t); field != "" && !wrong {
				wrong, c.Entry, c.Field, c.Size = true, e, b.comp.name+"."+field, size
			}
		}
	}
	if wrong || fresh {
		began := time.Now()
		pr.replay(t, now)
		pr.ReplayTime += time.Since(began)
	}
	if !wrong {
		return
	}
	pr.Corrections++
	c.Ticks = int(now - t)
	for _, fn := range pr.told {
		fn(c)
	}
}

// differs returns the first field in which a kept state is not the server's.
func (pr *prediction) differs(n *node, ord int, b *binding, e *donburi.Entry, kept unsafe.Pointer, t rpl.Tick) (field string, size float64) {
	it := b.comp.item
	pr.words = n.replica.WordsAt(ord, t, pr.words[:0])
	if len(pr.words) != len(it.Words) || len(it.Vars) > 0 && len(it.Words) == 0 {
		return "", 0
	}
	pr.mine = slices.Grow(pr.mine[:0], len(it.Words))[:len(it.Words)]
	w := pr.tagged(b.comp, e, kept)
	for len(pr.vars) < len(it.Vars) {
		pr.vars = append(pr.vars, nil)
	}
	it.Layout.Extract(w, pr.mine, pr.vars[:len(it.Vars)], pr.nodes)
	for i := range pr.mine {
		if pr.mine[i] == pr.words[i] {
			continue
		}
		p := &it.Props[it.Words[i].Prop]
		if d := wordsApart(p, &it.Words[i], pr.mine[i], pr.words[i]); d != 0 && pr.mayKnow(p.Audience) {
			return p.Name, d
		}
	}
	return "", 0
}

// mayKnow reports whether the owner is told of fields for an audience.
func (pr *prediction) mayKnow(a rpl.Audience) bool { return a == rpl.Everyone || a == rpl.OwnerSees }

// wordsApart returns by how much two words differ beyond the rounding of one step.
func wordsApart(p *schema.Prop, w *schema.Word, mine, theirs int32) float64 {
	d := int64(mine) - int64(theirs)
	if w.Wrap {
		all := int64(w.Max) - int64(w.Min) + 1
		if d %= all; d > all/2 {
			d -= all
		} else if d < -all/2 {
			d += all
		}
	}
	d = max(d, -d)
	if w.Raw {
		if w.Wide {
			return float64(d)
		}
		a, b := float64(math.Float32frombits(uint32(mine))), float64(math.Float32frombits(uint32(theirs)))
		if off := math.Abs(a - b); off > 1e-5*max(1, math.Abs(a)) {
			return off
		}
		return 0
	}
	if d <= 1 && (strings.HasPrefix(p.Kind, "float") || strings.HasPrefix(p.Kind, "angle")) {
		return 0
	}
	return float64(d) * max(p.Step, 0)
}

// replay sets all predicted nodes back to the server's state of tick t, and runs the ticks
// since again.
func (pr *prediction) replay(t, now rpl.Tick) {
	pr.was = pr.was[:0]
	pr.eachDrawn(func(_ *predicted, _ *keptItem, f *track.Field, at unsafe.Pointer, _ int) {
		pr.was = append(pr.was, f.Get(at))
	})
	for _, n := range pr.all {
		for ord := range n.items {
			b := &n.items[ord]
			e, at := pr.component(b)
			if at == nil {
				continue
			}
			if k := n.predicted.item(ord); k.ticks[t%keptTicks] == t {
				b.comp.copy(at, k.ring[t%keptTicks]) // what does not travel goes back too
			}
			w := pr.tagged(b.comp, e, at)
			if pr.proxy.Inject(n.replica, ord, b.comp.item, w) && b.comp.standIn != nil {
				b.comp.standIn.set(e, at, w)
			}
		}
		pr.saveNode(n, t)
	}
	for k := t + 1; k <= now; k++ {
		pr.commands.replay(k)
		pr.save(k)
	}
	i, seconds := 0, pr.line.now().Seconds()
	pr.eachDrawn(func(p *predicted, k *keptItem, f *track.Field, at unsafe.Pointer, j int) {
		if i < len(pr.was) {
			off := f.Way(f.Get(at), pr.was[i])
			if k.off == nil {
				k.off = make([]float64, 16)
			}
			if j < len(k.off) && !math.IsNaN(off) {
				k.off[j] = k.off[j]*track.Fade(seconds-p.at) + off
			}
		}
		i++
	})
	for _, n := range pr.all {
		n.predicted.at = seconds
	}
}

// eachDrawn goes through the drawn fields of what is predicted.
func (pr *prediction) eachDrawn(fn func(p *predicted, k *keptItem, f *track.Field, at unsafe.Pointer, j int)) {
	for _, n := range pr.all {
		for ord := range n.items {
			b := &n.items[ord]
			if b.comp == nil || len(b.comp.drawn.Fields) == 0 || b.comp.standIn != nil {
				continue
			}
			if _, at := pr.component(b); at != nil {
				for j := range b.comp.drawn.Fields {
					fn(n.predicted, n.predicted.item(ord), &b.comp.drawn.Fields[j], at, j)
				}
			}
		}
	}
}

// view changes a copy of a predicted component to what is drawn in this frame: between the
// last two ticks, and with the error of the last correction that is still drawn away.
func (pr *prediction) view(n *node, e donburi.Entity, c donburi.IComponentType, p unsafe.Pointer) {
	now := pr.line.now().Seconds()
	for ord := range n.items {
		b := &n.items[ord]
		if b.comp == nil || b.entity != e || b.comp.c != c || b.comp.standIn != nil || ord >= len(n.predicted.items) {
			continue
		}
		k := &n.predicted.items[ord]
		t := rpl.Tick(pr.commands.lead.Tick())
		share := pr.draw.stepShare()
		before := k.ring[(t-1)%keptTicks]
		fade := track.Fade(now - n.predicted.at)
		for j := range b.comp.drawn.Fields {
			f := &b.comp.drawn.Fields[j]
			v := f.Get(p)
			if share < 1 && before != nil && k.ticks[(t-1)%keptTicks] == t-1 && k.ticks[t%keptTicks] == t {
				if was := f.Get(before); !f.Leaps(was, v) {
					v = f.Between(was, v, share)
				}
			}
			if j < len(k.off) && fade > 0 {
				v = f.Plus(v, k.off[j]*fade)
			}
			f.Set(p, v)
		}
	}
}
