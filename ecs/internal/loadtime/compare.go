package loadtime

// compare: both ends make the load-time nodes by themselves, so when a client joins they
// compare their sets of names. The server tells the client which load-time nodes it has
// destroyed, before any state arrives. If the sets differed to begin with, the client
// reports by name what only one of the two machines has.

import (
	"maps"
	"slices"

	"github.com/tendonengine/tendon/ecs/internal/sessionmsg"
)

// A Conn is the connection to the client that joins.
type Conn interface {
	Reliable(msg []byte) error
	Close(reason string)
}

// SendNames tells a client which of its load-time nodes are destroyed. If the client's
// set differs from this machine's, it also tells which nodes exist.
func (lt *Nodes) SendNames(c Conn, theirs sessionmsg.NameSum) {
	room := sessionmsg.MaxNameBytes
	send := func(kind sessionmsg.NameKind, names []string) {
		m := sessionmsg.Names{Kind: kind}
		size := 0
		for _, name := range names {
			if room -= len(name) + 1; room < 0 {
				lt.Faults.Count("names not told")
				continue
			}
			if size += len(name) + 1; size > sessionmsg.MaxNameChunk {
				lt.Faults.Report("session message not sent", sessionmsg.Send(c, sessionmsg.AppendNames(nil, m)))
				m.Names, size = nil, len(name)+1
			}
			m.Names = append(m.Names, name)
		}
		if len(m.Names) > 0 || kind == sessionmsg.NamesAlive { // an empty set is told too
			lt.Faults.Report("session message not sent", sessionmsg.Send(c, sessionmsg.AppendNames(nil, m)))
		}
	}
	send(sessionmsg.NamesDestroyed, lt.joinNames().destroyed)
	if theirs != lt.joinNames().sum {
		lt.Faults.Count("names differ")
		send(sessionmsg.NamesAlive, slices.Sorted(maps.Keys(lt.byName)))
	}
	if err := sessionmsg.Send(c, sessionmsg.AppendNames(nil, sessionmsg.Names{Kind: sessionmsg.NamesEnd})); err != nil {
		lt.Faults.Report("session message not sent", err)
		c.Close("the reliable lane is full")
	}
}

// Differences returns, in order, the names that only this machine has and those that only
// the server has, of which it has told.
func (lt *Nodes) Differences(server *sessionmsg.ServerNames) (here, there []string) {
	if server.Alive == nil {
		return nil, nil
	}
	for name := range lt.byName {
		if !server.Alive[name] && !server.Destroyed[name] {
			here = append(here, name)
		}
	}
	for name := range server.Alive {
		if _, ok := lt.byName[name]; !ok {
			there = append(there, name)
		}
	}
	slices.Sort(here)
	slices.Sort(there)
	return here, there
}
