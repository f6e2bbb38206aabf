package kcp

// The address from which a listener on all addresses answers each client.

import (
	"bytes"
	"encoding/binary"
	"net"
	"net/netip"
	"sync"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/endpoint"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// homes is, for each client of a listener on all addresses, which of the machine's
// addresses the client has asked. Answers must come from that address: a client, and
// every NAT and firewall on the way, refuses others. Left alone, the system sends from
// the address that it likes best.
type homes struct {
	index int // where the control message holds the interface's index

	mu sync.RWMutex
	of map[netip.AddrPort][]byte // the control message to send with
}

// newHomes returns nil for a socket that has one address only, and on systems that do
// not say to which address a packet was sent.
func newHomes(socket *net.UDPConn) *homes {
	if !socket.LocalAddr().(*net.UDPAddr).IP.IsUnspecified() {
		return nil
	}
	index, ok := tellHomes(socket)
	if !ok {
		return nil
	}
	return &homes{index: index, of: map[netip.AddrPort][]byte{}}
}

// read takes one packet from the socket and notes its home.
func (h *homes) read(socket *net.UDPConn, b []byte, e *endpoint.Endpoint) (n int, from netip.AddrPort, err error) {
	var control [controlSize]byte
	n, told, _, from, err := socket.ReadMsgUDPAddrPort(b, control[:])
	if err == nil {
		h.note(netip.AddrPortFrom(from.Addr().Unmap(), from.Port()), b[:n], control[:told], e)
	}
	return n, from, err
}

// note records the home of a client that asks to be let in; control is the control
// message that came with its packet. Other packets cannot begin a connection.
func (h *homes) note(from netip.AddrPort, b, control []byte, e *endpoint.Endpoint) {
	if len(b) != transport.MaxPacket || len(control) != homeSize(h.index) || from.Addr().IsLinkLocalUnicast() {
		return // a link-local address holds on one interface, which the system finds
	}
	if kind, fromListener := wire.Split(b[0]); kind != wire.Hello || fromListener {
		return
	}
	binary.NativeEndian.PutUint32(control[h.index:], 0) // routing may change the interface
	h.mu.Lock()
	defer h.mu.Unlock()
	old, known := h.of[from]
	if known && (bytes.Equal(old, control) || connected(e, from)) {
		return // what a connection has stays: a HELLO proves nothing of its sender
	}
	if !known && len(h.of) >= maxHomes {
		h.forget(e)
	}
	h.of[from] = bytes.Clone(control)
}

// forget drops the homes of clients without a connection. One that still asks is noted
// again with its next HELLO.
func (h *homes) forget(e *endpoint.Endpoint) {
	kept := map[netip.AddrPort][]byte{}
	for at := range e.Remotes() {
		if c, ok := h.of[at]; ok {
			kept[at] = c
		}
	}
	h.of = kept
}

func connected(e *endpoint.Endpoint, from netip.AddrPort) bool {
	for at := range e.Remotes() {
		if at == from {
			return true
		}
	}
	return false
}

// find returns the control message for packets to a client, nil if the system may choose.
func (h *homes) find(to netip.AddrPort) []byte {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.of[to]
}
