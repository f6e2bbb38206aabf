package wire

import "github.com/tendonengine/tendon/rpl/internal/ids"

// Which unreliable calls ran last: one that a newer one of its kind has overtaken on the
// way does not run (docs/SPEC.md, protocol rule 8).

// A callKind is what is ordered: the calls of one RPC on one node, by one caller.
type callKind struct {
	node ids.Node
	from ids.Peer
	rpc  int32
}

// Latest has the number of the packet that brought the latest call of each kind, for the
// packets of one connection.
type Latest struct {
	by    map[callKind]uint64
	sweep int    // as soon as there are so many, those that no packet can still undercut go
	swept uint64 // the newest packet at the last sweep
}

// minSweep and maxKinds are how many kinds are kept before the first sweep, and at most:
// calls of a kind for which there is no room are not ordered. A client may make as many
// as it likes on nodes that it has, and a game has some for each node in a second.
const (
	minSweep = 64
	maxKinds = 16 << 10
)

// Overtaken reports whether a later call than one that came in the packet of the number
// seq was taken before; else it takes this one. newest is the newest packet that was
// received. Calls of one packet run in the order in which they are in it.
func (l *Latest) Overtaken(node ids.Node, from ids.Peer, rpc int, seq, newest uint64) bool {
	k := callKind{node, from, int32(rpc)}
	last, known := l.by[k]
	switch {
	case known && seq < last:
		return true
	case known:
	case len(l.by) >= max(l.sweep, minSweep):
		if len(l.by) < maxKinds || newest-l.swept > callsLate/4 {
			l.forgetOld(newest)
		}
		if len(l.by) >= maxKinds {
			return false
		}
	case l.by == nil:
		l.by = map[callKind]uint64{}
	}
	l.by[k] = seq
	return false
}

// forgetOld removes what no call can undercut any more: of packets so much older than the
// newest one no call is taken.
func (l *Latest) forgetOld(newest uint64) {
	for k, seq := range l.by {
		if seq+callsLate <= newest {
			delete(l.by, k)
		}
	}
	l.sweep, l.swept = min(2*len(l.by), maxKinds), newest
}

// callsLate is by how many numbers a packet may be older than the newest one for its calls
// to be taken: at the authority Generations, at a client MaxLate.
const callsLate = max(Generations, MaxLate)
