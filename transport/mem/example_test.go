package mem_test

import (
	"fmt"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// greeter prints what it is told, and greets each peer that connects.
type greeter string

func (g greeter) Connected(c transport.Conn, hello []byte) {
	fmt.Printf("%s: connected %q\n", g, hello)
	c.Reliable([]byte("welcome from " + string(g)))
}

func (g greeter) Datagram(transport.Conn, uint64, time.Duration, []byte) {}
func (g greeter) Message(_ transport.Conn, b []byte)                     { fmt.Printf("%s: %s\n", g, b) }

func (g greeter) Closed(_ transport.Conn, err error) { fmt.Printf("%s: %v\n", g, err) }

// Example plays a session of one second of virtual time.
func Example() {
	n := mem.NewNetwork(1, netsim.Conditions{Delay: 50 * time.Millisecond})
	l := n.Listener()
	server, _ := l.Listen(transport.Offer{Game: "pong"})
	client, _ := n.Dialer(l).Dial(transport.Offer{Game: "pong", Hello: []byte("Ada")})

	conns := map[transport.Link]*conns{server: {greeter: "server"}, client: {greeter: "client"}}
	for range 60 {
		n.Advance(time.Second / 60)
		for _, link := range []transport.Link{server, client} {
			link.Poll(conns[link])
			for _, c := range conns[link].all {
				c.Flush()
			}
		}
	}
	server.Close("good night")
	n.Advance(time.Second)
	client.Poll(conns[client])
	// Output:
	// client: connected ""
	// server: connected "Ada"
	// server: welcome from client
	// client: welcome from server
	// client: closed: good night
}

// conns is a greeter that remembers the connections to flush.
type conns struct {
	greeter
	all []transport.Conn
}

func (s *conns) Connected(c transport.Conn, hello []byte) {
	s.greeter.Connected(c, hello)
	s.all = append(s.all, c)
}
