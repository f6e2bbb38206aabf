package ecs

// Stage Encode: scheduled snapshots become datagrams; on a client, acks and calls.

func encodeStage(r *Replication) {
	switch {
	case !r.sending:
	case r.auth != nil:
		r.seats.sends++
		for i := range r.seats.all {
			// Another peer is the first each time: a socket without room for all packets
			// would otherwise leave out the same peers every time.
			s := r.seats.all[(r.seats.sends+i)%len(r.seats.all)]
			switch {
			case s.gone != nil:
			case s.in:
				r.auth.Encode(s.peer, r.line.now(), s.conn)
			case s.untold && s.conn != nil:
				r.seats.tellLevel(s, false)
			}
		}
	case r.proxy != nil:
		r.proxy.Send(r.line.now(), r.client.conn)
	}
}
