package link

import (
	"errors"
	"fmt"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/kcp"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A Network connects a server and its clients over real UDP and KCP on 127.0.0.1, in
// real time.
type Network struct {
	server  transport.Link
	addr    string
	clients []transport.Link
	ends    map[transport.Conn]*UDPEnd
	joining *UDPEnd // the server's end of the client that is connecting
	err     error
}

// connectTime is how long a client may take to connect.
const connectTime = 5 * time.Second

// Listen opens the server's endpoint. The conditions are simulated between the endpoint
// and its socket.
func Listen(seed uint64, c Conditions) (*Network, error) {
	sim := kcp.NewSimulation(seed, netsim.Conditions{Loss: c.Loss, Delay: c.RTT / 2, Jitter: c.Jitter})
	l, err := kcp.Listen("127.0.0.1:0", kcp.WithConditions(sim))
	if err != nil {
		return nil, err
	}
	server, err := l.Listen(offer())
	if err != nil {
		return nil, err
	}
	return &Network{server: server, addr: l.Addr(), ends: map[transport.Conn]*UDPEnd{}}, nil
}

func offer() transport.Offer {
	return transport.Offer{Game: "bench", Schema: 1, MaxPeers: transport.MaxPeers}
}

// Pair connects one more client, and waits until both ends are connected.
func (n *Network) Pair() (server, client *UDPEnd, err error) {
	dial, err := kcp.Dialer(n.addr).Dial(offer())
	if err != nil {
		return nil, nil, err
	}
	n.clients = append(n.clients, dial)
	n.joining = nil
	client = &UDPEnd{link: dial, network: n, overhead: transport.OverheadUp}
	for until := time.Now().Add(connectTime); n.joining == nil || client.conn == nil; time.Sleep(time.Millisecond) {
		n.server.Poll(listening{n})
		dial.Poll(dialling{client})
		if n.err != nil {
			return nil, nil, n.err
		}
		if time.Now().After(until) {
			return nil, nil, fmt.Errorf("a client at %s did not connect in %v", n.addr, connectTime)
		}
	}
	return n.joining, client, nil
}

// Close ends every connection.
func (n *Network) Close() error {
	links := append([]transport.Link{n.server}, n.clients...)
	for _, l := range links {
		l.Close("the bench has ended")
	}
	var all error
	for _, l := range links {
		all = errors.Join(all, l.Wait())
	}
	return all
}

// A UDPEnd is one side of a connection over UDP, with the methods of End.
type UDPEnd struct {
	network *Network
	link    transport.Link
	conn    transport.Conn

	got, next received // what the last Collect has gathered, and what has arrived since
	before    transport.Stats
	beside    uint64 // LaneBytes at the last Flush
	messages  int
	overhead  int // bytes of a packet outside of its payload
}

// Collect gathers what has arrived since the last call. now is the time of the
// session's clock.
func (e *UDPEnd) Collect(now time.Duration) error {
	if e.link == e.network.server {
		e.link.Poll(listening{e.network})
	} else {
		e.link.Poll(dialling{e})
	}
	e.got, e.next = e.next, e.got
	e.next.clear()
	offset := now - e.link.Now()
	for i := range e.got.datagrams {
		e.got.datagrams[i].At += offset
	}
	return e.network.err
}

// Received returns the datagrams and messages that the last Collect gathered.
func (e *UDPEnd) Received() ([]Datagram, [][]byte) { return e.got.datagrams, e.got.messages }

// Begin does nothing, because the endpoint serves its reliable lane by itself.
func (e *UDPEnd) Begin(time.Duration) {}

// Next, Datagram and Reliable call the connection's methods.
func (e *UDPEnd) Next() (seq uint64, room int) { return e.conn.Next() }
func (e *UDPEnd) Datagram(b []byte)            { e.conn.Datagram(b) }

func (e *UDPEnd) Reliable(b []byte) error {
	e.messages++
	return e.conn.Reliable(b)
}

// Flush ends a send and returns its counts, which include keepalives since the last
// Flush.
func (e *UDPEnd) Flush(time.Duration) Counters {
	e.conn.Flush()
	s, was := e.conn.Stats(), e.before
	e.before = s
	c := Counters{Packets: int(s.PacketsOut - was.PacketsOut), Reliable: int(s.ReliableOut - was.ReliableOut), Messages: e.messages}
	c.Payload = int(s.BytesOut-was.BytesOut) - c.Packets*e.overhead
	e.messages = 0
	beside, _ := e.conn.LaneBytes()
	c.Beside, e.beside = int(beside-e.beside), beside
	return c
}

// Held returns how many bytes the reliable lane has still to send.
func (e *UDPEnd) Held() int {
	_, held := e.conn.LaneBytes()
	return held
}

// Oversize returns 0, because the endpoint makes no packet that is too long.
func (e *UDPEnd) Oversize() int { return 0 }

// listening is the transport handler of the server.
type listening struct{ n *Network }

func (l listening) Connected(c transport.Conn, _ []byte) {
	e := &UDPEnd{network: l.n, link: l.n.server, conn: c, overhead: transport.OverheadDown}
	l.n.ends[c], l.n.joining = e, e
}

func (l listening) Datagram(c transport.Conn, seq uint64, at time.Duration, b []byte) {
	l.n.ends[c].next.datagram(seq, at, b)
}
func (l listening) Message(c transport.Conn, b []byte) { l.n.ends[c].next.message(b) }
func (l listening) Closed(_ transport.Conn, err error) { l.n.lost(err) }

// dialling is the transport handler of a client.
type dialling struct{ e *UDPEnd }

func (d dialling) Connected(c transport.Conn, _ []byte) { d.e.conn = c }
func (d dialling) Datagram(_ transport.Conn, seq uint64, at time.Duration, b []byte) {
	d.e.next.datagram(seq, at, b)
}
func (d dialling) Message(_ transport.Conn, b []byte) { d.e.next.message(b) }
func (d dialling) Closed(_ transport.Conn, err error) { d.e.network.lost(err) }

func (n *Network) lost(err error) {
	if n.err == nil {
		n.err = fmt.Errorf("a connection on 127.0.0.1 has ended: %w", err)
	}
}
