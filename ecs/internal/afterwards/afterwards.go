// Package afterwards runs what callbacks put off until the end of the Receive or Send in
// progress.
package afterwards

// A Queue is what has been put off. The zero value is ready to use.
type Queue struct {
	inside  bool // Receive, Send, Close or a removal is in progress
	waiting []func()
}

// Inside reports whether something is in progress.
func (q *Queue) Inside() bool { return q.inside }

// Begin says that something is in progress, until Run or Leave.
func (q *Queue) Begin() { q.inside = true }

// Leave ends the state that Begin begins, also when a callback panics: a game that recovers
// must not be told in every later step that it is still inside.
func (q *Queue) Leave() { q.inside = false }

// During runs fn, which calls the game back, and then what the callbacks have put off, unless
// a Receive, a Send or a removal that is in progress will.
func (q *Queue) During(fn func()) {
	if q.inside {
		fn()
		return
	}
	q.inside = true
	defer q.Leave()
	fn()
	q.Run()
}

// Run runs the put-off functions one after the other, and leaves. What the callbacks of one
// put off runs after it, not in the middle of it.
func (q *Queue) Run() {
	for len(q.waiting) > 0 {
		fn := q.waiting[0]
		q.waiting = q.waiting[1:]
		fn()
	}
	q.inside = false
}

// Later runs fn at the end of what is in progress, or at once if nothing is.
func (q *Queue) Later(fn func()) {
	q.waiting = append(q.waiting, fn)
	if !q.inside {
		q.inside = true
		defer q.Leave()
		q.Run()
	}
}
