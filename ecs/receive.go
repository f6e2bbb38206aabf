package ecs

// Stage Receive: what the link has received becomes state, calls and callbacks.

import (
	"fmt"
	"time"

	"github.com/tendonengine/tendon/ecs/internal/clock"
	"github.com/tendonengine/tendon/ecs/internal/sessionmsg"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
)

func receiveStage(r *Replication) {
	if r.shared.Auth == nil {
		r.receiveClient()
		return
	}
	if r.shared.Tick < rpl.MaxTick {
		r.shared.Tick++
	} else {
		r.outOfTicks()
	}
	if r.line.Link != nil {
		r.line.Link.Poll(&r.seats)
		r.line.Note()
	}
	r.shared.Faults.Report("step refused", r.shared.Auth.Step(r.shared.Tick))
	r.noteMended()
	r.seats.arrivals()
	r.groups.answerAsks()
	r.shared.Auth.Due(func(c rpl.Call) { r.calls.runRemote(c) })
	r.seats.departures()
	r.wakeUp()
	if r.line.Link != nil {
		r.stopIfShut(r.line.Link.Err())
	}
}

// welcome takes the peer number and the level that the server gives.
func (r *Replication) welcome(m *sessionmsg.Welcome) {
	if int(m.Steps) != r.shared.config.Steps {
		r.client.ended = fmt.Errorf("tendon: the server makes %d steps a second, this machine %d: give both the same Config.Steps: %w", m.Steps, r.shared.config.Steps, transport.ErrSchema)
		return
	}
	r.shared.Me, r.shared.Tick, r.draw.Screen.Sends, r.client.host = m.Peer, m.Tick, int(m.Sends), m.Host
	r.commands.writer.Plain = !m.Rewinds
	r.draw.Clock = clock.New(r.shared.config.step(), float64(r.shared.config.Steps)/float64(max(1, r.draw.Screen.Sends)))
	s := r.client.conn.Stats()
	r.shared.config.Log.Info("joined", "peer", r.shared.Me, "server", s.Remote, "authenticated", s.Authenticated)
	r.proxies.strangers = map[string]*rpl.Replica{}
	r.enter(m.Level)
}

// apply takes over what has come of the level, and reports whether the server has told
// enough of it.
func (r *Replication) apply(now time.Duration) bool {
	if r.shared.Proxy == nil || !r.client.names.Done {
		return false
	}
	if !r.client.names.Applied {
		r.proxies.compareNames()
	}
	if r.shared.Proxy.Newest() == 0 { // else it goes by that
		r.shared.Proxy.Step(r.client.expected(now))
	}
	r.client.count()
	r.shared.Proxy.Apply(now, &r.proxies)
	r.proxies.parting = false
	r.proxies.leaving.Applied(r.notify.ParentChanged)
	r.noteMended()
	r.client.feedClock()
	r.items.Resolve()
	r.notify.CallBack()
	return true
}

// receiveClient is Receive on a client.
func (r *Replication) receiveClient() {
	r.proxies.admitStrangers(r.loadTime.EndBuilding())
	r.draw.InPlace.Restore()
	r.predict.states.Unpaint(r.predict.all)
	r.line.Link.Poll(&r.client)
	r.line.Note()
	if r.client.ended == nil && r.client.welcomed != nil {
		m := r.client.welcomed
		r.client.welcomed = nil
		r.welcome(m)
	}
	if r.client.ended != nil || r.client.entering != nil && r.shared.Me != 0 {
		r.apply(r.line.Now()) // what the server said before it ended the level or the session
	}
	if r.client.ended == nil && r.client.entering != nil && r.shared.Me != 0 {
		m := r.client.entering
		r.client.entering = nil
		r.enter(*m)
	}
	if r.client.ended != nil {
		r.end(r.client.ended, "left")
		return
	}
	now := r.line.Now()
	if !r.apply(now) {
		return
	}
	r.calls.callWaiting()
	r.groups.askWaiting()
	if t := rpl.Tick(r.draw.Clock.Server(now)); t > r.shared.Tick {
		r.shared.Tick = t
	}
	r.shared.Tick = max(r.shared.Tick, r.shared.Proxy.Newest()) // calls carry the tick, and the authority asks who owned the node then
	r.shared.Proxy.Step(r.shared.Tick)
	if !r.draw.Framed { // else this step's keys answer what the frame shows
		r.draw.MoveRender()
	}
	r.draw.Framed = false
	r.wakeUp()
	r.commands.begin()
	r.notify.CallBack() // of what was predicted otherwise
	r.draw.Reveal()
	r.calls.runDrawn(nil, rpl.Tick(r.draw.Screen.Render))
	r.proxies.leaving.Sweep(r.proxies.endLeft)
}
