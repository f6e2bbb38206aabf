// Package own draws what this machine decides itself between its steps: a window that draws 144
// frames of 60 steps shows motion in each of them. It keeps the drawn fields of the component
// types that are asked for, after the last two steps, and nothing of others.
package own

import (
	"math"
	"time"
	"unsafe"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
)

const (
	// idleSteps is how many steps a component type is kept after it was last asked for.
	idleSteps = 120

	// shortest is the shortest time between two frames that counts as a display's: what is
	// quicker asks for the present.
	shortest = 0.001

	// longest is the longest that is a frame, and not a pause.
	longest = 0.25

	// even is how far the time of a frame may be from a whole number of steps for each frame to
	// show the newest, and uneven how far it is from then on.
	even, uneven = 0.03, 0.06

	// meanFrames is of how many frames their length is a mean, and longFrame what one counts for at
	// most, of the mean: a dropped one changes little.
	meanFrames, longFrame = 32, 2

	// meanSteps is of how many steps the time is a mean at which they are due, and of how many it
	// is known how late frames come before the next.
	meanSteps = 32

	// easing is in how many steps what is drawn catches up where frames do not come as late any more.
	easing = 16
)

// A Keeper keeps what was after the last two steps. The zero Keeper, with its session, is ready.
type Keeper struct {
	*nodes.Base
	Nodes *nodes.Table
	Now   func() time.Duration // of the host's clock: ticks say nothing of the time between steps

	InWorld func(*donburi.Entry) components.TransformData // where an entity is
	Starts  func(first, last uint32) bool                 // whether something that the player drives has stood from a tick on, and moves in the last

	kinds   []*kind       // by the order of registration; nil for what nobody asks for
	formers []*nodes.Node // the parents that nodes with a Transform had before the newest step, which changed them
	gone    []last        // of those with a Transform that have gone in the newest step, whose slots others have
	step    uint64        // counts steps
	inside  bool          // a step is being made: who asks is a rule

	began  float64    // when the newest step began, in seconds …
	due    float64    // … and when it was due, if steps come evenly …
	known  float64    // … as a mean of so many
	ahead  float64    // how much further than due says what is drawn is on its way, in steps
	latest [2]float64 // how long after due a frame came, in steps: the latest of the last meanSteps steps, and of those before
	framed float64    // when Frame was last called …
	frame  float64    // … and how long frames take
	evenly bool       // they come as often as steps
	shown  float64    // what the last showed, in steps
	tick   float64    // and of what is predicted, in ticks

	pace pace
}

// A kind is a component type that is drawn.
type kind struct {
	comp  *nodes.Component
	query *donburi.Query
	asked uint64    // the step in which it was last asked for
	all   []sample  // by the number of the entity's slot
	vals  []float64 // of each three states: after the two steps before, after the newest
}

type sample struct {
	entity donburi.Entity
	up     *nodes.Node
	step   uint64 // the newest
	known  bool   // it is known what was after the step before …
	moves  bool   // … and there is a way from that
	former uint32 // where the parent has changed in the newest: 1 and which of formers was it
}

// Stepped notes that a step begins.
func (k *Keeper) Stepped() {
	now, step := k.Now().Seconds(), k.seconds()
	k.inside, k.began = true, now
	if k.due += step; math.Abs(now-k.due) > max(step, k.frame)+step {
		k.due, k.known, k.latest = now, 0, [2]float64{}
	}
	k.known = min(k.known+1, meanSteps)
	k.due += (now - k.due) / k.known
	if k.step%meanSteps == 0 {
		k.latest = [2]float64{-1, k.latest[0]}
	}
}

// Framed notes that a frame begins. What it shows is never behind what the last one did, whose
// display may have had another rate.
func (k *Keeper) Framed() {
	now, step := k.Now().Seconds(), k.seconds()
	switch took := now - k.framed; {
	case k.framed == 0:
		k.ahead = 1
	case took < 0 || took > longest: // another clock has taken over, as where a session is joined; or a pause
	case k.frame == 0:
		k.frame = took
	default:
		k.frame += (min(took, longFrame*max(k.frame, shortest)) - k.frame) / meanFrames
	}
	k.framed = now
	share := k.share(step)
	k.shown = noLess(float64(k.step)-1+share, k.shown)
	k.tick = noLess(k.pace.at(share), k.tick)
}

// share is how far on the way to the newest step this frame is. Frames that come as often as steps,
// or once in so many, show the newest. Others come at any time between two steps: what they
// show is as far ahead of the clock as none of them has to wait for the next step.
func (k *Keeper) share(step float64) float64 {
	steps := k.frame / step
	whole := max(1, math.Round(steps))
	off := even
	if k.evenly {
		off = uneven
	}
	if k.evenly = math.Abs(steps-whole) < off*whole; k.evenly || k.frame < shortest {
		k.ahead = 1
		return 1
	}
	at := (k.framed - k.due) / step
	k.latest[0] = max(k.latest[0], at)
	room := max(0, 1-max(k.latest[0], k.latest[1]))
	k.ahead = min(k.ahead+(room-k.ahead)*min(steps/easing, 1), room)
	return min(max(0, at+k.ahead), 1)
}

// noLess is what a frame shows that would go back by less than two steps: the same as the last.
func noLess(now, last float64) float64 {
	if now < last && last-now < 2 {
		return last
	}
	return now
}

func (k *Keeper) seconds() float64 { return 1 / float64(k.Steps) }

// drawn is the share that is drawn: all of it where a step has been made since the frame began.
func (k *Keeper) drawn() float64 {
	if k.framed < k.began {
		return 1
	}
	return min(max(0, k.shown-float64(k.step)+1), 1)
}

// DrawnTick is the tick, with its fraction, that what is predicted is drawn at when this frame is over:
// a key shows in its own frame. Within a step it is the newest.
func (k *Keeper) DrawnTick(newest uint32) float64 {
	switch {
	case k.inside:
		return float64(newest)
	case k.framed < k.began: // the game draws without Frame
		return k.pace.drawn
	}
	return k.tick
}

// Ended keeps what is after a step. tick is the newest tick of what is predicted.
func (k *Keeper) Ended(tick uint32) {
	k.inside = false
	k.step++
	k.pace.stepped(tick, k.Starts)
	clear(k.formers)
	clear(k.gone)
	k.formers, k.gone = k.formers[:0], k.gone[:0]
	for i, kd := range k.kinds {
		switch {
		case kd == nil:
		case k.step-kd.asked > idleSteps:
			k.kinds[i] = nil
		default:
			k.keep(kd)
		}
	}
}

func (k *Keeper) keep(kd *kind) {
	fields := kd.comp.Drawn.Fields
	size := 3 * len(fields)
	places := kd.comp.Type == donburi.IComponentType(components.Transform) && kd.comp.StandIn == nil
	for e := range kd.query.Iter(k.World) {
		n := k.Nodes.Of(e.Entity())
		if n != nil && k.Auth == nil {
			continue // a proxy
		}
		id := int(e.Entity().Id())
		if id >= len(kd.all) {
			kd.all = append(kd.all, make([]sample, id+1-len(kd.all)+id/4)...)
			kd.vals = append(kd.vals, make([]float64, len(kd.all)*size-len(kd.vals))...)
		}
		s := &kd.all[id]
		before, was, now := kd.of(id)
		longer := s.known // it is known what was after the step before that, too
		if s.known = s.entity == e.Entity() && s.step == k.step-1; !s.known && places && s.step > 0 && s.step == k.step-1 {
			k.gone = append(k.gone, last{s.entity, s.up, kd.transform(components.TransformData{}, now)})
		}
		s.moves, s.former = s.known, 0
		copy(before, was)
		copy(was, now)
		w := k.Tagged(kd.comp, e, e.Component(kd.comp.Type))
		for j := range fields {
			now[j] = fields[j].Get(w)
		}
		if !longer {
			before = nil
		}
		for i, end := range kd.comp.Drawn.Props {
			s.moves = s.moves && !kd.comp.Drawn.Leaps(i, end, before, was, now)
		}
		if n != nil {
			up := n.Parent
			if n.Entity != e.Entity() {
				up = n // a part
			}
			if s.known && up != s.up {
				s.moves = false // a place below another
				if places {
					k.formers = append(k.formers, s.up)
					s.former = uint32(len(k.formers))
				}
			}
			s.moves = s.moves && n.Leapt != k.Tick // else a teleport
			s.up = up
		}
		s.entity, s.step = e.Entity(), k.step
	}
}

// Was returns the drawn fields of an entity's component after the step before and how far on the
// way from there it is drawn; nil where it is drawn as it is.
func (k *Keeper) Was(e donburi.Entity, c *nodes.Component) (was []float64, share float64) {
	if c == nil || len(c.Drawn.Fields) == 0 || k.inside {
		return nil, 1
	}
	for len(k.kinds) <= c.Order {
		k.kinds = append(k.kinds, nil)
	}
	kd := k.kinds[c.Order]
	if kd == nil {
		kd = &kind{comp: c, query: donburi.NewQuery(filter.Contains(c.Type))}
		k.kinds[c.Order] = kd
	}
	kd.asked = k.step
	id := int(e.Id())
	if share = k.drawn(); share >= 1 || id >= len(kd.all) {
		return nil, 1
	}
	if s := &kd.all[id]; s.entity != e || s.step != k.step || !s.moves {
		return nil, 1
	}
	_, was, _ = kd.of(id)
	return was, share
}

// Draw changes a copy of the tagged fields of a component to what is drawn in this frame.
func Draw(c *nodes.Component, p unsafe.Pointer, was []float64, share float64) {
	for j := range was {
		f := &c.Drawn.Fields[j]
		f.Set(p, f.Between(was[j], f.Get(p), share))
	}
}

// Clear forgets a world that the session leaves.
func (k *Keeper) Clear() { k.kinds, k.formers, k.gone = nil, nil, nil }
