package ecs

// Stage Send: each connection's packets leave, those of the reliable lane too.

import "github.com/tendonengine/tendon/transport"

func sendStage(r *Replication) {
	switch {
	case !r.sending:
	case r.auth != nil:
		for _, s := range r.seats.all {
			if s.conn == nil {
				continue
			}
			s.conn.Flush()
			sent, held := s.meter.lane(s.conn)
			r.auth.Charge(s.peer, sent, held)
			if aware, ok := s.conn.(transport.LossAware); s.meter.read(r.line.now(), s.conn) && ok {
				aware.SetLoss(r.auth.PeerStats(s.peer).Loss)
			}
		}
	case r.client.conn != nil:
		r.client.conn.Flush()
		if aware, ok := r.client.conn.(transport.LossAware); r.client.meter.read(r.line.now(), r.client.conn) && ok {
			aware.SetLoss(guessLoss(r.client.conn.Stats()))
		}
	}
}

// guessLoss returns the share of its own packets that a client assumes to be lost. The
// server does not tell it; a machine that misses many packets usually loses about as
// many.
func guessLoss(s transport.Stats) float64 {
	if s.PacketsIn < leastMissed || s.LossIn < leastGuess {
		return 0
	}
	return s.LossIn
}
