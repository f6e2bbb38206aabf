package reparent

// slip: what is drawn away after a change of parent. What hangs on something that is drawn beside its place, as
// after a gap in the line, is as far beside its own, and has nothing to go by of that once it hangs elsewhere:
// it slips by it, in step with what it hung on.

import (
	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/track"
)

// A fading is how something is drawn away.
type fading struct {
	seconds float64 // for how long yet; 0: there is nothing
	even    bool    // … and whether evenly; else quickly at first
}

// fades is how what is not in step with anything is drawn away.
var fades = fading{seconds: track.FadeSeconds}

// orSlower returns the slower of two.
func (p fading) orSlower(q fading) fading {
	if q.even && !p.even || q.even == p.even && q.seconds > p.seconds {
		return q
	}
	return p
}

// orFades returns fades for what is quicker.
func (p fading) orFades() fading {
	if p.seconds < fades.seconds {
		return fades
	}
	return p
}

// skipped is which part of a second drawn time leaps over at least, if it does not go on.
const skipped = 10

// most is how far something may go as it changes from what is predicted to what is not, or back: farther is a leap.
func (d *Drawer) most() float64 { return track.JumpUnits * max(1, d.Ahead()) }

// slip has a node be drawn on from where it was, and go over to where it is; time is whether that is from one time to
// another.
func (d *Drawer) slip(n *nodes.Node, was, is components.TransformData, time bool, p fading) {
	by, now := beside(is, was), d.Screen.Now().Seconds()
	if s := n.Slip; s != nil {
		if left := d.left(s); left > 0 {
			time = time || s.Time
			by = plus(by, s.By, left)
			p = p.orSlower(fading{s.At + s.For - now, s.Even})
		}
	}
	n.Slip = nil
	if p.seconds <= 0 {
		p = fades
	}
	if by != (components.TransformData{}) {
		n.Slip = &nodes.Slip{By: by, At: now, For: p.seconds, Even: p.even, From: d.Screen.Render, Time: time}
	}
}

// left is the share of what a node slips by that is left.
func (d *Drawer) left(s *nodes.Slip) float64 {
	if s.Waits {
		return 1
	}
	left := 1 - min(max(0, d.Screen.Now().Seconds()-s.At)/s.For, 1)
	if s.Even {
		return left
	}
	return left * left
}

// leapt reports whether a node is drawn after a leap that was not when it began to slip.
func (d *Drawer) leapt(n *nodes.Node, s *nodes.Slip) bool {
	return n.Predicted == nil && n.Replica != nil && float64(n.Replica.Leapt) > s.From && d.Screen.Render >= float64(n.Replica.Leapt)
}

// fadingOf returns how it is drawn away by what a node is drawn beside its place, or what it is drawn on.
func (d *Drawer) fadingOf(n *nodes.Node) (p fading) {
	if n == nil {
		return p
	}
	up, f := n.Parent, d.Nodes.FormerAt(n, d.Screen.Render)
	if f != nil {
		f.Asked = true
		defer func() { f.Asked = false }()
		up = f.Parent
	}
	p = d.fadingOf(up)
	if b := n.DrawnBinding(n.Entity, components.Transform); b != nil && n.Predicted == nil {
		seconds, even := d.Screen.Left(b.Track)
		p = p.orSlower(fading{seconds, even})
	}
	if s := n.Slip; s != nil && d.left(s) > 0 {
		p = p.orSlower(fading{s.At + s.For - d.Screen.Now().Seconds(), s.Even})
	}
	return p
}

// drawnOn returns what a node is drawn on at a tick, nil if that is nothing.
func (d *Drawer) drawnOn(n *nodes.Node, drawn float64) *nodes.Node {
	if f := d.Nodes.FormerAt(n, drawn); f != nil && n.Predicted == nil {
		return f.Parent
	}
	return n.Parent
}

// off returns by what a node is drawn beside its place, for errors that are drawn away.
func (d *Drawer) off(n *nodes.Node) components.TransformData {
	e, was := d.World.Entry(n.Entity), d.Screen.Bare
	drawn := d.InWorld(e)
	d.Screen.Bare = true
	place := d.InWorld(e)
	d.Screen.Bare = was
	return beside(place, drawn)
}

// rode returns where what leaves its parent was drawn, and by what of that it was beside its place. What it was drawn
// on may have been found to be elsewhere in this Apply. Then the error is new, and if that has leapt, it has, too.
func (d *Drawer) rode(l *leaving) (was, off components.TransformData) {
	on := l.on
	if on == nil || d.Nodes.Of(on.Entity) != on || on.Leaving || on.Hidden || on.IsAhead() || d.Nodes.IsLost(on) {
		return l.was, off
	}
	seat := components.TransformData{Pos: l.was.Pos.Sub(l.onWas.Pos).Rotated(-l.onWas.Rot), Rot: l.was.Rot - l.onWas.Rot}
	at := d.InWorld(d.World.Entry(on.Entity))
	by := d.off(on)
	was = nodes.Within(seat, at)
	place := nodes.Within(seat, components.TransformData{Pos: at.Pos.Sub(by.Pos), Rot: at.Rot - by.Rot})
	return was, beside(place, was)
}

// far returns how far it is from where a node was last for certain, on a former parent, to the next place of that time: as it is
// drawn, or bare of what is drawn away.
func (d *Drawer) far(f *nodes.Former, e *donburi.Entry, bare bool) float64 {
	defer func(sc track.Screen) { d.Screen.Render, d.Screen.Aside, d.Screen.Bare = sc.Render, sc.Aside, sc.Bare }(*d.Screen)
	d.Screen.Render, d.Screen.Aside, d.Screen.Bare = f.Sure, true, bare
	return d.before(f, e).Pos.DistanceTo(d.after(f, e).Pos)
}

// errs reports whether a node was drawn beside its place only because what it hung on was: it is nearer to the next
// place without that. Else it has left that since, where it was drawn.
func (d *Drawer) errs(f *nodes.Former, e *donburi.Entry) bool {
	if f.Judged {
		return f.Errs
	}
	const rounding = 1e-6
	errs := d.far(f, e, true) < d.far(f, e, false)-rounding
	if !d.Screen.Aside && !d.Screen.Bare {
		f.Judged, f.Errs = true, errs
	}
	return errs
}

// toGo returns which share of the way from a former place at a tick to the next one is left at drawn time.
func toGo(f *nodes.Former, from, drawn float64) float64 {
	switch {
	case drawn <= from:
		return 1
	case drawn >= float64(f.Until):
		return 0
	}
	return (float64(f.Until) - drawn) / (float64(f.Until) - from)
}

// between returns where a node is drawn on its way from a former place, where it was at a tick, to the next one, with
// a share of that left. It is beside that by what it was on its former parent.
func (d *Drawer) between(f *nodes.Former, e *donburi.Entry, from, left float64) components.TransformData {
	errs := d.errs(f, e)
	render, aside, bare := d.Screen.Render, d.Screen.Aside, d.Screen.Bare
	defer func() { d.Screen.Render, d.Screen.Aside, d.Screen.Bare = render, aside, bare }()
	d.Screen.Bare = bare || errs
	t := d.after(f, e)
	if left > 0 {
		d.Screen.Render, d.Screen.Aside = from, true
		was, is := d.before(f, e), d.after(f, e)
		d.Screen.Render, d.Screen.Aside = render, aside
		t = plus(t, beside(is, was), left)
	}
	if errs && !bare {
		place := d.before(f, e)
		d.Screen.Bare = false
		t = plus(t, beside(place, d.before(f, e)), 1)
	}
	return t
}

// goOver has a node go on to the next place as drawn time has got to the end of a former: from one time to the other,
// or by what it was drawn beside its place until then, in step with what it was drawn on.
func (d *Drawer) goOver(f *nodes.Former, n *nodes.Node, e *donburi.Entry, changes, skips bool) {
	p := d.fadingOf(f.Parent).orSlower(d.fadingOf(d.next(f, n)))
	switch {
	case changes:
		d.slip(n, d.before(f, e), d.after(f, e), true, p.orFades())
	case skips: // it was on its way
		d.slipOver(f, n, d.between(f, e, f.Sure, toGo(f, f.Sure, d.drew)), d.after(f, e))
	case d.errs(f, e):
		d.slip(n, d.between(f, e, f.Sure, 0), d.after(f, e), false, p)
		d.waitFor(n, f)
	}
}

// skip has a node that is on its way from a former place to the next go on evenly, though drawn time has leapt over
// some of that.
func (d *Drawer) skip(f *nodes.Former, n *nodes.Node) {
	e := d.World.Entry(n.Entity)
	if n.Predicted == nil && d.Nodes.CanDraw(f) && !d.changesTime(f, n, d.Screen.Render) && (f.Goes || !d.leaps(f, n, e)) {
		d.slipOver(f, n, d.between(f, e, f.Sure, toGo(f, f.Sure, d.drew)), d.between(f, e, f.Sure, toGo(f, f.Sure, d.Screen.Render)))
	}
}

// goOn has a node that has left a former parent in this Apply be drawn on from where it was. What it did in a gap is
// drawn away evenly, unless it is so far that no eye could follow it.
func (d *Drawer) goOn(f *nodes.Former, n *nodes.Node, was, is components.TransformData, changes bool) {
	if !changes && d.Screen.Lacks(f.Track) {
		d.slipOver(f, n, was, is)
		return
	}
	d.slip(n, was, is, changes, d.fadingOf(f.Parent).orSlower(d.fadingOf(d.next(f, n))).orFades())
	d.waitFor(n, f)
}

// slipOver has a node slip over a gap, in step with what it hung on.
func (d *Drawer) slipOver(f *nodes.Former, n *nodes.Node, was, is components.TransformData) {
	if was.Pos.DistanceTo(is.Pos) > track.JumpUnits*track.EvenSeconds*float64(d.Steps) {
		return
	}
	p := d.fadingOf(f.Parent).orSlower(d.fadingOf(d.next(f, n)))
	d.slip(n, was, is, false, p.orSlower(fading{track.EvenSeconds, true}))
	d.waitFor(n, f)
}

// waitFor has what a node slips by be left as it is as long as it is not known where the parents are, of which a gap may
// have swallowed the news: they do not move meanwhile, and go over together.
func (d *Drawer) waitFor(n *nodes.Node, f *nodes.Former) {
	s := n.Slip
	if s == nil || s.Time {
		return
	}
	s.On, s.From = [2]*nodes.Node{f.Parent, d.next(f, n)}, f.Sure
	switch lacks, leapt := d.lacks(s); {
	case lacks && !s.Waits:
		s.Waits = true
		d.waiting = append(d.waiting, n)
	case leapt && !lacks:
		n.Slip = nil
	}
}

// wait is part of each Apply: what is known of by now goes over.
func (d *Drawer) wait() {
	kept := d.waiting[:0]
	for _, n := range d.waiting {
		s := n.Slip
		if s == nil || !s.Waits || d.Nodes.Of(n.Entity) != n {
			continue
		}
		switch lacks, leapt := d.lacks(s); {
		case lacks:
			kept = append(kept, n)
		case leapt: // and what hung on it did, too
			n.Slip = nil
		default:
			s.Waits, s.At = false, d.Screen.Now().Seconds()
			if p := d.fadingOf(s.On[0]).orSlower(d.fadingOf(s.On[1])); p.seconds > 0 {
				s.For, s.Even = p.seconds, p.even
			}
		}
	}
	clear(d.waiting[len(kept):])
	d.waiting = kept
}

// lacks reports whether news of the parents that a node slips between may be missing, and whether one of them has
// leapt since the slip.
func (d *Drawer) lacks(s *nodes.Slip) (lacks, leapt bool) {
	for _, p := range s.On {
		for ; p != nil && d.Nodes.Of(p.Entity) == p && !p.Leaving; p = d.drawnOn(p, d.Screen.Render) {
			b := p.DrawnBinding(p.Entity, components.Transform)
			lacks = lacks || b != nil && p.Predicted == nil && d.Screen.Lacks(b.Track)
			leapt = leapt || p.Replica != nil && float64(p.Replica.Leapt) > s.From
		}
	}
	return lacks, leapt
}

// beside returns by what one place is beside another.
func beside(place, drawn components.TransformData) components.TransformData {
	return components.TransformData{Pos: drawn.Pos.Sub(place.Pos), Rot: nodes.Turn(place.Rot, drawn.Rot)}
}

// plus returns a place, and a share of what something is beside it.
func plus(t, by components.TransformData, share float64) components.TransformData {
	return components.TransformData{Pos: t.Pos.Add(by.Pos.Mulf(share)), Rot: t.Rot + by.Rot*gmath.Rad(share)}
}
