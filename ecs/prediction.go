package ecs

// prediction: what a client does at once with its own commands, and what becomes of it when
// the server tells what really was. The state after each tick is kept; when the server's of
// that tick comes and differs, all predicted nodes go back to it together, and the ticks
// since run again. What is drawn apart from what is simulated ends in fadeSeconds.

import (
	"slices"
	"time"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/drawing"
	"github.com/tendonengine/tendon/ecs/internal/line"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/own"
	"github.com/tendonengine/tendon/ecs/internal/predict"
	"github.com/tendonengine/tendon/ecs/internal/replay"
	"github.com/tendonengine/tendon/ecs/internal/spawns"
	"github.com/tendonengine/tendon/rpl"
)

// A Correction is a prediction that was wrong.
type Correction struct {
	Entry *donburi.Entry // the first node that differed; valid during the call
	Field string         // "component.Field", the first that differed; or the component, which a rule has added or removed
	Size  float64        // by how much it differed, in its own unit
	Ticks int            // that were run again
}

// A prediction is what a client predicts.
type prediction struct {
	*shared
	nodes    *nodes.Table
	draw     *drawing.Keeper
	line     *line.Line
	commands *commanding
	drawn    *own.Keeper

	all       []*nodes.Node // predicted, by id
	spawns    spawns.Set    // of them, those that the server has not told of yet
	shown     predict.Once  // effects
	known     rpl.Tick      // the newest that was compared
	round     uint64        // counts findings of what is predicted
	pass      uint64        // counts runs of a command for it
	states    replay.States
	others    replay.Others // stand at the tick of the rule that runs
	corrected []func(Correction)
}

// Predict sets whether this client predicts a node, from the next Receive on. By default a client predicts
// what its player owns. It predicts another's node, such as a ball or a car, with the zero value of the node's
// commands; a node without any command, not even one of None, is not predicted. An own node that is not
// predicted waits for the server and is drawn as all proxies are; its input is sent all the same.
//
// The server remembers 64 predicted nodes of others for each client; beyond that some may be corrected for
// nothing, and Call.Rewind sets them back. An own node that passes to another player is not predicted until
// asked for again. On an authority Predict does nothing; for the session's node it may be called at any time,
// and holds for all sessions.
func Predict(e *donburi.Entry, on bool) {
	if r, n := nodeAt(e); n != nil && (r.shared.Auth == nil || n == r.nodes.Session) {
		n.Asked, n.Waits = on, !on
	}
}

// Predicted reports whether this client predicts the node of an entity. It panics for nil.
func Predicted(e *donburi.Entry) bool {
	if e == nil {
		panic("tendon: Predicted of no entity: ask Mine whether it has found one")
	}
	_, n := nodeAt(e)
	return n != nil && n.Predicted != nil && e.HasComponent(components.Proxy)
}

// OnCorrection runs after a prediction was wrong and has been mended. That the authority has changed the node's
// parent, which no client predicts, does not count.
func (r *Replication) OnCorrection(fn func(Correction)) {
	mustBeMade("OnCorrection", r)
	mustBeFunc("OnCorrection", fn)
	r.predict.corrected = append(r.predict.corrected, fn)
}

// reset forgets what was predicted in a session that has ended.
func (pr *prediction) reset() {
	pr.known, pr.shown = 0, predict.Once{}
	pr.states.Reset()
	pr.forgetLevel()
	pr.others.Reset()
}

// forgetLevel ends all predictions with their level: also that of the session's node, whose state is
// the last level's until the first of the next has come.
func (pr *prediction) forgetLevel() {
	pr.all = nil
	pr.spawns.Reset()
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
			if n.Replica == nil || n.Waits || n.Owner != pr.Me && !n.Asked {
				continue
			}
			if n.Predicted == nil {
				pr.states.Begin(n, pr.round)
				pr.all = append(pr.all, n)
				pr.known = min(pr.known, pr.Proxy.Newest()-1) // by which it is brought up to this machine's tick
			}
			n.Predicted.Round = pr.round
		}
	}
	pr.spawns.Keep(pr.round)
	if pr.all = pr.states.Keep(pr.all, pr.round, pr.draw.Moved.Ahead()); len(pr.all) > was {
		nodes.SortByID(pr.all)
	}
}

// spawn makes a node by a command before the server does, or again in a replay.
func (pr *prediction) spawn(c Call, f *nodes.Prefab, args []byte, build func() *donburi.Entry) *donburi.Entry {
	ago := time.Duration(int32(pr.commands.lead.Tick())-int32(c.Tick)) * pr.config.step()
	n := pr.spawns.Make(c.name, c.From, f, args, pr.line.Now()-ago+pr.commands.client.trip()+spawns.Waits(pr.config.Steps, pr.config.Sends), build)
	if n.Predicted == nil {
		n.Predicted = &predict.Node{Born: c.name.Tick, Met: true, Round: pr.round}
		pr.all = append(pr.all, n) // the rules that run after this one have it
	}
	n.Predicted.Gone, n.Predicted.Pass = false, pr.pass
	return pr.World.Entry(n.Entity)
}

// moves notes that a node moves on by what the server has told.
func (pr *prediction) moves(n *nodes.Node) {
	if len(pr.all) > 0 {
		pr.others.Note(n)
	}
}

// Once runs fn for an effect of a command, a sound or a spark. However often corrections run the tick again, and
// even if one moves the effect by up to 5 ticks, fn runs only once. late is how long ago the effect was due: above 0
// where only a correction has come to it. key tells apart the effects of one run; in OnWake, of a node with its parts.
// What a correction takes back stays shown: for what lasts, spawn a node.
//
// In the handler of an RPC that the authority calls on the same node, fn runs only if no rule of this machine has
// shown the effect with that key within 5 ticks. Anywhere else fn runs at once.
func (c Call) Once(key int, fn func(late time.Duration)) {
	if fn == nil {
		panic("tendon: Once of no function")
	}
	late := time.Duration(0)
	if r, n := nodeAt(c.Entry); n != nil && c.name.Node != 0 {
		if c.name.Key = key; c.name.Tick == 0 {
			c.name.Command = predict.Called
		}
		c.name.Tick = c.Tick
		now := rpl.Tick(r.ViewTick())
		if r.shared.Auth == nil && n.Predicted != nil {
			now = rpl.Tick(r.commands.lead.Tick())
		}
		if !r.predict.shown.First(c.name, now, c.Replay) {
			return
		}
		late = time.Duration(now-min(now, c.Tick)) * r.shared.config.step()
	}
	fn(late)
}

// reconcile compares the newest state that has come with what was predicted for its tick.
func (pr *prediction) reconcile(now rpl.Tick) {
	t := pr.Proxy.Newest()
	complete, since := pr.Proxy.Complete()
	whole := !pr.commands.heard || complete == t || replay.HaveMoved(pr.all) // below another parent nothing is the way it was predicted
	if t <= pr.known || !pr.states.Due(t, whole) {
		return
	}
	gap := float64(t - pr.known)
	pr.known = t
	refused := 0
	if pr.commands.heard && complete == t {
		if refused = pr.spawns.Refused(since, t, pr.commands.taken); refused > 0 {
			pr.dropEnded()
		}
	}
	d, wrong, fresh := pr.states.Judge(pr.all, t)
	if wrong || fresh || refused > 0 { // what rules have found in the way goes with it
		began := time.Now()
		pr.replay(t, now, gap)
		pr.commands.counts.ReplayTime += time.Since(began)
	}
	if !wrong {
		return
	}
	pr.commands.counts.Corrections++
	for _, fn := range pr.corrected {
		fn(Correction{d.Entry, d.Field, d.Size, int(now - t)})
	}
}

// replay sets all predicted nodes back to the server's state of tick t, and runs the ticks
// since again. gap is how many ticks after the state before it that came.
func (pr *prediction) replay(t, now rpl.Tick, gap float64) {
	pr.states.Back(pr.all, t)
	pr.shown.Again(t)
	for k := t + 1; k <= now; k++ {
		pr.commands.replay(k)
		pr.states.SaveAll(pr.all, k)
	}
	pr.spawns.Withdraw(func(n *nodes.Node) bool { return n.Predicted != nil && n.Predicted.Gone })
	pr.spawns.Expire(pr.line.Now(), t) // a replay may make again what was given up
	pr.dropEnded()
	pr.states.MovedBack(pr.all, pr.line.Now().Seconds(), float64(now-t), gap)
}

// dropEnded drops those that have ended from what is predicted.
func (pr *prediction) dropEnded() {
	pr.all = slices.DeleteFunc(pr.all, func(n *nodes.Node) bool { return pr.nodes.Of(n.Entity) != n })
}

// view changes a copy of a predicted component to what is drawn in this frame.
func (pr *prediction) view(n *nodes.Node, e donburi.Entity, c donburi.IComponentType, p unsafe.Pointer) {
	pr.states.Draw(n, e, c, p, rpl.Tick(pr.commands.lead.Tick()), pr.drawn.DrawnTick(pr.commands.lead.Tick()), pr.line.Now().Seconds())
}

// starts reports whether something own was drawn alike after each tick from the first on, but not after the last.
func (pr *prediction) starts(first, last uint32) bool {
	return pr.states.Starts(pr.all, rpl.Tick(first), rpl.Tick(last))
}

// paint writes what is drawn into the predicted components that are drawn in place.
func (pr *prediction) paint() {
	t := pr.commands.lead.Tick()
	pr.states.Paint(pr.all, rpl.Tick(t), pr.drawn.DrawnTick(t), pr.line.Now().Seconds())
}
