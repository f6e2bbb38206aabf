package ecs

// Stats: the statistics of one connection; and Counters: events that no callback reports,
// counted by name.

import (
	"iter"
	"time"

	"github.com/tendonengine/tendon/ecs/internal/faults"
	"github.com/tendonengine/tendon/ecs/internal/meter"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
)

// Stats are the statistics of one connection.
type Stats struct {
	RTT, Jitter       time.Duration
	ViewDelay         time.Duration   // how far drawn time shall trail the newest state; it gets there over some seconds. 0 on the authority
	Margin            time.Duration   // how long before their tick this client's commands come; 0 on the authority, and without commands
	Rate              float64         // the server's speed relative to Config.Steps: 1 is on time, 0.5 half speed; 0 on the authority
	Loss              float64         // share of the packets to the client that are lost, 0 to 1: as judged on the authority; on the client, missing among its last 256
	SendLimit         int             // on the authority: bytes a second that the peer is sent at most, Config.Budget, or what its line carries if that is less
	Waiting           int             // bytes of reliable calls, and of values longer than a packet, that wait or are not acknowledged. A game that sends a file gives its next piece while it is below some 16 KiB. What comes into view is not in it (Progress)
	Lost              bool            // on the authority: the peer is lost, and may come back (see OnLost) …
	LostFor           time.Duration   // … and has been for this long
	BytesOut, BytesIn int             // per second, UDP payload
	Conn              transport.Stats // totals, addresses and the transport's name
}

// Stats returns the statistics of the connection to a peer; on a client, of its one
// connection, to the server, whatever p is. They are zero if there is no connection,
// except for Lost and LostFor.
func (r *Replication) Stats(p rpl.Peer) Stats {
	if r.shared.Auth == nil {
		if r.client.conn == nil {
			return Stats{}
		}
		s := lineStats(&r.client.meter, r.client.conn)
		s.Loss, s.Waiting = s.Conn.LossIn, s.Conn.ReliableWaiting
		if r.shared.Proxy != nil {
			s.ViewDelay, s.Rate = r.draw.Clock.Delay(), r.draw.Clock.Rate()
			s.RTT, s.Jitter = r.shared.Proxy.RTT()
			s.Waiting += r.shared.Proxy.Counters().Waiting
			s.Margin = r.CommandStats().Lead
		}
		return s
	}
	seat := r.seats.seatOf(p)
	if seat == nil {
		return Stats{}
	}
	var s Stats
	if seat.conn != nil {
		s = lineStats(&seat.meter, seat.conn)
		core := r.shared.Auth.PeerStats(p)
		s.RTT, s.Jitter, s.Loss, s.SendLimit = core.RTT, core.Jitter, core.Loss, core.SendLimit
		s.Waiting = core.Waiting + s.Conn.ReliableWaiting
	}
	if seat.lost {
		s.Lost, s.LostFor = true, r.line.Now()-seat.since
	}
	return s
}

func lineStats(m *meter.Meter, c transport.Conn) Stats {
	return Stats{BytesOut: m.Out, BytesIn: m.In, Conn: c.Stats()}
}

// CommandStats count a session's commands since it was made.
type CommandStats struct {
	// On the authority.
	InTime  int           // commands that ran at their tick
	Missed  int           // ticks of a node whose player's command had not come
	Late    int           // commands that came after their tick; their presses count in the next
	Early   int           // not kept, because they came too long before their ticks, as while the server stands; they come again
	Doubled int           // repeats of what had come
	Former  int           // for nodes that this player had owned until less than ten seconds ago, or whose component has been removed
	Refused int           // that no honest client gives: for nodes of others, or not to be read
	Margin  time.Duration // mean time that they came before their tick

	// On a client.
	Ticks       int           // that were predicted
	Corrections int           // predictions that were wrong
	ReplayTime  time.Duration // that corrections took
	Lead        time.Duration // mean time that commands come before their tick, as the server has reported
}

// CommandStats returns the counts of the session's commands.
func (r *Replication) CommandStats() CommandStats {
	co, step := &r.commands, r.shared.config.step()
	s := co.counts
	s.Lead = time.Duration(co.lead.Margin() * float64(step))
	if co.marginOf > 0 {
		s.Margin = time.Duration(co.marginSum / float64(co.marginOf) * float64(step))
	}
	return s
}

// Counter returns a counter of this session by name, made on first use: a plugin's own,
// or one of the library's. It counts as long as the Replication exists.
func (r *Replication) Counter(name string) *uint64 { return r.shared.Faults.Counter(name) }

// Counters returns all counters, in order of their names. The library counts what it
// drops or refuses ("rpc dropped", "packet refused", "stale give"), unreliable calls for which
// a send had no room ("rpc without room"), what it repairs
// ("state differs": on a client, found by a checksum; "resync": packets could not be
// read, so everything was sent anew), what comes and goes ("stream in", "stream out"),
// what a client's prediction was compared with though it may not have been all ("state
// incomplete": no whole state came for four seconds), and what is lost on the link ("packet
// ignored", "packet dropped", "read failed", "write failed": see transport.Counters).
func (r *Replication) Counters() iter.Seq2[string, uint64] { return r.shared.Faults.Counters() }

// noteMended counts what this machine's core has refused and repaired since the last
// call.
func (r *Replication) noteMended() {
	if r.shared.Auth != nil {
		now, was := r.shared.Auth.Counters(), &r.seats.read
		r.shared.Faults.Add("resync", now.Resyncs-was.resyncs)
		noRoom(r.shared.Faults, now.CallsNoRoom-was.noRoom, now.NoRoomRPC)
		was.resyncs, was.noRoom = now.Resyncs, now.CallsNoRoom
		return
	}
	now, was := r.shared.Proxy.Counters(), r.client.read
	r.shared.Faults.Add("packet refused", now.Refused-was.Refused)
	r.shared.Faults.Add("state differs", now.Mismatches-was.Mismatches)
	r.shared.Faults.Add("resync", now.Resyncs-was.Resyncs)
	noRoom(r.shared.Faults, now.CallsNoRoom-was.CallsNoRoom, now.NoRoomRPC)
	r.client.read = now
}

// noRoom counts unreliable calls for which a send had no room; the log names the RPC of the last.
func noRoom(log *faults.Log, calls uint64, rpc string) {
	if calls == 0 {
		return
	}
	log.Lose("rpc without room", calls, "unreliable calls to or from a peer that are more than 256 in a send, or than its budget or line carries", "call less often, say more in one call, or replicate it", "rpc", rpc)
}
