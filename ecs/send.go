package ecs

// Stages Stream, Schedule, Encode and Send: where peers look from, and so what streams in and
// out; what fits each peer's budget; what becomes datagrams; and what leaves.

import (
	"github.com/tendonengine/tendon/ecs/internal/meter"
	"github.com/tendonengine/tendon/ecs/internal/sessionmsg"
	"github.com/tendonengine/tendon/transport"
)

func streamStage(r *Replication) {
	if r.shared.Auth == nil || !r.shared.Sending {
		return
	}
	r.seats.sends++
	if r.shared.config.Interest != nil {
		r.seats.observers.Report()
	}
	r.shared.Auth.Stream(r.line.Now())
	r.reportAudience()
}

func scheduleStage(r *Replication) {
	if r.shared.Auth != nil && r.shared.Sending {
		for i := 0; r.schedule.ends && i < len(r.seats.all); i++ {
			r.shared.Auth.Repeat(r.seats.all[i].peer) // nobody would send it again
		}
		r.shared.Auth.Schedule(r.line.Now())
	}
}

func encodeStage(r *Replication) {
	switch {
	case !r.shared.Sending:
	case r.shared.Auth != nil:
		r.seats.sendProgress()
		for i := range r.seats.all {
			// Another peer is the first each time: a socket without room for all packets
			// would otherwise leave out the same peers every time.
			s := r.seats.all[(r.seats.sends+i)%len(r.seats.all)]
			switch {
			case s.gone != nil:
			case s.in && r.schedule.ends:
				s.last = sessionmsg.Recorder{Sink: s.conn}
				r.shared.Auth.Encode(s.peer, r.line.Now(), &s.last)
			case s.in:
				r.shared.Auth.Encode(s.peer, r.line.Now(), s.conn)
			case s.levelUnsent && s.conn != nil:
				r.seats.sendLevel(s, false)
			}
		}
	case r.shared.Proxy != nil:
		r.shared.Proxy.Send(r.line.Now(), r.client.conn)
		if r.client.meter.Lossy && r.commands.pressed() && r.client.sessionHere { // a press alone in a packet that is lost comes late
			r.commands.sendCommands()
			r.shared.Proxy.Send(r.line.Now(), r.client.conn)
		}
	}
}

func sendStage(r *Replication) {
	switch {
	case !r.shared.Sending:
	case r.shared.Auth != nil:
		for _, s := range r.seats.all {
			if s.conn == nil {
				continue
			}
			s.conn.Flush()
			sent, held := s.meter.Lane(s.conn)
			r.shared.Auth.Charge(s.peer, sent, held)
			why := ""
			if s.meter.Read(r.line.Now(), s.conn) {
				core := r.shared.Auth.PeerStats(s.peer)
				if aware, ok := s.conn.(transport.LossAware); ok && s.in { // between levels it stays what it was
					aware.SetLoss(core.Loss)
				}
				why = s.calls.Check(r.line.Now(), core.Calls, r.shared.config.Limits.Calls)
			}
			if s.in && why == "" && s.meter.In > 0 { // who is not heard at all is lost, not kicked
				acks, messages := r.shared.Auth.Waits(s.peer, r.line.Now())
				why = s.takes.Check(r.line.Now(), acks, messages, r.shared.config.Limits.Unanswered)
			}
			if why != "" && s.gone == nil {
				r.Kick(s.peer, why)
			}
		}
	case r.client.conn != nil:
		r.client.conn.Flush()
		if aware, ok := r.client.conn.(transport.LossAware); r.client.meter.Read(r.line.Now(), r.client.conn) && ok {
			aware.SetLoss(meter.AssumedLoss(r.client.conn.Stats()))
		}
	}
}
