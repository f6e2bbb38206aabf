package endpoint

// A listener's desk: the clients that ask to be let in wait here for the worker, who reads
// what they say, and for the game's next Poll, which decides (admit.go).

import (
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/seal"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// A request is one client's INIT on its way through the desk.
type request struct {
	question
	at       time.Duration
	path     Path
	prefix   netip.Prefix
	noise    []byte
	size     int // of the INIT: no refusal is longer
	shake    *seal.Handshake
	hello    []byte
	identity transport.Identity
	conn     *Conn // once it is let in
}

// A refusal is a client that was not let in, to be told to the session.
type refusal struct {
	remote netip.AddrPort
	why    error
}

type desk struct {
	mu       sync.Mutex
	known    map[question]bool // whose requests are here, to ignore repeats
	unread   []*request        // wait for the worker
	granted  []*request        // let in, and wait for the worker to write the ACCEPT
	read     []*request        // wait for Poll
	refusals []refusal         // wait for Poll
	denied   denials
	asked    time.Duration // when the newest CHALLENGE was sent; zero: never
}

// greeted answers a HELLO. Nothing is kept of it: the cookie that the client brings back
// proves its address.
func (e *Endpoint) greeted(at time.Duration, from Path, b []byte) bool {
	if e.isOver() && !e.Lingers() {
		return false
	}
	m, err := wire.ParseHello(b)
	if err != nil && err != wire.ErrVersion || !e.sieve.lets(at, question{from.Remote, m.Attempt}) {
		return false
	}
	if err == wire.ErrVersion {
		e.cfg.Send(from, wire.RefuseMessage{Version: wire.Version, Attempt: m.Attempt}.Append(nil))
		e.noteRefusal(from.Remote, transport.ErrVersion)
		return true
	}
	e.challenge(e.opened[:0], at, from, m.Attempt, false)
	return true
}

// challenge sends a CHALLENGE, built in b. A busy one tells a client to go on asking.
func (e *Endpoint) challenge(b []byte, at time.Duration, to Path, attempt uint64, busy bool) {
	e.desk.challenged(at)
	e.cfg.Send(to, wire.ChallengeMessage{
		Attempt: attempt, Cookie: e.cookies.Cookie(at, to.Remote, attempt), Key: e.pair.Public(),
		WantsSecret: e.cfg.Listener.Secret != seal.Key{}, WantsToken: e.cfg.Listener.Token != nil, Busy: busy,
	}.Append(b))
}

// requested takes an INIT. The checks and their order are in docs/spec-transport.md.
func (e *Endpoint) requested(at time.Duration, from Path, b []byte) bool {
	m, err := wire.ParseInit(b)
	if err != nil || !e.cookies.CookieHolds(m.Cookie, at, from.Remote, m.Attempt) || e.isOver() && !e.Lingers() {
		return false
	}
	q := question{from.Remote, m.Attempt}
	e.mu.RLock()
	c := e.asked[q]
	e.mu.RUnlock()
	if c != nil {
		return c.acceptAgain()
	}
	if d := e.desk.denial(q, at); d != nil {
		e.repeat(d, from, len(b))
		return true
	}
	r := &request{question: q, at: at, path: from, prefix: prefixOf(from.Remote), noise: slices.Clone(m.Noise), size: len(b)}
	switch known, ok := e.queue(r); {
	case known:
		return false
	case !ok:
		e.challenge(e.opened[:0], at, from, m.Attempt, true)
		return false
	}
	e.wake()
	return true
}

// queue puts a request before the worker. known is true of a repeat; ok is false for one
// that must ask again later.
func (e *Endpoint) queue(r *request) (known, ok bool) {
	d := &e.desk
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known[r.question] {
		return true, false
	}
	if !e.gate.enter(r.prefix, r.at) {
		return false, false
	}
	if len(d.unread)+len(d.read) >= transport.MaxHandshakes && !e.makeRoom(r) {
		e.gate.leave(r.prefix)
		return false, false
	}
	d.known[r.question] = true
	d.unread = append(d.unread, r)
	return false, true
}

// makeRoom drops the newest request of the address that has most of them, if that has more
// than the address of r. d.mu is held.
func (e *Endpoint) makeRoom(r *request) bool {
	d := &e.desk
	of := map[netip.Prefix]int{}
	var most netip.Prefix
	for _, x := range d.unread {
		if of[x.prefix]++; of[x.prefix] > of[most] {
			most = x.prefix
		}
	}
	if of[most] <= of[r.prefix]+1 {
		return false
	}
	for i := len(d.unread) - 1; i >= 0; i-- {
		if x := d.unread[i]; x.prefix == most {
			d.unread = slices.Delete(d.unread, i, i+1)
			e.gate.leave(x.prefix)
			delete(d.known, x.question)
			e.ignored.Add(1)
			return true
		}
	}
	return false
}

func (e *Endpoint) wake() {
	if e.cfg.Listener.Wake != nil {
		e.cfg.Listener.Wake()
		return
	}
	e.Work()
}

// Work does what waits at the desk for the worker, who calls it after each
// Config.Listener.Wake.
func (e *Endpoint) Work() {
	d := &e.desk
	for {
		r := d.next()
		switch {
		case r == nil:
			return
		case r.conn != nil:
			e.grant(r)
		default:
			e.read(r)
		}
	}
}

// next takes a request that waits for the worker; nil if there is none.
func (d *desk) next() (r *request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, q := range []*[]*request{&d.granted, &d.unread} {
		if len(*q) > 0 {
			r = (*q)[0]
			*q = slices.Delete(*q, 0, 1)
			return r
		}
	}
	return nil
}

// read opens a client's message and checks what the game need not be asked about.
func (e *Endpoint) read(r *request) {
	shake, err := seal.Respond(seal.Opening{Ours: e.pair, Prologue: wire.Prologue(r.attempt), Secret: e.cfg.Listener.Secret, Random: e.random()})
	if err != nil {
		e.dismiss(r)
		return
	}
	r.shake = shake
	payload, client, err := shake.Read1(r.noise)
	switch {
	case err == seal.ErrSecret:
		e.deny(r, wire.BadSecret, nil, transport.ErrSecret)
		return
	case err != nil:
		e.dismiss(r)
		return
	}
	m, err := wire.ParseRequest(payload)
	switch {
	case err != nil:
		e.dismiss(r)
		return
	case m.Game != e.offer.Game:
		e.deny(r, wire.OtherGame, []byte(e.offer.Game), transport.ErrGame)
		return
	case m.Schema != e.offer.Schema:
		e.deny(r, wire.OtherSchema, e.offer.Digest, transport.ErrSchema)
		return
	}
	r.noise, r.hello, r.identity = nil, m.Hello, transport.IdentityOfKey(client)
	if check := e.cfg.Listener.Token; check != nil {
		subject, err := check(m.Token, client)
		if err != nil {
			e.deny(r, wire.BadToken, []byte(strings.TrimPrefix(err.Error(), transport.ErrToken.Error()+": ")), err)
			return
		}
		r.identity = transport.IdentityOfSubject(subject)
	}
	e.toPoll(r)
}

// dismiss forgets a request that gets no answer.
func (e *Endpoint) dismiss(r *request) {
	e.ignored.Add(1)
	e.done(r)
}

// done takes a request that did not become a connection off the desk.
func (e *Endpoint) done(r *request) {
	e.gate.leave(r.prefix)
	e.desk.mu.Lock()
	defer e.desk.mu.Unlock()
	delete(e.desk.known, r.question)
}

// toPoll puts a request before the next Poll; where there will be none it is refused.
func (e *Endpoint) toPoll(r *request) {
	e.desk.mu.Lock()
	e.desk.read = append(e.desk.read, r)
	e.desk.mu.Unlock()
	if e.isOver() { // perhaps since it was put there
		e.turnAllAway()
	}
}

func (e *Endpoint) noteRefusal(remote netip.AddrPort, why error) {
	d := &e.desk
	d.mu.Lock()
	defer d.mu.Unlock()
	if e.offer.Refused != nil && len(d.refusals) < transport.MaxHandshakes { // of a flood, some are enough
		d.refusals = append(d.refusals, refusal{remote, why})
	}
}
