package ecs

// Stage Receive: what the link has received becomes state, calls and callbacks.

import "github.com/tendonengine/tendon/rpl"

func receiveStage(r *Replication) {
	if r.auth == nil {
		r.receiveClient()
		return
	}
	if r.tick < rpl.MaxTick {
		r.tick++
	} else {
		r.outOfTicks()
	}
	if r.line.link != nil {
		r.line.link.Poll(&r.seats)
		r.line.noteLink()
	}
	r.faults.Report("step refused", r.auth.Step(r.tick))
	r.noteMended()
	r.seats.arrivals()
	r.groups.answerAsks()
	r.auth.Due(func(c rpl.Call) { r.calls.runRemote(c) })
	r.seats.departures()
	if r.line.link != nil {
		r.stopIfShut(r.line.link.Err())
	}
}
