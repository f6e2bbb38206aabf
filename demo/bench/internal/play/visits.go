package play

import "time"

// shortVisit is the length below which a visit is left out of the arrival times: it is
// over before a late arrival would be noticed.
const shortVisit = 400 * time.Millisecond

// visits measures, for each client and life, the time from Stream's decision to the
// client's tick that applies the arrival.
type visits struct {
	clients int
	all     []visit // by life, then by client, so that the visits of a life that dies lie together
	times   []time.Duration
	samples []time.Duration
}

// A visit is one stay of a node in a client's sight. Its times are indices of
// visits.times; -1 means not yet.
type visit struct {
	decided, left, applied int32
	open                   bool
	join                   bool // the decision came before the client had joined
}

func newVisits(clients, lives int) *visits {
	return &visits{clients: clients, all: make([]visit, clients*lives)}
}

// stamp returns the index of a time in times, and appends it if it is new. Times must
// not go back.
func (v *visits) stamp(now time.Duration) int32 {
	if n := len(v.times); n == 0 || v.times[n-1] != now {
		v.times = append(v.times, now)
	}
	return int32(len(v.times) - 1)
}

func (v *visits) of(client, life int) *visit { return &v.all[life*v.clients+client] }

// in notes that Stream has decided to stream the node in for the client.
func (v *visits) in(client, life int, now time.Duration, join bool) {
	x, at := v.of(client, life), v.stamp(now)
	v.close(x, at) // a visit whose arrival was never applied
	*x = visit{decided: at, left: -1, applied: -1, open: true, join: join}
}

// out notes that Stream has decided to stream the node out for the client.
func (v *visits) out(client, life int, now time.Duration) { v.leave(v.of(client, life), v.stamp(now)) }

// gone notes that the node was removed for all clients.
func (v *visits) gone(life int, now time.Duration) {
	at := v.stamp(now)
	for client := range v.clients {
		v.leave(v.of(client, life), at)
	}
}

func (v *visits) leave(x *visit, at int32) {
	if x.open && x.left < 0 {
		x.left = at
		if x.applied >= 0 {
			v.close(x, at)
		}
	}
}

// arrived notes that the client has applied the arrival.
func (v *visits) arrived(client, life int, now time.Duration) {
	if x := v.of(client, life); x.open && x.applied < 0 {
		x.applied = v.stamp(now)
		if x.left >= 0 {
			v.close(x, x.applied)
		}
	}
}

// close takes the sample of a visit that is over or cut by the end of the trace. An
// arrival that was never applied counts as applied now.
func (v *visits) close(x *visit, now int32) {
	if !x.open {
		return
	}
	x.open = false
	left, applied := now, now
	if x.left >= 0 {
		left = x.left
	}
	if x.applied >= 0 {
		applied = x.applied
	}
	decided := v.times[x.decided]
	if !x.join && v.times[left]-decided >= shortVisit {
		v.samples = append(v.samples, v.times[applied]-decided)
	}
}

// end closes every visit that is open.
func (v *visits) end(now time.Duration) {
	at := v.stamp(now)
	for i := range v.all {
		v.close(&v.all[i], at)
	}
}
