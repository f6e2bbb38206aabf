package ecs

// Stage Send: each connection's packets leave, the reliable lane's included.

func sendStage(r *Replication) {
	switch {
	case !r.sending:
	case r.auth != nil:
		for _, s := range r.seats {
			s.conn.Flush()
			s.meter.read(r.now(), s.conn.Stats())
		}
	case r.server != nil:
		r.server.Flush()
		r.meter.read(r.now(), r.server.Stats())
	}
}
