package ecs

// Stage Encode: scheduled snapshots become datagrams; on a client, acks and calls.

func encodeStage(r *Replication) {
	switch {
	case !r.sending:
	case r.auth != nil:
		r.turn++
		for i := range r.seats {
			// Another peer is the first each time: a socket without room for all packets
			// would otherwise leave out the same peers every time.
			s := r.seats[(r.turn+i)%len(r.seats)]
			switch {
			case s.gone != nil:
			case s.in:
				r.auth.Encode(s.peer, r.now(), s.conn)
			case s.untold && s.conn != nil:
				r.tellLevel(s, false)
			}
		}
	case r.proxy != nil:
		r.proxy.Send(r.now(), r.server)
	}
}
