package main

// The role of a relay: the way between clients and a server, with conditions of its own. It
// also records, forges and copies, as somebody on the way can.

import (
	"errors"
	"flag"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tendonengine/tendon/transport/netsim"
)

// A way leads all packets of clients to a server: of each client from a socket of its own.
type way struct {
	server   *net.UDPAddr
	front    *net.UDPConn
	mu       sync.Mutex
	lines    map[netip.AddrPort]*line
	up, down netsim.Conditions
	kinds    [][]byte // the first packets of clients, for those who replay them
	keep     int
	copier   *net.UDPConn  // sends a copy of what clients send, before it
	copied   int           // bytes …
	answered int           // … and what has come back to the copier
	bursts   time.Duration // how long everything is lost at a time; a fifth of all time
	seed     uint64
	forged   atomic.Int64 // packets
	at       string       // the address that sockets to the server have
}

// A line is the way of one client.
type line struct {
	w      *way
	client netip.AddrPort
	back   *net.UDPConn
	paths  netsim.Pair
	last   []byte        // the newest packet of the client
	bad    time.Duration // from then on everything is lost, …
	good   time.Duration // … until then
	rng    *rand.Rand
	wake   chan struct{}
}

func relay(r *role, args []string) error {
	var to string
	if err := flags("relay", args, func(f *flag.FlagSet) { f.StringVar(&to, "to", "", "") }); err != nil {
		return err
	}
	server, err := net.ResolveUDPAddr("udp", to)
	if err != nil {
		return err
	}
	front, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return err
	}
	_ = front.SetReadBuffer(4 << 20) // smaller is only worse
	w := &way{server: server, front: front, lines: map[netip.AddrPort]*line{}, at: "127.0.0.1", keep: 4096}
	go w.run()
	r.say(message{Say: "listens", Text: front.LocalAddr().String()})
	for o := range r.orders {
		num, err := w.do(o)
		if err != nil {
			r.done(o, nil, "error: "+err.Error())
			continue
		}
		r.done(o, num, "")
	}
	return nil
}

// run takes packets of clients.
func (w *way) run() {
	b := make([]byte, 2048)
	for {
		n, from, err := w.front.ReadFromUDPAddrPort(b)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		l := w.lineOf(from)
		if l == nil {
			continue
		}
		w.mu.Lock()
		l.last = append(l.last[:0], b[:n]...)
		if len(w.kinds) < w.keep {
			w.kinds = append(w.kinds, append([]byte(nil), b[:n]...))
		}
		if w.copier != nil {
			w.copied += n
			_, _ = w.copier.WriteToUDP(b[:n], w.server) // as on any network, it may be lost
		}
		if !l.bursts() {
			l.paths.Up.Send(now(), b[:n])
		}
		w.mu.Unlock()
		l.poke()
	}
}

var start = time.Now()

func now() time.Duration { return time.Since(start) }

func (w *way) lineOf(from netip.AddrPort) *line {
	w.mu.Lock()
	defer w.mu.Unlock()
	if l := w.lines[from]; l != nil {
		return l
	}
	w.seed++
	l := &line{w: w, client: from, paths: netsim.NewPair(w.seed, netsim.Conditions{}), wake: make(chan struct{}, 1), rng: rand.New(rand.NewPCG(w.seed, 5))}
	l.paths.Up.SetConditions(w.up)
	l.paths.Down.SetConditions(w.down)
	if l.open() != nil {
		return nil
	}
	w.lines[from] = l
	go l.deliver()
	return l
}

// open gives a line a new socket to the server: another port, perhaps another address.
func (l *line) open() error {
	back, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.ParseIP(l.w.at)})
	if err != nil {
		return err
	}
	if l.back != nil {
		_ = l.back.Close() // nothing is written to it any more
	}
	l.back = back
	go func() {
		b := make([]byte, 2048)
		for {
			n, _, err := back.ReadFromUDPAddrPort(b)
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				continue
			}
			l.w.mu.Lock()
			if !l.bursts() {
				l.paths.Down.Send(now(), b[:n])
			}
			l.w.mu.Unlock()
			l.poke()
		}
	}()
	return nil
}

// bursts reports whether a packet falls into a time in which everything is lost. w.mu is held.
func (l *line) bursts() bool {
	t, d := now(), l.w.bursts
	if d == 0 {
		return false
	}
	for t >= l.good {
		l.bad = max(l.good, t-4*d) + time.Duration(l.rng.ExpFloat64()*float64(4*d))
		l.good = l.bad + d
	}
	return t >= l.bad
}

func (l *line) poke() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// deliver writes what is due.
func (l *line) deliver() {
	for {
		var due <-chan time.Time
		l.w.mu.Lock()
		for b, _, ok := l.paths.Up.Receive(now()); ok; b, _, ok = l.paths.Up.Receive(now()) {
			_, _ = l.back.WriteToUDP(b, l.w.server)
		}
		for b, _, ok := l.paths.Down.Receive(now()); ok; b, _, ok = l.paths.Down.Receive(now()) {
			_, _ = l.w.front.WriteToUDPAddrPort(b, l.client)
		}
		next, ok := l.paths.Up.Next()
		if at, too := l.paths.Down.Next(); too && (!ok || at < next) {
			next, ok = at, true
		}
		l.w.mu.Unlock()
		if ok {
			due = time.After(max(next-now(), 0))
		}
		select {
		case <-l.wake:
		case <-due:
		}
	}
}

// conditions are what an order's figures say, for one direction.
func conditions(num map[string]float64) netsim.Conditions {
	ms := func(name string) time.Duration { return time.Duration(num[name] * float64(time.Millisecond)) }
	return netsim.Conditions{
		Loss: num["loss"], Burst: num["burst"], Delay: ms("delay"), Jitter: ms("jitter"),
		Rate: int(num["rate"]), Queue: int(num["queue"]), MaxSize: int(num["size"]),
	}
}

func (w *way) do(o order) (map[string]float64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	num := map[string]float64{}
	switch o.Do {
	case "both", "down": // conditions
		c := conditions(o.Num)
		if err := c.Check(); err != nil {
			return nil, err
		}
		w.down, w.bursts = c, time.Duration(o.Num["bursts"]*float64(time.Millisecond))
		if o.Do == "both" {
			w.up = c
		}
		for _, l := range w.lines {
			l.paths.Up.SetConditions(w.up)
			l.paths.Down.SetConditions(w.down)
		}
	case "move": // all clients get another port, and address
		if o.Text != "" {
			w.at = o.Text
		}
		for _, l := range w.lines {
			if err := l.open(); err != nil {
				return nil, err
			}
		}
	case "copy":
		c, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.ParseIP(o.Text)})
		if err != nil {
			return nil, err
		}
		w.copier = c
		go func() {
			b := make([]byte, 2048)
			for {
				n, err := c.Read(b)
				if err != nil {
					return
				}
				w.mu.Lock()
				w.answered += n
				w.mu.Unlock()
			}
		}()
	case "copied":
		num["in"], num["out"] = float64(w.copied), float64(w.answered)
	case "forged":
		num["n"] = float64(w.forged.Load())
	case "forge":
		go w.forge(int(o.Num["n"]), o.Num["rate"])
	case "record": // the packets of clients so far, into a file
		f, err := os.Create(o.Text)
		if err != nil {
			return nil, err
		}
		if err := writePackets(f, w.kinds); err != nil {
			return nil, err
		}
		num["packets"] = float64(len(w.kinds))
		return num, f.Close()
	default:
		return nil, errors.New("unknown order " + o.Do)
	}
	return num, nil
}

// forge sends n packets in a client's name, from its address: each is the newest packet of the
// client with something changed. It writes them without the lock, and where the machine did
// not let it run it does not make up for that: the relay must go on beside it, and the rate
// is what is promised against.
func (w *way) forge(n int, rate float64) {
	// On a machine that others use too, who works all the time waits for his turn. That is to
	// be this thread, and not those that relay.
	runtime.LockOSThread()
	runtime.GOMAXPROCS(8)
	const most = 10 * time.Millisecond
	began := time.Now()
	for i := 0; i < n; i++ {
		w.mu.Lock()
		var back *net.UDPConn
		var p []byte
		for _, l := range w.lines {
			back, p = l.back, forged(l.last, i)
			break
		}
		w.mu.Unlock()
		if p != nil {
			_, _ = back.WriteToUDP(p, w.server)
		}
		w.forged.Add(1)
		ahead := time.Duration(float64(i)/rate*float64(time.Second)) - time.Since(began)
		if ahead > 2*time.Millisecond {
			time.Sleep(ahead)
		}
		if ahead < -most {
			began = began.Add(-ahead - most)
		}
	}
}
