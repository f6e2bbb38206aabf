package ecs

// The life of a step, in one place: each stage is one system in a file of its own, and
// plugins add theirs behind them.

import (
	"fmt"
	"iter"

	"github.com/tendonengine/tendon/ecs/internal/extract"
)

// Stage is a place in the life of a step.
type Stage uint8

// The stages, in the order in which they run: Receive in Replication.Receive,
// the others in Replication.Send, after the game's rules. Stream, Schedule,
// Encode and Send work in the steps that send (Config.Sends), on an authority
// with peers; a client's Encode and Send work in every step.
const (
	Receive  Stage = iota // packets → acks, calls, arrivals, state; callbacks
	Extract               // components → snapshots
	Stream                // relevancy, rights, what streams in and out
	Schedule              // what fits each peer's budget
	Encode                // snapshots → datagrams
	Send                  // everything leaves
	stageCount
)

// stageTable is the pipeline as every session begins with it.
var stageTable = [stageCount]system{
	Receive:  {"receive", receiveStage},
	Extract:  {"extract", extractStage},
	Stream:   {"stream", streamStage},
	Schedule: {"schedule", scheduleStage},
	Encode:   {"encode", encodeStage},
	Send:     {"send", sendStage},
}

func (s Stage) String() string {
	if s < stageCount {
		return stageTable[s].name
	}
	return fmt.Sprintf("stage %d", uint8(s))
}

// A system is one named action on a session in each step.
type system struct {
	name string
	run  func(r *Replication)
}

// A Plugin adds something to a session: a net graph, counters, a game's own relevancy. It does not see
// packets: what wraps a transport.Link and its Conns does.
// In Plug it calls After, Counter and the On functions.
type Plugin interface{ Plug(r *Replication) }

// Use plugs a plugin in, before the first Receive. It panics for nil.
func (r *Replication) Use(p Plugin) {
	mustBeMade("Use", r)
	if p == nil {
		panic("tendon: Use of no plugin")
	}
	p.Plug(r)
}

// After adds a system behind a stage, and behind the systems that were added there
// before. The system runs in every step, even if the step does not send. After panics for
// a stage that does not exist and without a function.
func (r *Replication) After(s Stage, name string, run func(r *Replication)) {
	mustBeMade("After", r)
	if s >= stageCount {
		panic(fmt.Sprintf("tendon: system %q after %v, which there is not", name, s))
	}
	mustBeFunc(fmt.Sprintf("system %q", name), run)
	r.systems[s] = append(r.systems[s], system{name: name, run: run})
}

// Systems returns the names of all systems in the order in which they run.
func (r *Replication) Systems() iter.Seq[string] {
	return func(yield func(string) bool) {
		for s := range stageTable {
			if !yield(stageTable[s].name) {
				return
			}
			for _, sys := range r.systems[s] {
				if !yield(sys.name) {
					return
				}
			}
		}
	}
}

func (r *Replication) run(s Stage) {
	stageTable[s].run(r)
	for _, sys := range r.systems[s] {
		sys.run(r)
	}
}

// Receive is the first call of a fixed step, Send the last. Call both also while the game
// is paused. Called from a callback they panic.
func (r *Replication) Receive() {
	r.enterStep("Receive")
	defer r.putOff.Leave()
	r.begin()
	r.own.Stepped()
	r.run(Receive)
	r.leaveStep()
}

// begin does what Host, Join and Load have asked for, and starts a world that has not begun.
func (r *Replication) begin() {
	due := r.pending
	r.pending = nil // requests made by callbacks wait for the next Receive; otherwise they could ask again without end
	defer func() {  // if a callback panics, the next Receive begins with the request that it has cut short
		r.pending = append(due, r.pending...)
	}()
	for len(due) > 0 {
		due[0].do()
		due = due[1:]
	}
	if len(r.pending) == 0 {
		r.line.Joining = false
	}
	if !r.line.Joining && r.shared.Auth != nil {
		r.dropWaiting() // no session is being joined: Join has failed, or there was none
	}
	if !r.begun {
		r.start()
	}
}

// goOn follows the end of a client's session, in the same step: the game's rules then
// find the session that OnEnd has joined, or a world that has begun anew.
func (r *Replication) goOn() {
	r.begin()
	if r.shared.Auth != nil {
		r.line.GoTo(r.shared.Tick + 1)
		r.shared.Faults.Report("step refused", r.shared.Auth.Step(r.shared.Tick))
	}
}

// Send is the last call of a fixed step: this machine's calls on itself run, and changes
// leave. See Receive.
func (r *Replication) Send() {
	r.enterStep("Send")
	defer r.putOff.Leave()
	for range extract.MaxRounds { // no call runs on a node before its OnStreamIn, nor a callback before its parent's
		if r.shared.Auth == nil {
			break
		}
		if (r.calls.queued.Len() > 0 || r.notify.Waits()) && r.extract.Waits() {
			r.extract.Greet()
		}
		if r.notify.CallBack(); r.calls.queued.Len() == 0 || !r.extract.Waits() {
			break
		}
	}
	r.calls.runCalls()
	r.schedule.ends, r.schedule.last = r.schedule.last, false
	r.shared.Sending = r.shared.Auth == nil || r.schedule.sends(r.shared.config.Sends, r.shared.config.Steps)
	r.commands.send()
	if r.shared.Auth != nil {
		r.past.Remember()
	}
	r.own.Ended(r.commands.lead.Tick())
	for s := Extract; s < stageCount; s++ {
		r.run(s)
	}
	r.leaveStep()
}

// A sendSchedule says which steps send.
type sendSchedule struct {
	due        int  // accumulates Sends; a send is due when it reaches Steps
	last, ends bool // a send is due in any case, and is made, since the level ends
}

// sends reports whether a step sends: so many of them do in each second, evenly spread.
func (sc *sendSchedule) sends(sends, steps int) bool {
	if sc.due += sends; sc.due >= steps {
		sc.due -= steps
		return true
	}
	return sc.ends
}

func (r *Replication) enterStep(what string) {
	mustBeMade(what, r)
	r.places.Again()
	r.worlds.room.Make(r.shared.World)
	if r.putOff.Inside() {
		panic("tendon: Receive or Send was called from a callback: call them once each in a step")
	}
	r.putOff.Begin()
	r.checks.Enter(what == "Receive")
}

// leaveStep does what callbacks have put off.
func (r *Replication) leaveStep() {
	r.places.Again()
	r.putOff.Run()
	r.worlds.room.Make(r.shared.World)
	if !r.begun { // once: a session that ends again waits for the next Receive
		r.putOff.Begin()
		r.goOn()
		r.putOff.Run()
	}
}
