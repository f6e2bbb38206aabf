package ecs

// names: both ends make the load-time nodes by themselves, so when a client joins they
// compare their sets of names. The server tells the client which load-time nodes it has
// destroyed, before any state arrives. If the sets differed to begin with, the client
// reports by name what only one of the two machines has.

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
)

// loadTime keeps the load-time nodes, which every machine makes by itself.
type loadTime struct {
	*shared
	nodes   *nodeTable
	extract *extractor
	proxies *proxies

	byName    map[string]donburi.Entity
	book      *nameBook           // nil: a name has come or gone since
	destroyed map[string]bool     // load-time nodes that this world was made with and that were destroyed
	standing  map[string]standing // by name: load-time nodes as they stood when they last ended
	shapes    map[string][]place  // by name: what load-time nodes were built with
	shaping   []string            // names of load-time nodes that are still being built
}

// A nameSum tells sets of names apart, whatever the order in which they were made.
type nameSum struct {
	count uint32
	sum   uint64
}

func (s *nameSum) add(name string) {
	h := fnv.New64a()
	h.Write([]byte(name))
	s.count++
	s.sum += h.Sum64()
}

// nameBook is what joining peers are told of names, kept until a name comes or goes: a
// whole server's players may join in one step, after Load for one.
type nameBook struct {
	sum       nameSum // of all load-time nodes that this world was made with
	destroyed []string
}

func (lt *loadTime) names() *nameBook {
	if lt.book == nil {
		b := &nameBook{destroyed: slices.Sorted(maps.Keys(lt.destroyed))}
		for name := range lt.byName {
			b.sum.add(name)
		}
		for _, name := range b.destroyed {
			b.sum.add(name)
		}
		lt.book = b
	}
	return lt.book
}

// unname records that a load-time node was destroyed; its name is free.
func (lt *loadTime) unname(name string) {
	if name != "" {
		delete(lt.byName, name)
		delete(lt.shapes, name)
		lt.destroyed[name] = true
		lt.book = nil
	}
}

// A standing is what a load-time node has beside its components: its parent and its
// groups. It keeps them if it ends and another node of its name begins in the same world.
type standing struct {
	parent string // a load-time node's name, "" for none
	groups uint64
}

// noteStanding records the standing of nodes that are about to end.
func (lt *loadTime) noteStanding(nodes []*node) {
	clear(lt.standing)
	for _, n := range nodes {
		if n.name == "" {
			continue
		}
		s := standing{groups: n.groups}
		if n.parent != nil {
			s.parent = n.parent.name
		}
		if s != (standing{}) {
			lt.standing[n.name] = s
		}
	}
}

// standAgain gives the new nodes the parents and groups of the old ones.
func (lt *loadTime) standAgain(names []string) {
	for _, name := range names {
		s, n := lt.standing[name], lt.nodes.of(lt.byName[name])
		if n == nil {
			continue
		}
		for _, g := range lt.protocol.groups {
			if s.groups&g.bit() != 0 {
				n.groups |= g.bit()
				lt.auth.SetNodeGroup(n.id, g.audience, true)
			}
		}
		if p := lt.nodes.of(lt.byName[s.parent]); p != nil && s.parent != "" {
			lt.report("parent not set", Attach(lt.world.Entry(n.entity), lt.world.Entry(p.entity)))
		}
	}
}

// tellNames tells a client which of its load-time nodes are destroyed. If the client's
// set differs from this machine's, it also tells which nodes exist.
func (ss *seating) tellNames(c transport.Conn, theirs nameSum) {
	room := maxNameBytes
	tell := func(kind nameKind, names []string) {
		m := namesMessage{kind: kind}
		size := 0
		for _, name := range names {
			if room -= len(name) + 1; room < 0 {
				*ss.counter("names not told")++
				continue
			}
			if size += len(name) + 1; size > maxNameChunk {
				ss.report("session message not sent", c.Reliable(appendNames(nil, m)))
				m.names, size = nil, len(name)+1
			}
			m.names = append(m.names, name)
		}
		if len(m.names) > 0 || kind == namesAlive { // an empty set is told too
			ss.report("session message not sent", c.Reliable(appendNames(nil, m)))
		}
	}
	tell(namesDestroyed, ss.loadTime.names().destroyed)
	if theirs != ss.loadTime.names().sum {
		*ss.counter("names differ")++
		tell(namesAlive, slices.Sorted(maps.Keys(ss.loadTime.byName)))
	}
	if err := c.Reliable(appendNames(nil, namesMessage{kind: namesEnd})); err != nil {
		ss.report("session message not sent", err)
		c.Close("the reliable lane is full")
	}
}

// serverNames is what the server has told of its load-time nodes. Nothing is applied
// before it is complete.
type serverNames struct {
	destroyed, alive map[string]bool
	bytes            int  // bytes of all names
	done             bool // all has come …
	applied          bool // … and has been applied
}

// take takes a message in. It refuses messages after the end, and more names than a
// server tells.
func (s *serverNames) take(m namesMessage) error {
	for _, name := range m.names {
		s.bytes += len(name) + 1
	}
	if s.done || s.bytes > maxNameBytes {
		return fmt.Errorf("%w: more names than there can be", errMessage)
	}
	switch m.kind {
	case namesEnd:
		s.done = true
	case namesDestroyed:
		s.destroyed = with(s.destroyed, m.names)
	case namesAlive:
		s.alive = with(s.alive, m.names)
	}
	return nil
}

func with(set map[string]bool, names []string) map[string]bool {
	if set == nil {
		set = map[string]bool{}
	}
	for _, name := range names {
		set[name] = true
	}
	return set
}

// compareNames removes what the server has destroyed, and reports what only one of the
// two machines has. Such differences are survivable: what only this machine has stays
// hidden, what only the server has is not shown.
func (px *proxies) compareNames() {
	s := &px.client.told
	if s.alive != nil {
		var here, there []string
		for name := range px.loadTime.byName {
			if !s.alive[name] && !s.destroyed[name] {
				here = append(here, name)
			}
		}
		for name := range s.alive {
			if _, ok := px.loadTime.byName[name]; !ok {
				there = append(there, name)
			}
		}
		slices.Sort(here)
		slices.Sort(there)
		*px.counter("names differ") += uint64(len(here) + len(there))
		if len(here)+len(there) > 0 {
			px.config.Log.Warn("this machine and the server have made different load-time nodes: give both the same calls of Named",
				"only here", here, "only on the server", there)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.destroyed)) {
		ent, ok := px.loadTime.byName[name]
		px.loadTime.unname(name)
		if n := px.nodes.of(ent); ok && n != nil {
			px.endProxy(n, true)
			px.removeEntities(n)
		}
	}
	*s = serverNames{done: true, applied: true}
}

// namesMessage lists load-time nodes by name.
//
//	type 1 = 0x83, kind 1, per name: length 1, bytes
type namesMessage struct {
	kind  nameKind
	names []string
}

type nameKind uint8

const (
	namesEnd       nameKind = iota // no more of them; state may be applied
	namesDestroyed                 // these are destroyed
	namesAlive                     // these exist; sent only if the sets differ
)

func appendNames(b []byte, m namesMessage) []byte {
	b = append(b, msgNames, byte(m.kind))
	for _, name := range m.names {
		b = append(append(b, byte(len(name))), name...)
	}
	return b
}

func parseNames(b []byte) (m namesMessage, err error) {
	if len(b) < 2 || b[0] != msgNames || nameKind(b[1]) > namesAlive {
		return m, errMessage
	}
	m.kind = nameKind(b[1])
	for b = b[2:]; len(b) > 0; {
		n := int(b[0])
		if n == 0 || n > rpl.MaxName || len(b) < 1+n {
			return namesMessage{}, errMessage
		}
		m.names = append(m.names, string(b[1:1+n]))
		b = b[1+n:]
	}
	return m, nil
}
