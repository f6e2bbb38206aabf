package play

import "time"

// shortVisit is the length below which a stay in a client's sight is left out
// of the arrival times: it is over before a late arrival would be noticed.
const shortVisit = 400 * time.Millisecond

// visits times, for each client and life, from Stream's decision to the client
// tick that applies the arrival.
type visits struct {
	byClient [][]visit // by life
	samples  []time.Duration
}

// A visit is one stay of a node in a client's sight. Times are the session's.
type visit struct {
	decided, left, applied time.Duration // -1: not yet
	open                   bool
	join                   bool // decided before the client had joined
}

func newVisits(clients, lives int) *visits {
	v := &visits{byClient: make([][]visit, clients)}
	for c := range v.byClient {
		v.byClient[c] = make([]visit, lives)
	}
	return v
}

// in: Stream has decided that the client gets the node.
func (v *visits) in(client, life int, now time.Duration, join bool) {
	v.close(client, life, now) // what was decided before and never applied
	v.byClient[client][life] = visit{decided: now, left: -1, applied: -1, open: true, join: join}
}

// out: it is to have it no more.
func (v *visits) out(client, life int, now time.Duration) {
	if x := &v.byClient[client][life]; x.open && x.left < 0 {
		x.left = now
		if x.applied >= 0 {
			v.close(client, life, now)
		}
	}
}

// arrived: the client has applied it.
func (v *visits) arrived(client, life int, now time.Duration) {
	if x := &v.byClient[client][life]; x.open && x.applied < 0 {
		x.applied = now
		if x.left >= 0 {
			v.close(client, life, now)
		}
	}
}

// close takes the sample of a visit that is over, or cut by the end of the
// trace. One that was never applied has taken at least until now.
func (v *visits) close(client, life int, now time.Duration) {
	x := &v.byClient[client][life]
	if !x.open {
		return
	}
	x.open = false
	length, took := now-x.decided, now-x.decided
	if x.left >= 0 {
		length = x.left - x.decided
	}
	if x.applied >= 0 {
		took = x.applied - x.decided
	}
	if !x.join && length >= shortVisit {
		v.samples = append(v.samples, took)
	}
}

// end closes every visit.
func (v *visits) end(now time.Duration) {
	for c := range v.byClient {
		for life := range v.byClient[c] {
			v.close(c, life, now)
		}
	}
}
