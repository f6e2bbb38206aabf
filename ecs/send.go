package ecs

// Stage Send: each connection's packets leave, the reliable lane's included.

import "github.com/tendonengine/tendon/transport"

func sendStage(r *Replication) {
	switch {
	case !r.sending:
	case r.auth != nil:
		for _, s := range r.seats {
			if s.conn == nil {
				continue
			}
			s.conn.Flush()
			sent, held := s.meter.lane(s.conn)
			r.auth.Charge(s.peer, sent, held)
			if aware, ok := s.conn.(transport.LossAware); s.meter.read(r.now(), s.conn) && ok {
				aware.SetLoss(r.auth.PeerStats(s.peer).Loss)
			}
		}
	case r.server != nil:
		r.server.Flush()
		r.meter.read(r.now(), r.server)
	}
}
