package kcp

// Games on the local network.

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// A Game is a session that can be joined on the local network, as its server says.
type Game struct {
	Addr          string // to join: give it to Dialer
	Title         string
	Players, Most int
	Secret        bool          // it has a join secret: ask for its join string
	Token         bool          // it wants a connect token
	Trip          time.Duration // from the question to the answer
}

// askEvery is the time between two questions: some are lost.
const askEvery = 150 * time.Millisecond

// Games asks the local networks of this machine for games of a protocol's name whose servers
// listen on a port, and returns those that answer before ctx is done, the nearest first. Give
// ctx a second. It finds servers on all addresses of a machine, and on this machine, that
// have a title (ecs.Config.Title). The error is of the socket or of the arguments.
//
// Anybody on the network can answer: a join string says who the server must be, this list
// does not.
func Games(ctx context.Context, game string, port int) ([]Game, error) {
	if game == "" || len(game) > transport.MaxGame || port < 1 || port > 65535 {
		return nil, fmt.Errorf("kcp: games of %q on port %d: give the protocol's name and the port that its servers listen on", game, port)
	}
	socket, err := net.ListenUDP("udp4", nil)
	if err != nil {
		return nil, fmt.Errorf("kcp: %w", err)
	}
	defer socket.Close()
	nonce := random()
	question := wire.QueryMessage{Nonce: nonce, GameHash: wire.HashGame(game)}.Append(nil)
	began := time.Now()
	found := map[string]Game{}
	buf := make([]byte, transport.MaxPacket)
	for ctx.Err() == nil {
		for _, to := range broadcasts() {
			_, _ = socket.WriteToUDPAddrPort(question, netip.AddrPortFrom(to, uint16(port))) // a network that is down has no games
		}
		asked := time.Now()
		end := asked.Add(askEvery)
		if d, ok := ctx.Deadline(); ok && d.Before(end) {
			end = d
		}
		if err := socket.SetReadDeadline(end); err != nil {
			return nil, fmt.Errorf("kcp: %w", err)
		}
		for {
			n, from, err := socket.ReadFromUDPAddrPort(buf)
			if err != nil {
				if time.Now().Before(end) { // nobody is at an address that was asked
					continue
				}
				break
			}
			m, err := wire.ParseInfo(buf[:n])
			addr := netip.AddrPortFrom(from.Addr().Unmap(), from.Port()).String()
			if _, known := found[addr]; err == nil && m.Nonce == nonce && !known && len(found) < maxGames {
				found[addr] = Game{addr, m.Title, int(m.Players), int(m.Most), m.Secret, m.Token, min(time.Since(asked), time.Since(began))}
			}
		}
	}
	games := make([]Game, 0, len(found))
	for _, g := range found {
		games = append(games, g)
	}
	slices.SortFunc(games, func(a, b Game) int { return cmp.Or(cmp.Compare(a.Trip, b.Trip), cmp.Compare(a.Addr, b.Addr)) })
	return games, nil
}

// maxGames bounds a list that anybody on the network can write to.
const maxGames = 256

// broadcasts are the addresses that reach everybody on the local networks, and this machine.
func broadcasts() []netip.Addr {
	all := []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.AddrFrom4([4]byte{255, 255, 255, 255})}
	nets, err := net.InterfaceAddrs()
	if err != nil {
		return all
	}
	for _, a := range nets {
		n, ok := a.(*net.IPNet)
		ip := n.IP.To4()
		if !ok || ip == nil || ip.IsLoopback() || len(n.Mask) != 4 {
			continue
		}
		var last [4]byte
		for i := range last {
			last[i] = ip[i] | ^n.Mask[i]
		}
		all = append(all, netip.AddrFrom4(last))
	}
	return all
}

// String is a line of a list.
func (g Game) String() string {
	s := g.Title + ", " + strconv.Itoa(g.Players) + " of " + strconv.Itoa(g.Most) + " players, " + g.Addr
	if g.Secret || g.Token {
		s += " (by invitation)"
	}
	return s
}
