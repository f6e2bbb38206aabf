package callqueue

// MaxTimed is how many calls may wait for their ticks: a usual picture lags a tenth of a second behind,
// and of 5,000 calls a second nobody could see or hear the most.
const MaxTimed = 512

// A Late is a call that has been read, and runs later. Run calls handOn once it is known to be good.
type Late[C any] struct {
	Call C
	Args any
	Sent []byte // what Args were read from
	Run  func(c C, args any, sent []byte, handOn func()) error
}

// Timed keeps calls until their ticks, in the order of those and then as they came. The zero value
// is empty. It may be changed while what it returned runs.
type Timed[N comparable, C any] struct {
	calls []timed[N, C] // those before head have gone
	head  int
}

type timed[N comparable, C any] struct {
	tick uint32
	node N
	what Late[C]
}

// Len returns how many calls wait.
func (q *Timed[N, C]) Len() int { return len(q.calls) - q.head }

// First returns the tick of the call that is next.
func (q *Timed[N, C]) First() uint32 { return q.calls[q.head].tick }

// Add adds a call on a node.
func (q *Timed[N, C]) Add(tick uint32, n N, c Late[C]) {
	if q.head > 0 && len(q.calls) == cap(q.calls) { // there is room in front
		left := copy(q.calls, q.calls[q.head:])
		clear(q.calls[left:])
		q.calls, q.head = q.calls[:left], 0
	}
	q.calls = append(q.calls, timed[N, C]{tick, n, c})
	for i := len(q.calls) - 1; i > q.head && q.calls[i-1].tick > tick; i-- { // a few: most come in order
		q.calls[i], q.calls[i-1] = q.calls[i-1], q.calls[i]
	}
}

// Next takes out the next call up to a tick: on any node, or, if it is not the zero value, on one.
func (q *Timed[N, C]) Next(on N, to uint32) (n N, c Late[C], ok bool) {
	var any N
	for i := q.head; i < len(q.calls) && q.calls[i].tick <= to; i++ {
		if is := q.calls[i]; on == any || is.node == on {
			copy(q.calls[q.head+1:i+1], q.calls[q.head:i])
			q.calls[q.head] = timed[N, C]{}
			if q.head++; q.head == len(q.calls) {
				q.calls, q.head = q.calls[:0], 0
			}
			return is.node, is.what, true
		}
	}
	return n, c, false
}
