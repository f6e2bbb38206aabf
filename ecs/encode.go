package ecs

// Stage Encode: scheduled snapshots become datagrams; on a client, acks and calls.

func encodeStage(r *Replication) {
	switch {
	case !r.sending:
	case r.auth != nil:
		for _, s := range r.seats {
			if s.in && s.gone == nil {
				r.auth.Encode(s.peer, r.now(), s.conn)
			}
		}
	case r.proxy != nil:
		r.proxy.Send(r.now(), r.server)
	}
}
