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
	if r.link != nil {
		r.link.Poll(serverInbox{r})
		r.noteLink()
	}
	r.report("step refused", r.auth.Step(r.tick))
	r.noteMended()
	r.arrivals()
	r.answerAsks()
	r.auth.Due(func(c rpl.Call) { r.runRemote(c) })
	r.departures()
	if r.link != nil {
		r.stopIfShut(r.link.Err())
	}
}
