package rpltest

import (
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A Net is one authority and its clients. Only Tick moves its clock.
type Net struct {
	A       *rpl.Authority
	Clients []*Client
	Now     time.Duration

	cfg     rpl.AuthorityConfig
	seed    uint64
	cond    netsim.Conditions
	tick    rpl.Tick
	every   int // ticks per send
	Payload int // bytes of the datagrams that the authority has sent
	Packets int
	// LaneDelay is how long a message of a reliable lane is under way; 0 means the
	// network's delay and 20 ms more. Nothing is lost on a lane.
	LaneDelay time.Duration
	// OnDatagram is shown every datagram of the authority, and every message of
	// its reliable lanes, for tests that look for data that must not be there.
	OnDatagram func(to rpl.Peer, b []byte)
	// OnPacket is shown these datagrams alone, with their packet numbers, and OnMessage
	// the messages alone.
	OnPacket  func(to rpl.Peer, seq uint64, b []byte)
	OnMessage func(to rpl.Peer, b []byte)
	// OnUp is shown every datagram of the clients, and OnUpPacket too, with its number.
	OnUp       func(from rpl.Peer, b []byte)
	OnUpPacket func(from rpl.Peer, seq uint64, b []byte)
	// First is the packet number after which those of a client that joins begin, in both
	// directions.
	First uint64
	// Run runs the calls that end on the authority; nil drops them.
	Run func(rpl.Call)
}

// A Client is a proxy with its two directions of network.
type Client struct {
	P    *rpl.Proxy
	Peer rpl.Peer
	Log  Recorder

	down, up *netsim.Path
	downMail mail
	upMail   mail
	downSeq  uint64
	upSeq    uint64
	Silent   bool // it receives nothing and sends nothing; messages to it wait
	Stands   bool // the same, but datagrams wait, too
	Deaf     bool // no datagram reaches it
	Mute     bool // none of its datagrams arrives
	Clogged  bool // the authority's lane to it is full
	// OnDown is shown every datagram before the client takes it.
	OnDown     func(seq uint64, b []byte)
	downSource *Net
}

// mail is a reliable lane: messages arrive whole, in order, a delay later.
type mail struct {
	due  []time.Duration
	msgs [][]byte
}

func (m *mail) put(due time.Duration, b []byte) {
	if n := len(m.due); n > 0 {
		due = max(due, m.due[n-1])
	}
	m.due = append(m.due, due)
	m.msgs = append(m.msgs, append([]byte(nil), b...))
}

func (m *mail) take(now time.Duration) []byte {
	if len(m.due) == 0 || m.due[0] > now {
		return nil
	}
	b := m.msgs[0]
	m.due, m.msgs = m.due[1:], m.msgs[1:]
	return b
}

// New makes a network whose paths all have the same conditions; seed seeds the paths.
func New(c rpl.AuthorityConfig, seed uint64, cond netsim.Conditions) (*Net, error) {
	a, err := rpl.NewAuthority(c)
	if err != nil {
		return nil, err
	}
	n := &Net{A: a, cfg: c, seed: seed, cond: cond, every: 1}
	if c.SendHz > 0 {
		n.every = c.Hz / c.SendHz
	}
	return n, nil
}

// Join adds a client. Its stream begins with the next tick.
func (n *Net) Join(p rpl.Peer) (*Client, error) {
	proxy, err := rpl.NewProxy(rpl.ProxyConfig{Schema: n.cfg.Schema, Hz: n.cfg.Hz, Refs: n.cfg.Refs, Reckoner: n.cfg.Reckoner, Log: n.cfg.Log}, p)
	if err != nil {
		return nil, err
	}
	if err := n.A.Connect(p); err != nil {
		return nil, err
	}
	c := &Client{P: proxy, Peer: p, downSource: n, downSeq: n.First, upSeq: n.First}
	c.Log.Held = make(map[rpl.Node]*rpl.Replica)
	c.down = netsim.NewPath(n.seed+uint64(p)*2, n.cond)
	c.up = netsim.NewPath(n.seed+uint64(p)*2+1, n.cond)
	n.Clients = append(n.Clients, c)
	return c, nil
}

// SetConditions changes one client's paths; those of other clients stay.
func (c *Client) SetConditions(down, up netsim.Conditions) {
	c.down.SetConditions(down)
	c.up.SetConditions(up)
}

// Leave disconnects a client and removes it.
func (n *Net) Leave(c *Client) {
	n.A.Disconnect(c.Peer)
	n.drop(c)
}

// Suspend ends a client's stream: its peer may Join again, from nothing, or be
// disconnected.
func (n *Net) Suspend(c *Client) {
	n.A.Suspend(c.Peer)
	n.drop(c)
}

func (n *Net) drop(c *Client) {
	for i, o := range n.Clients {
		if o == c {
			n.Clients = append(n.Clients[:i], n.Clients[i+1:]...)
			return
		}
	}
}

// SetConditions changes every path.
func (n *Net) SetConditions(cond netsim.Conditions) {
	n.cond = cond
	for _, c := range n.Clients {
		c.down.SetConditions(cond)
		c.up.SetConditions(cond)
	}
}

// Tick plays one tick: the authority receives what has come, change changes the world
// (nil: nothing changes), the authority sends if the tick is one that sends, and then
// every client receives, applies and sends.
func (n *Net) Tick(change func(t rpl.Tick)) {
	n.tick++
	n.Now += time.Second / time.Duration(n.cfg.Hz)
	if err := n.A.Step(n.tick); err != nil {
		panic(err)
	}
	for _, c := range n.Clients {
		c.receiveUp(n)
	}
	n.A.Due(n.run)
	if change != nil {
		change(n.tick)
	}
	if n.Sends() {
		n.A.Due(n.run)
		n.A.Stream(n.Now)
		n.A.Schedule(n.Now)
		for _, c := range n.Clients {
			n.A.Encode(c.Peer, n.Now, &downSink{n: n, c: c})
		}
	}
	for _, c := range n.Clients {
		c.receive(n)
	}
}

// Sends is whether the present tick, or the last one played, is one that sends.
func (n *Net) Sends() bool { return int(n.tick)%n.every == 0 }

// Begin makes the session begin after tick t; it is called before the first Tick.
func (n *Net) Begin(t rpl.Tick) { n.tick = t }

// TickNumber is the number of the present tick, or of the last one played.
func (n *Net) TickNumber() rpl.Tick { return n.tick }

func (n *Net) run(c rpl.Call) {
	if n.Run != nil {
		n.Run(c)
	}
}

func (c *Client) receiveUp(n *Net) {
	for {
		b, at, ok := c.up.Receive(n.Now)
		if !ok {
			break
		}
		seq := uint64(0)
		for i := range 8 {
			seq = seq<<8 | uint64(b[i])
		}
		_ = n.A.Receive(c.Peer, seq, at, b[8:])
	}
	for m := c.upMail.take(n.Now); m != nil; m = c.upMail.take(n.Now) {
		_ = n.A.ReceiveMessage(c.Peer, m)
	}
}

func (c *Client) receive(n *Net) {
	if c.Stands {
		return
	}
	for {
		b, at, ok := c.down.Receive(n.Now)
		if !ok {
			break
		}
		if c.Silent || c.Deaf {
			continue
		}
		seq := uint64(0)
		for i := range 8 {
			seq = seq<<8 | uint64(b[i])
		}
		if c.OnDown != nil {
			c.OnDown(seq, b[8:])
		}
		c.P.Receive(seq, at, b[8:])
	}
	if c.Silent {
		return
	}
	for m := c.downMail.take(n.Now); m != nil; m = c.downMail.take(n.Now) {
		c.P.ReceiveMessage(m)
	}
	c.P.Apply(n.Now, &c.Log)
	c.P.Due(c.Log.Run)
	c.P.Send(n.Now, &upSink{n: n, c: c})
}

type downSink struct {
	n   *Net
	c   *Client
	seq uint64
}

func (s *downSink) Next() (uint64, int) {
	s.c.downSeq++
	s.seq = s.c.downSeq
	return s.seq, rpl.PacketRoom
}

func (s *downSink) Datagram(b []byte) {
	s.n.Payload += len(b)
	s.n.Packets++
	if s.n.OnDatagram != nil {
		s.n.OnDatagram(s.c.Peer, b)
	}
	if s.n.OnPacket != nil {
		s.n.OnPacket(s.c.Peer, s.seq, b)
	}
	s.c.down.Send(s.n.Now, sealed(s.seq, b))
}

func (s *downSink) Reliable(b []byte) error {
	if s.c.Clogged {
		return rpl.ErrLimit
	}
	if s.n.OnDatagram != nil {
		s.n.OnDatagram(s.c.Peer, b)
	}
	if s.n.OnMessage != nil {
		s.n.OnMessage(s.c.Peer, b)
	}
	s.c.downMail.put(s.n.Now+s.n.laneDelay(), b)
	return nil
}

type upSink struct {
	n   *Net
	c   *Client
	seq uint64
}

func (s *upSink) Next() (uint64, int) {
	s.c.upSeq++
	s.seq = s.c.upSeq
	return s.seq, rpl.PacketRoom
}

func (s *upSink) Datagram(b []byte) {
	if s.n.OnUp != nil {
		s.n.OnUp(s.c.Peer, b)
	}
	if s.n.OnUpPacket != nil {
		s.n.OnUpPacket(s.c.Peer, s.seq, b)
	}
	if !s.c.Mute {
		s.c.up.Send(s.n.Now, sealed(s.seq, b))
	}
}

func (s *upSink) Reliable(b []byte) error {
	s.c.upMail.put(s.n.Now+s.n.laneDelay(), b)
	return nil
}

func (n *Net) laneDelay() time.Duration {
	if n.LaneDelay > 0 {
		return n.LaneDelay
	}
	return n.cond.Delay + 20*time.Millisecond
}

func sealed(seq uint64, b []byte) []byte {
	p := make([]byte, 8, 8+len(b))
	for i := range 8 {
		p[i] = byte(seq >> (56 - 8*i))
	}
	return append(p, b...)
}
