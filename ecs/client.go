package ecs

// client: what a machine keeps while it is in another's session, and what it does with
// the data that its link received.

import (
	"fmt"
	"math"
	"time"

	"github.com/tendonengine/tendon/ecs/internal/drawing"
	"github.com/tendonengine/tendon/ecs/internal/line"
	"github.com/tendonengine/tendon/ecs/internal/meter"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/sessionmsg"
	"github.com/tendonengine/tendon/ecs/internal/track"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
)

// A client is a machine's connection to the server whose session it is in.
type client struct {
	*shared
	nodes *nodes.Table
	draw  *drawing.Keeper
	line  *line.Line

	conn  transport.Conn
	host  rpl.Peer // the server's own peer, 0 if it has no player
	meter meter.Meter
	after uint64 // datagrams up to this sequence number belong to an earlier level
	ended error  // why the link has ended, until the game is told

	// Messages that the inbox leaves for the end of Receive, because handling them calls
	// the game.
	welcomed *sessionmsg.Welcome
	entering *sessionmsg.Level

	ready  time.Duration // when it last said that its side of a level is built …
	answer time.Duration // … and how long after that the first state of the session came, a second at most: a round trip, about
	joined time.Duration // when the link came up, about when the server wrote its tick into the welcome, which may come later

	newestSeq   uint64 // the highest sequence number received
	measuredSeq uint64 // the highest when feedClock last had news …
	came        int    // … and how many packets have come since …
	lost        int    // … and have not, as count found out

	sessionHere bool              // the session's node has arrived in this level
	read        rpl.ProxyCounters // the core's counters when they were last read
	names       sessionmsg.ServerNames
	progress    sessionmsg.Progress
	share       float64 // the greatest of Progress in this level
}

// Connected, Datagram, Message and Closed are what the link delivers. They call no game
// code: that waits until everything has been received.
func (cl *client) Connected(c transport.Conn, _ []byte) { cl.conn, cl.joined = c, cl.line.Now() }

func (cl *client) Datagram(_ transport.Conn, seq uint64, at time.Duration, b []byte) {
	if cl.Proxy == nil || cl.entering != nil || seq <= cl.after {
		return
	}
	cl.Proxy.Receive(seq, cl.line.At(at), b)
	cl.came++
	cl.newestSeq = max(cl.newestSeq, seq)
}

func (cl *client) Message(_ transport.Conn, b []byte) {
	switch {
	case len(b) == 0:
	case b[0] < sessionmsg.First:
		if cl.Proxy != nil && cl.entering == nil {
			cl.Proxy.ReceiveMessage(b)
		}
	case b[0] == sessionmsg.TypeWelcome && cl.Me == 0 && cl.welcomed == nil:
		m, err := sessionmsg.ParseWelcome(b)
		if err != nil {
			cl.Faults.Refuse("message refused", err)
			return
		}
		cl.welcomed = &m
	case b[0] == sessionmsg.TypeLevel:
		m, err := sessionmsg.ParseLevel(b)
		if err != nil {
			cl.Faults.Refuse("message refused", err)
			return
		}
		cl.entering = &m
	case b[0] == sessionmsg.TypeLast:
		m, err := sessionmsg.ParseLast(b)
		if err == nil && cl.Proxy != nil && cl.entering == nil && m.Seq > cl.after {
			cl.Proxy.Receive(m.Seq, cl.line.Now(), m.Datagram)
		}
		cl.Faults.Refuse("message refused", err)
	case b[0] == sessionmsg.TypeNames:
		m, err := sessionmsg.ParseNames(b)
		if err == nil {
			err = cl.names.Take(m)
		}
		cl.Faults.Refuse("message refused", err)
	case b[0] == sessionmsg.TypeProgress:
		m, err := sessionmsg.ParseProgress(b)
		if err == nil && cl.Proxy != nil && cl.entering == nil {
			cl.progress = m
		}
		cl.Faults.Refuse("message refused", err)
	default:
		cl.Faults.Count("message refused")
	}
}

func (cl *client) Closed(_ transport.Conn, err error) { cl.ended = err }

// count finds out whether packets are missing among those that Apply is about to read. lost
// also counts packets that came without a datagram: a session in which those keep the line
// alive is quiet, and draws a send later, when it knows whether what starts is fast or leaps.
func (cl *client) count() {
	missing, sent := 0, 0
	cl.lost = 0
	if cl.measuredSeq > 0 && cl.newestSeq > cl.measuredSeq {
		sent = int(min(cl.newestSeq-cl.measuredSeq, math.MaxInt32))
		cl.lost = max(0, min(sent, track.ReceivedTicks)-cl.came)
		missing = cl.conn.Missing(cl.measuredSeq, cl.newestSeq)
	}
	cl.draw.Screen.Expect(sent, missing, cl.came > 1)
	rtt, jitter := cl.Proxy.RTT()
	cl.draw.Screen.SetTrip(rtt+2*jitter, cl.config.step())
}

// trip is the round trip, as far as is known.
func (cl *client) trip() time.Duration {
	if rtt, _ := cl.Proxy.RTT(); rtt > 0 {
		return rtt
	}
	return cl.answer
}

// feedClock notes the newest tick received, and tells the clock when it came.
func (cl *client) feedClock() {
	if t := cl.Proxy.Newest(); t > cl.draw.Screen.Received.Newest() {
		if cl.draw.Screen.Note(t, cl.Proxy.Acked()); !cl.draw.Clock.Started() {
			cl.answer = min(cl.line.Now()-cl.ready, time.Second)
		}
		cl.hear(t)
		cl.measuredSeq, cl.came = cl.newestSeq, 0
	}
}

// hear tells the clock of the newest tick received, unless it knows.
func (cl *client) hear(t rpl.Tick) {
	cl.draw.Clock.Hear(uint32(t), cl.Proxy.NewestAt(), cl.line.Now(), cl.lost)
}

// expected estimates the server's tick before any state of a level has come, which may
// take long while the client builds its side of the level. The estimate may be too high.
func (cl *client) expected(now time.Duration) rpl.Tick {
	if cl.draw.Clock.Started() {
		return rpl.Tick(cl.draw.Clock.Most(now))
	}
	return cl.Tick + rpl.Tick(max(0, now-cl.joined)/cl.config.step())
}

// newProxy makes the core for a level that this machine is about to build.
func (cl *client) newProxy() error {
	config := cl.config.proxy(cl.protocol.schema, cl.nodes)
	config.Missing, config.Former = cl.conn.Missing, cl.Proxy
	p, err := rpl.NewProxy(config, cl.Me)
	if err != nil {
		return fmt.Errorf("tendon: %w", err)
	}
	cl.Proxy, cl.sessionHere, cl.read = p, false, rpl.ProxyCounters{}
	return nil
}
