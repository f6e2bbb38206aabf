// Package reparent draws nodes whose parent has changed of late. Drawn time trails the state, so a
// rider that has got out is drawn in its seat until drawn time reaches the step in which it did. What
// is predicted is drawn ahead of that: what gets into it or out of it changes from one time to another,
// and so does this client's own body where it gets into what another drives. What it would leap by is
// drawn away, and so is what it was drawn beside its place with what it hung on (slip.go).
package reparent

import (
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/track"
	"github.com/tendonengine/tendon/rpl"
)

// A Drawer draws the nodes of a client that have changed their parents.
type Drawer struct {
	*nodes.Base
	Nodes   *nodes.Table
	Screen  *track.Screen
	View    func(*donburi.Entry) components.TransformData // as drawn in this frame, relative to the parent
	InWorld func(*donburi.Entry) components.TransformData // as drawn in this frame, in the world
	Ahead   func() float64                                // how many ticks what is predicted is drawn ahead of the others

	leavings []leaving           // what may leave its parent in this Apply
	at       map[*nodes.Node]int // where each is among them
	formers  []*nodes.Node       // that drawn time has not got to the end of, perhaps
	stands   []*nodes.Node       // whose parent is not known
	waiting  []*nodes.Node       // whose slips wait
	drew     float64             // drawn time in the frame before …
	skips    bool                // … and it has leapt since
}

// A leaving is a node that may leave its parent, and where in the world it was drawn before this Apply.
type leaving struct {
	n       *nodes.Node
	was     components.TransformData
	on      *nodes.Node              // what it was drawn on, nil: nothing …
	onWas   components.TransformData // … and where that was
	leapt   rpl.Tick                 // the newest leap that it was drawn after
	stood   *nodes.Stand             // where it stood until its parent came
	left    bool                     // it does leave
	settled bool
}

// Keep keeps where a node is drawn, as long as nothing in the tree has changed in this Apply: what is above it may
// leave its parent, too.
func (d *Drawer) Keep(n *nodes.Node) {
	if _, kept := d.at[n]; kept || n.Hidden || d.Nodes.Of(n.Entity) != n {
		return
	}
	if e := d.World.Entry(n.Entity); e.HasComponent(components.Transform) {
		if d.at == nil {
			d.at = map[*nodes.Node]int{}
		}
		d.at[n] = len(d.leavings)
		l := leaving{n: n, was: d.InWorld(e), on: d.drawnOn(n, d.Screen.Render)}
		if s := d.Nodes.StandOf(n); s != nil && s.Still || l.on != nil && d.Nodes.Of(l.on.Entity) != l.on {
			l.on = nil
		}
		if l.on != nil {
			l.onWas = d.InWorld(d.World.Entry(l.on.Entity))
		}
		d.leavings = append(d.leavings, l)
	}
}

// Leave keeps what is needed of a node's place, before a change of its parent.
func (d *Drawer) Leave(n *nodes.Node) {
	b := n.DrawnBinding(n.Entity, components.Transform)
	if b == nil || d.Nodes.Of(n.Entity) != n || b.Comp.StandIn != nil || n.Hidden || d.Nodes.IsLost(n) {
		return
	}
	if n.Predicted != nil {
		d.leave(n, n.Predicted.Leapt)
		return
	}
	now := d.Proxy.Newest()
	if s := d.Nodes.StandOf(n); s != nil {
		if d.leave(n, b.Track.Newest()); !s.Still && n.Former != nil {
			n.Former.Until = now
		}
		return
	}
	if b.Track.Empty() || n.Former != nil && n.Former.Until == now {
		return
	}
	last := max(b.Track.Newest(), d.Screen.Before(b.Track, now))
	if !b.Track.Moving {
		last = max(last, d.Screen.SendBefore(b.Track, now), d.Screen.Known(b.Track, now, now))
	}
	sure := d.Screen.Sure(b.Track, now)
	if d.Screen.Lacks(b.Track) { // packets that told nothing say nothing
		last = min(last, sure)
	}
	f := &nodes.Former{Parent: n.Parent, Track: b.Track, Last: float64(min(last, now-1)), Until: now}
	f.Sure = min(f.Last, float64(sure))
	f.Leaps = n.Replica.Leapt > b.Track.Newest() // whatever has come since: the packet that told of it first may be lost
	d.leave(n, b.Track.Newest())
	d.Nodes.AddFormer(n, f, d.Screen.Render)
	d.formers = append(d.formers, n)
	was := b.Track
	b.Track = track.New(&b.Comp.Drawn)
	b.Track.Follow(was)
}

// leave notes that a node leaves its parent.
func (d *Drawer) leave(n *nodes.Node, leapt rpl.Tick) {
	d.Keep(n)
	n.Slip = nil // it was drawn by that
	if l := &d.leavings[d.at[n]]; !l.left {
		l.leapt, l.left = leapt, true
	}
}

// Hang notes that a node has its parent.
func (d *Drawer) Hang(n *nodes.Node) {
	if s := d.Nodes.StandOf(n); s != nil {
		if at, ok := d.at[n]; ok {
			d.leavings[at].stood = s
		}
		d.Nodes.SetStand(n, nil)
	}
}

// Settle keeps what has left its parent in this Apply from leaping, once all has come of that and what is predicted
// is brought up to this machine's tick.
func (d *Drawer) Settle() {
	d.wait()
	for i := range d.leavings {
		d.settle(d.leavings[i].n)
	}
	clear(d.leavings)
	d.leavings = d.leavings[:0]
	clear(d.at)
}

// settle keeps a node from leaping, after those that it hangs on, which may carry it.
func (d *Drawer) settle(n *nodes.Node) {
	i, ok := d.at[n]
	if !ok || d.leavings[i].settled {
		return
	}
	d.leavings[i].settled = true
	for p := n.Parent; p != nil; p = p.Parent {
		d.settle(p)
	}
	for f := n.Former; f != nil; f = f.Older {
		for p := f.Parent; p != nil; p = p.Parent {
			d.settle(p)
		}
	}
	if d.settle(d.leavings[i].on); !d.leavings[i].left || d.Nodes.Of(n.Entity) != n || n.Leaving || n.Hidden || n.Orphan {
		return
	}
	l, e := &d.leavings[i], d.World.Entry(n.Entity)
	switch {
	case n.Predicted == nil && l.stood != nil && l.stood.Still:
		ticks := float64(d.Steps) * (d.Screen.Now().Seconds() - l.stood.Since)
		if is := d.InWorld(e); is.Pos.DistanceTo(l.was.Pos) <= track.JumpUnits*max(1, ticks/2) { // half as fast as what leaps
			d.slip(n, l.was, is, false, fades)
		}
	case n.Predicted == nil && n.Former != nil: // the news may have been late
		f := n.Former
		late := d.Screen.Render >= float64(f.Until)
		if f.Goes = d.flies(f, n, e) || !d.leaps(f, n, e); f.Goes {
			was, _ := d.rode(l)
			d.goOn(f, n, was, d.InWorld(e), late && d.changesTime(f, n, float64(f.Until-1)))
		}
		f.Over = f.Over || late
	default:
		n.Former = nil // it is drawn ahead of where that ends
		was, wasOff := d.rode(l)
		is, isOff := d.InWorld(e), d.off(n)
		way := is.Pos.Sub(isOff.Pos).DistanceTo(was.Pos.Sub(wasOff.Pos))
		if max(n.Leapt, n.Replica.Leapt) <= l.leapt && way <= d.most() {
			d.slip(n, was, is, true, d.fadingOf(l.on).orSlower(d.fadingOf(n.Parent)).orFades())
		}
	}
}

// Frame is part of each frame, after drawn time has moved: what has got into what is predicted, or out
// of it, goes over from one time to the other.
func (d *Drawer) Frame() {
	d.stand()
	d.skips = d.Screen.Render-d.drew > float64(d.Steps)/skipped
	kept := d.formers[:0]
	for _, n := range d.formers {
		if d.arrive(n); d.Nodes.Of(n.Entity) == n && n.Former != nil && !n.Former.Over {
			kept = append(kept, n)
		}
	}
	clear(d.formers[len(kept):])
	d.formers, d.drew = kept, d.Screen.Render
}

// arrive has a node, and before it those above it, go over to where they hang at drawn time.
func (d *Drawer) arrive(n *nodes.Node) {
	if d.Nodes.Of(n.Entity) != n || !d.World.Entry(n.Entity).HasComponent(components.Transform) {
		return
	}
	for f := n.Former; f != nil && !f.Over; f = f.Older {
		cut := false
		if up := f.Parent; up != nil && up.Leaving && up.Until < f.Until { // it is not drawn any more then
			f.Until, cut = up.Until, true
		}
		if f.Over = d.Screen.Render >= float64(f.Until); !f.Over {
			continue
		}
		changes := d.changesTime(f, n, float64(f.Until-1))
		for _, p := range [...]*nodes.Node{f.Parent, d.next(f, n)} {
			for ; p != nil; p = p.Parent {
				d.arrive(p)
			}
		}
		if e := d.World.Entry(n.Entity); n.Predicted == nil && d.Nodes.CanDraw(f) && (f.Goes || !d.leaps(f, n, e)) {
			d.goOver(f, n, e, changes, cut || d.skips)
		}
	}
	if f := d.Nodes.FormerAt(n, d.Screen.Render); d.skips && f != nil {
		d.skip(f, n)
	}
}

// next returns the parent that follows a former one.
func (d *Drawer) next(f *nodes.Former, n *nodes.Node) *nodes.Node {
	if next := d.Nodes.Next(f); next != nil {
		return next.Parent
	}
	return n.Parent
}

// changesTime reports whether a node goes from a former parent to the next one, as they are drawn at a tick, from
// one time to another: one of the two is drawn ahead of drawn time (what both are has gone different ways since the
// change), or is on its way between the two itself.
func (d *Drawer) changesTime(f *nodes.Former, n *nodes.Node, drawn float64) bool {
	was, slips := d.timeOf(f.Parent, drawn)
	is, slides := d.timeOf(d.next(f, n), drawn)
	return was || is || slips || slides
}

// timeOf returns whether a node is drawn ahead, as nodes.Node.IsAhead, but by the parents that it is drawn on, and
// whether one of them is on its way.
func (d *Drawer) timeOf(n *nodes.Node, drawn float64) (ahead, slips bool) {
	if n == nil {
		return false, false
	}
	up, f := n.Parent, d.Nodes.FormerAt(n, drawn)
	if f != nil {
		f.Asked = true
		defer func() { f.Asked = false }()
		up = f.Parent
	}
	ahead, slips = d.timeOf(up, drawn)
	return ahead || n.Predicted != nil && n.Predicted.Caught(), slips || n.Slip != nil && n.Slip.Time && d.left(n.Slip) > 0
}

// End has what is drawn on a predicted node as its former parent, which is about to end, go over to where it hangs.
func (d *Drawer) End(up *nodes.Node) {
	for _, n := range d.formers {
		if d.Nodes.Of(n.Entity) != n || n.Predicted != nil {
			continue
		}
		if f := d.Nodes.FormerAt(n, d.Screen.Render); f != nil && f.Parent != nil && (f.Parent == up || f.Parent.IsBelow(up)) {
			e := d.World.Entry(n.Entity)
			was := d.InWorld(e)
			n.Former = nil
			if is := d.InWorld(e); is.Pos.DistanceTo(was.Pos) <= d.most() {
				d.slip(n, was, is, true, fades)
			}
		}
	}
}

// Reset forgets the nodes of a level.
func (d *Drawer) Reset() {
	for _, n := range d.stands {
		d.Nodes.SetStand(n, nil)
	}
	d.leavings, d.at, d.formers, d.stands, d.waiting = nil, nil, nil, nil, nil
}

// Place returns where the entity of n, whose parent has changed of late, is drawn, if not where it hangs now.
func (d *Drawer) Place(e *donburi.Entry, n *nodes.Node) (t components.TransformData, ok bool) {
	if n.Entity != e.Entity() {
		return t, false
	}
	stand := d.Nodes.StandOf(n)
	if stand != nil && stand.Still {
		return stand.At, true
	}
	slip, left := n.Slip, 0.
	if slip != nil {
		if left = d.left(slip); left == 0 || d.leapt(n, slip) {
			n.Slip, left = nil, 0
		} else if d.Screen.Bare && !slip.Time {
			left = 0
		}
	}
	switch f := d.Nodes.FormerAt(n, d.Screen.Render); {
	case f != nil && n.Predicted == nil:
		t = d.inWorld(f, n, e)
	case f == nil && stand == nil && n.Former.AskedAgain():
		return t, false
	case stand != nil: // its former parent hangs on it by now
		stand.Still = true
		return stand.At, true
	case left > 0 && !slip.Asked:
		slip.Asked = true
		t = d.now(e)
		slip.Asked = false
	default:
		return t, false
	}
	if left > 0 {
		t = plus(t, slip.By, left)
	}
	return t, true
}

// inWorld returns where the entity is drawn in the world: at its former place as long as it
// is known to have been there, then on the way to the present one, unless that is a leap.
func (d *Drawer) inWorld(f *nodes.Former, n *nodes.Node, e *donburi.Entry) components.TransformData {
	f.Asked, f.Ring = true, false
	defer func() { f.Asked = false }()
	render := d.Screen.Render
	there := d.before(f, e)
	stands := d.Nodes.StandOf(n) != nil && d.Nodes.Next(f) == nil // it is not known where it goes
	switch {
	case f.Ring && !stands: // what it hung on is drawn below it: it had left that before, and the news was lost
		return d.after(f, e)
	case render <= f.Sure || stands || d.changesTime(f, n, render):
		return there
	}
	from, leaps := f.Sure, !f.Goes && d.leaps(f, n, e)
	if leaps {
		from = f.Last
	}
	if render <= from {
		return there
	}
	left := 1.
	if !leaps {
		left = toGo(f, from, render)
	}
	now := d.between(f, e, from, left)
	if f.Ring { // what it hangs on now is drawn below it at this tick
		return there
	}
	return now
}

// leaps reports whether a change of parent is a leap from one place in the world to the other, as track.Track has it
// of a way without one. From where it is known to have been, a node may have gone on as fast as it was, and come back
// as fast.
func (d *Drawer) leaps(f *nodes.Former, n *nodes.Node, e *donburi.Entry) bool {
	far := min(d.far(f, e, false), d.far(f, e, true))
	render, aside := d.Screen.Render, d.Screen.Aside
	defer func() { d.Screen.Render, d.Screen.Aside = render, aside }()
	d.Screen.Render, d.Screen.Aside = f.Sure, true
	ticks := float64(f.Until) - f.Last
	if f.Leaps || far <= track.JumpUnits*ticks {
		return f.Leaps
	}
	speed := max(d.speed(f, e, f.Sure), d.speed(f, e, f.Sure-float64(d.Screen.Every()))) // it may have turned in one of the two sends
	most := max(track.JumpUnits, track.JumpRatio*speed)*ticks + 2*speed*(f.Last-f.Sure)
	if d.changesTime(f, n, render) {
		most += d.most()
	}
	return far > most
}

// speed is how fast a node was, per tick, in the one before a tick: in its first half, for what leaps does so in a step.
func (d *Drawer) speed(f *nodes.Former, e *donburi.Entry, t float64) float64 {
	d.Screen.Render = t - 1
	was := d.before(f, e).Pos
	d.Screen.Render = t - 0.5
	return 2 * was.DistanceTo(d.before(f, e).Pos)
}

// flies reports whether a node that has left a former parent for the one that it hangs on now has come from where it
// was as its velocity moves it on: then that is no leap, however fast it is, and it is drawn on its line.
func (d *Drawer) flies(f *nodes.Former, n *nodes.Node, e *donburi.Entry) bool {
	ord := n.DrawnOrdinal(n.Entity, components.Transform)
	if ord < 0 || f.Leaps {
		return false
	}
	k, of := n.Items[ord].Track, track.Item{Replica: n.Replica, Ord: ord}
	render, aside := d.Screen.Render, d.Screen.Aside
	defer func() { d.Screen.Render, d.Screen.Aside = render, aside }()
	d.Screen.Render, d.Screen.Aside = f.Sure, true
	is, ahead := *components.Transform.Get(e), *components.Transform.Get(e)
	was := d.before(f, e).Pos
	k.Draw(unsafe.Pointer(&is), f.Sure, false)
	if !d.Screen.Ahead(k, of, unsafe.Pointer(&ahead)) {
		return false
	}
	if up := d.Nodes.CarrierOf(e, n); up != nil {
		at := d.InWorld(up)
		is, ahead = nodes.Within(is, at), nodes.Within(ahead, at)
	}
	sends := (float64(f.Until) - f.Sure) / float64(d.Screen.Every())
	ago, ok := track.Behind([]float64{was.X, was.Y}, []float64{is.Pos.X, is.Pos.Y}, []float64{ahead.Pos.X, ahead.Pos.Y}, sends)
	if ok {
		d.Screen.Begin(k, ago)
	}
	return ok
}

// before and after return the entity's former and its next place in the world, both as they
// are drawn at d.Screen.Render; now where it is by its present parent.
func (d *Drawer) before(f *nodes.Former, e *donburi.Entry) components.TransformData {
	t := *components.Transform.Get(e)
	f.Track.Draw(unsafe.Pointer(&t), d.Screen.Render, false)
	if f.Parent != nil {
		t = nodes.Within(t, d.InWorld(d.World.Entry(f.Parent.Entity)))
	}
	return t
}

func (d *Drawer) after(f *nodes.Former, e *donburi.Entry) components.TransformData {
	if next := d.Nodes.Next(f); next != nil {
		return d.before(next, e)
	}
	return d.now(e)
}

func (d *Drawer) now(e *donburi.Entry) components.TransformData {
	t := d.View(e)
	if up := d.Nodes.CarrierOf(e, d.Nodes.Of(e.Entity())); up != nil {
		t = nodes.Within(t, d.InWorld(up))
	}
	return t
}
