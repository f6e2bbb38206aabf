package endpoint

// A client's handshake.

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/seal"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// A dial is what a client keeps until it is in. Conn.mu guards it.
type dial struct {
	remotes []netip.AddrPort // of the name that was dialled: the first to answer is taken
	master  seal.Key
	key     seal.Key // the listener's, once it has said so
	cookie  [seal.CookieSize]byte
	shake   *seal.Handshake // nil before the first CHALLENGE
	noise   []byte          // its first message
	shakes  int             // handshakes begun: one, unless somebody forges CHALLENGEs
	asked   int             // rounds of questions
	inits   int             // INITs in this round
	long    bool            // the last one was; false before the first
	trip    time.Duration   // from a HELLO to the CHALLENGE
	sought  error           // why the address is not found yet; nil: it is, or is still looked up
	hint    error           // what anybody may have said: believed if nothing better comes
	hinted  time.Duration
	busy    time.Duration // when the listener last said so
	denied  bool
}

const (
	// mostShakes is how many listener's keys a client that does not know the right one
	// tries, and mostInits how many INITs leave in one round: each answers a CHALLENGE, of
	// which who sees the HELLO may forge any number, with cookies that are good for nothing.
	mostShakes = 8
	mostInits  = 32
)

// Dial makes an endpoint that connects to the first of remotes that answers, and sends the
// first HELLOs. Without remotes it waits for Found.
func Dial(cfg Config, o transport.Offer, remotes ...netip.AddrPort) (*Endpoint, error) {
	e, err := newEndpoint(cfg, o, false)
	if err != nil {
		return nil, err
	}
	d := &dial{remotes: remotes, master: cfg.Client.Master}
	if d.master == (seal.Key{}) {
		d.master = o.Key
	}
	if d.master == (seal.Key{}) {
		if _, err := e.random().Read(d.master[:]); err != nil {
			return nil, err
		}
	}
	e.client = &Conn{e: e, attempt: cfg.Random(), born: e.awake.at(cfg.Now()), state: dialing, dial: d}
	e.conns = append(e.conns, e.client)
	if len(remotes) > 0 {
		e.client.path.Remote = remotes[0]
		e.client.ask()
	}
	return e, nil
}

// Found gives a client that was dialled without an address those of its server, and asks there;
// local is this machine's address towards it. Any goroutine may call it.
func (e *Endpoint) Found(local string, remotes ...netip.AddrPort) {
	c := e.client
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dials() {
		c.local, c.path.Remote = local, remotes[0]
		c.dial.remotes, c.dial.sought = remotes, nil
		c.ask()
	}
}

// NotFound notes why the address of a client's server is not found, and reports whether it still
// waits for that. Any goroutine may call it.
func (e *Endpoint) NotFound(why error) bool {
	c := e.client
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.dials() {
		return false
	}
	c.dial.sought = why
	return true
}

// ask sends what a client repeats until it is answered: HELLOs, and an INIT once it has a
// cookie. c.mu is held, or nobody else has c.
func (c *Conn) ask() {
	d := c.dial
	c.sentAt = c.e.cfg.Now()
	d.inits = 0
	if d.shake == nil || d.asked%2 == 1 { // a cookie may have grown old, or be forged
		hello := wire.HelloMessage{Attempt: c.attempt}.Append(nil)
		for _, to := range d.remotes {
			c.e.cfg.Send(Path{Remote: to}, hello)
		}
	}
	if d.shake != nil {
		c.init()
	}
	d.asked++
}

// init sends an INIT. Every other one is short, so that it passes a narrow path; the first is long,
// whatever the round trip, since a refusal that says much is no longer than its question.
func (c *Conn) init() {
	d := c.dial
	size := transport.MaxPacket
	if d.long {
		size = wire.MinInit
	}
	d.long = !d.long
	d.inits++
	c.e.cfg.Send(c.path, wire.InitMessage{Attempt: c.attempt, Cookie: d.cookie, Noise: d.noise}.Append(nil, size))
}

// eagerRounds is how many rounds of questions follow quickly at first, while a listener may be
// under a flood that takes a part of them: so a lost packet costs a tenth of a second. More
// would fill a slow line with repeats.
const eagerRounds = 4

// askAgain repeats the questions if they are not answered and the last ones are d old; in the
// first rounds 2/5 of that, or two round trips once one is known.
func (c *Conn) askAgain(now, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.dials() || len(c.dial.remotes) == 0 {
		return
	}
	if c.dial.asked <= eagerRounds {
		d = max(d*2/5, min(d, 2*c.dial.trip))
	}
	if now-c.sentAt >= d {
		c.ask()
	}
}

// dials reports whether the client still waits for an answer. c.mu is held.
func (c *Conn) dials() bool {
	return c.state == dialing && c.dial != nil && !c.tx.Ready() && !c.dial.denied
}

// mine reports whether an answer is one to this client. c.mu is held.
func (c *Conn) mine(from Path, attempt uint64) bool {
	return c.dials() && attempt == c.attempt && slices.Contains(c.dial.remotes, from.Remote)
}

// late reports whether an answer is to a question that this client has asked again before it was answered, as it
// does on every line with a delay. It means nothing, and is no fault. c.mu is held.
func (c *Conn) late(from Path, attempt uint64) bool {
	return !c.dials() && attempt == c.attempt && from.Remote == c.path.Remote
}

// challengedToJoin handles a CHALLENGE.
func (c *Conn) challengedToJoin(at time.Duration, from Path, b []byte) bool {
	m, err := wire.ParseChallenge(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil || !c.mine(from, m.Attempt) {
		return err == nil && c.late(from, m.Attempt)
	}
	d := c.dial
	if pinned := c.e.cfg.Client.Pinned; pinned != nil && *pinned != m.Key {
		c.hint(at, fmt.Errorf("%w: %s is not the server that the join string names", transport.ErrKey, from.Remote))
		return false
	}
	fresh := d.shake == nil || d.key != m.Key
	if fresh && (d.shakes >= mostShakes || c.shake(m.Key) != nil) {
		return false
	}
	if d.inits >= mostInits {
		return false
	}
	said := d.inits > 0 && !fresh && d.cookie == m.Cookie && c.path == from
	d.cookie, c.path = m.Cookie, from
	if m.Busy { // and asks again in the next round
		d.busy = c.e.awake.at(at)
		return true
	}
	if !said { // else this answers a repeat of the HELLO
		now := c.e.cfg.Now()
		d.trip, c.sentAt = max(d.trip, now-c.sentAt), now
		c.init()
	}
	return true
}

// shake begins the handshake with the listener that has this key. c.mu is held.
func (c *Conn) shake(key seal.Key) error {
	d, o := c.dial, c.e.offer
	d.shakes++
	master := d.master
	if own := c.e.cfg.Client.Own; own != nil {
		master = cmp.Or(own(key), master)
	}
	s, err := seal.Initiate(seal.Opening{
		Ours: seal.ClientPair(master, key), Prologue: wire.Prologue(c.attempt), Secret: c.e.cfg.Client.Secret, Random: c.e.random(),
	}, key)
	if err != nil {
		return err
	}
	noise, err := s.Write1(wire.Request{Game: o.Game, Schema: o.Schema, Hello: o.Hello, Token: c.e.cfg.Client.Token}.Append(nil))
	if err != nil {
		return err
	}
	d.shake, d.key, d.noise, d.long = s, key, noise, false
	return nil
}

// hint notes what an answer says that anybody may have forged. c.mu is held.
func (c *Conn) hint(at time.Duration, why error) {
	if c.dial.hint == nil {
		c.dial.hint, c.dial.hinted = why, c.e.awake.at(at)
	}
}

// accepted handles an ACCEPT. The client sends a packet at once, which proves its address
// and its keys to the listener.
func (c *Conn) accepted(at time.Duration, from Path, b []byte) bool {
	m, err := wire.ParseAccept(b)
	if err != nil {
		return false
	}
	if !c.isIn(at, from, m) {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.late(from, m.Attempt)
	}
	c.e.inbox.put(at, c, c.e.inbox.share, wire.Accept, 0, nil)
	return true
}

func (c *Conn) isIn(at time.Duration, from Path, m wire.AcceptMessage) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.mine(from, m.Attempt) || c.dial.shake == nil {
		return false
	}
	payload, ciphers, err := c.dial.shake.Read2(m.Noise)
	if err != nil {
		return false
	}
	g, err := wire.ParseGrant(payload)
	if err != nil {
		return false
	}
	c.id, c.number, c.path, c.reset = g.ID, g.Number, from, g.Reset
	c.key(ciphers)
	c.heard.Store(int64(c.e.awake.at(at)))
	c.empty(wire.Keepalive)
	return true
}

// refused handles a REFUSE.
func (c *Conn) refused(at time.Duration, from Path, b []byte) bool {
	m, err := wire.ParseRefuse(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil || !c.mine(from, m.Attempt) {
		return false
	}
	c.hint(at, fmt.Errorf("%w: %s speaks version %d, this program version %d; use the same release", transport.ErrVersion, from.Remote, m.Version, wire.Version))
	return true
}

// isDenied handles a DENY, which only the listener with the key can have sealed.
func (c *Conn) isDenied(at time.Duration, from Path, b []byte) bool {
	attempt, ok := wire.DenyAttempt(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !ok || !c.mine(from, attempt) || c.dial.shake == nil {
		return false
	}
	m, err := wire.ParseDeny(b, c.dial.shake.Denial())
	if err != nil {
		return false
	}
	c.dial.denied = c.e.inbox.put(at, c, c.e.inbox.share, wire.Deny, 0, append([]byte{byte(m.Reason)}, m.Detail...))
	return true
}

// denied ends the client's attempt, inside Poll.
func (e *Endpoint) denied(c *Conn, b []byte, h transport.Handler) {
	if c.cut() != ended {
		e.drop(c, e.explain(c.remote(), wire.Reason(b[0]), b[1:]), h)
	}
}

// givesUp returns why a client that has asked for so long asks no more; nil if it goes on.
func (c *Conn) givesUp(age time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, t := c.dial, c.e.timing
	switch {
	case d.denied: // Poll is about to say so
		return nil
	case age < t.Connect || d.busy > 0 && c.born+age-d.busy < t.Connect && age < transport.BusyTimeout:
		// A client that does not know the listener's key has no better witness.
		if d.hint != nil && d.shake == nil && c.e.cfg.Client.Pinned == nil && c.born+age-d.hinted >= 2*t.Hello {
			return d.hint
		}
		return nil
	case d.hint != nil:
		return d.hint
	case d.sought != nil:
		return fmt.Errorf("%w in %v: %w", transport.ErrNoAnswer, t.Connect, d.sought)
	case len(d.remotes) == 0:
		return fmt.Errorf("%w in %v: the name of the host is still being looked up", transport.ErrNoAnswer, t.Connect)
	case d.shake != nil:
		return fmt.Errorf("%w from %s in %v: it answers short packets, but not the question to be let in: ask again later, or the way there carries no packets of %d bytes",
			transport.ErrNoAnswer, c.path.Remote, t.Connect, wire.InitSize(len(d.noise)))
	}
	return fmt.Errorf("%w from %s in %v", transport.ErrNoAnswer, c.path.Remote, t.Connect)
}

// explain turns a refusal into the error that Handler.Closed gets.
func (e *Endpoint) explain(remote netip.AddrPort, r wire.Reason, detail []byte) error {
	switch r {
	case wire.OtherGame:
		return fmt.Errorf("%w: %s plays %q, this program %q", transport.ErrGame, remote, strings.ToValidUTF8(string(detail), "?"), e.offer.Game)
	case wire.OtherSchema:
		difference := ""
		if e.offer.Explain != nil && len(detail) > 0 { // there is none in answer to a short INIT
			difference = wire.Legible(e.offer.Explain(detail)) // it may quote the detail
		}
		if difference == "" {
			difference = "use the same release of the game"
		}
		return fmt.Errorf("%w at %s: %s", transport.ErrSchema, remote, difference)
	case wire.Full:
		return fmt.Errorf("%w: %s has no free place", transport.ErrFull, remote)
	case wire.BadSecret:
		if e.cfg.Client.Secret == (seal.Key{}) {
			return fmt.Errorf("%w than %s: it wants one, and none was given; use its newest join string", transport.ErrSecret, remote)
		}
		return fmt.Errorf("%w than %s: use its newest join string", transport.ErrSecret, remote)
	case wire.BadToken:
		return fmt.Errorf("%w by %s: %s", transport.ErrToken, remote, wire.Legible(string(detail)))
	case wire.NotAdmitted:
		return fmt.Errorf("%w by %s: %s", transport.ErrNotAdmitted, remote, wire.Legible(string(detail)))
	}
	return fmt.Errorf("%w: %s refused for a reason %d that this program does not know", transport.ErrVersion, remote, r)
}
