package endpoint

// A listener's refusals. They are remembered for a while: repeats of the question, which were under
// way when it was answered, get the same answer, and the game is not asked once more.

import (
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/seal"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// A denial is what a client was answered that was not let in.
type denial struct {
	question
	at     time.Duration
	reason wire.Reason
	detail []byte
	cipher seal.Cipher
}

// denials are the newest ones: of those that are too many the oldest is forgotten, and its repeats
// are new questions, as are those of a client that goes on asking.
type denials struct {
	of    map[question]*denial
	order []*denial // oldest first
}

// put remembers a denial, and forgets those whose cookies are good no more.
func (d *denials) put(x *denial) {
	if d.of == nil {
		d.of = map[question]*denial{}
	}
	d.of[x.question] = x
	d.order = append(d.order, x)
	for len(d.order) > transport.MaxDenials || x.at-d.order[0].at > seal.CookieLife {
		d.drop()
	}
}

func (d *denials) drop() {
	old := d.order[0]
	if d.of[old.question] == old {
		delete(d.of, old.question)
	}
	d.order[0] = nil
	d.order = d.order[1:]
}

// denial returns what a question was answered at most a cookie's life ago; nil if it was not denied.
// A copy of the INIT that comes later has no good cookie, and means nothing.
func (d *desk) denial(q question, now time.Duration) *denial {
	d.mu.Lock()
	defer d.mu.Unlock()
	if x := d.denied.of[q]; x != nil && now-x.at <= seal.CookieLife {
		return x
	}
	return nil
}

// deny refuses a client, and takes its request off the desk.
func (e *Endpoint) deny(r *request, reason wire.Reason, detail []byte, why error) {
	x := &denial{r.question, e.cfg.Now(), reason, detail, r.shake.Denial()}
	e.repeat(x, r.path, r.size)
	if r.conn == nil { // else it has left as that ended
		e.gate.leave(r.prefix)
	}
	e.desk.mu.Lock()
	delete(e.desk.known, r.question)
	e.desk.denied.put(x)
	e.desk.mu.Unlock()
	e.noteRefusal(r.from, why)
}

// repeat answers an INIT of this size. A detail that would make the answer longer than the question
// is left out.
func (e *Endpoint) repeat(x *denial, to Path, size int) {
	detail := x.detail
	if wire.DenyFixed+len(detail) > size {
		detail = nil
	}
	var nonce [seal.NonceSize]byte
	_, _ = e.random().Read(nonce[:]) // never fails
	e.cfg.Send(to, wire.DenyMessage{Attempt: x.attempt, Reason: x.reason, Detail: detail}.Append(x.cipher, nonce))
}
