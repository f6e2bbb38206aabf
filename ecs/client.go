package ecs

// client: what a machine keeps while it is in another's session, and what it does with
// the data that its link received.

import (
	"fmt"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
)

type client struct {
	server transport.Conn
	host   rpl.Peer // the server's own peer, 0 if it has no player
	meter  meter
	after  uint64 // datagrams up to this sequence number belong to an earlier level

	// Messages that the inbox leaves for the end of Receive, because handling them calls
	// the game.
	welcomed *welcome
	entering *levelMessage

	clock  clock
	joined time.Duration        // when the link came up, about when the server wrote its tick into the welcome, which may come later
	sends  int                  // sends a second of the server
	render float64              // drawn time, in ticks
	heard  [heardTicks]rpl.Tick // the newest ticks received, newest first

	newestSeq uint64        // the highest sequence number received …
	newestAt  time.Duration // … and when it was received

	sessionHere bool              // the session's node has arrived in this level
	read        rpl.ProxyCounters // the core's counters when they were last read

	hiding     []*node // nodes to show once drawn time reaches their first sample
	leaving    []*node
	leavers    map[rpl.Node]*node // of leaving, by id: those that may come again and are no load-time nodes
	inPlace    []*node
	parting    bool // the Apply in progress has removed nodes
	references references
	told       serverNames
	strangers  map[string]*rpl.Replica // load-time nodes that have no entity here
}

// clientInbox handles what the link delivers. It calls no game code: that waits until
// everything has been received.
type clientInbox struct{ *Replication }

func (r clientInbox) Connected(c transport.Conn, _ []byte) { r.server, r.joined = c, r.now() }

func (r clientInbox) Datagram(_ transport.Conn, seq uint64, at time.Duration, b []byte) {
	if r.proxy == nil || r.entering != nil || seq <= r.after {
		return
	}
	r.proxy.Receive(seq, r.linkBase+at, b)
	if seq > r.newestSeq {
		r.newestSeq, r.newestAt = seq, r.linkBase+at
	}
}

func (r clientInbox) Message(_ transport.Conn, b []byte) {
	switch {
	case len(b) == 0:
	case b[0] < firstMessage:
		if r.proxy != nil && r.entering == nil {
			r.proxy.ReceiveMessage(b)
		}
	case b[0] == msgWelcome && r.me == 0 && r.welcomed == nil:
		m, err := parseWelcome(b)
		if err != nil {
			r.refuse("message refused", err)
			return
		}
		r.welcomed = &m
	case b[0] == msgLevel:
		m, err := parseLevel(b)
		if err != nil {
			r.refuse("message refused", err)
			return
		}
		r.entering = &m
	case b[0] == msgNames:
		m, err := parseNames(b)
		if err == nil {
			err = r.told.take(m)
		}
		r.refuse("message refused", err)
	default:
		*r.Counter("message refused")++
	}
}

func (r clientInbox) Closed(_ transport.Conn, err error) { r.ended = err }

// hear records the newest tick received, and feeds the clock with its time of arrival.
func (r *Replication) hear() {
	if t := r.proxy.Newest(); t > r.heard[0] {
		copy(r.heard[1:], r.heard[:])
		r.heard[0] = t
		r.clock.sample(t, r.newestAt)
	}
}

// heardBefore returns the newest received tick that is older than t; 0 if there is none.
func (r *Replication) heardBefore(t rpl.Tick) rpl.Tick {
	for _, h := range r.heard {
		if h < t {
			return h
		}
	}
	return 0
}

// welcome takes the peer number and the level that the server gives.
func (r *Replication) welcome(m *welcome) {
	if int(m.steps) != r.config.Steps {
		r.ended = fmt.Errorf("tendon: the server makes %d steps a second, this machine %d: give both the same Config.Steps: %w", m.steps, r.config.Steps, transport.ErrSchema)
		return
	}
	r.me, r.tick, r.sends, r.host = m.peer, m.tick, int(m.sends), m.host
	r.clock.step = r.config.step()
	r.config.Log.Info("joined", "peer", r.me, "server", r.server.Stats().Remote)
	r.strangers = map[string]*rpl.Replica{}
	r.enter(m.level)
}

// expected estimates the server's tick before any state of a level has come, which may
// take long while the client builds its side of the level. The estimate may be too high.
func (r *Replication) expected(now time.Duration) rpl.Tick {
	if r.clock.started {
		return rpl.Tick(r.clock.most(now) / r.clock.step)
	}
	return r.tick + rpl.Tick(max(0, now-r.joined)/r.clock.step)
}

// apply takes over what has come of the level, and reports whether the server has told
// enough of it.
func (r *Replication) apply(now time.Duration) bool {
	if r.proxy == nil || !r.told.done {
		return false
	}
	if !r.told.applied {
		r.compareNames()
	}
	if r.proxy.Newest() == 0 { // else it goes by that
		r.proxy.Step(r.expected(now))
	}
	r.proxy.Apply(now, proxyHandler{r})
	r.parting = false
	r.noteMended()
	r.hear()
	r.resolve()
	r.callBack()
	return true
}

// receiveClient is Receive on a client.
func (r *Replication) receiveClient() {
	r.admitStrangers(r.settleShapes())
	r.restoreInPlace()
	r.link.Poll(clientInbox{r})
	r.noteLink()
	if r.ended == nil && r.welcomed != nil {
		m := r.welcomed
		r.welcomed = nil
		r.welcome(m)
	}
	if r.ended != nil || r.entering != nil && r.me != 0 {
		r.apply(r.now()) // what the server said before it ended the level or the session
	}
	if r.ended == nil && r.entering != nil && r.me != 0 {
		m := r.entering
		r.entering = nil
		r.enter(*m)
	}
	if r.ended != nil {
		why := r.ended
		r.ended = nil
		r.end(why, "left")
		return
	}
	now := r.now()
	if !r.apply(now) {
		return
	}
	r.callWaiting()
	r.askWaiting()
	if t := rpl.Tick(r.clock.server(now) / r.clock.step); t > r.tick {
		r.tick = t
	}
	r.tick = max(r.tick, r.proxy.Newest()) // calls carry the tick, and the authority asks who owned the node then
	r.proxy.Step(r.tick)
	r.moveRender()
	r.reveal()
	r.sweep()
}
