package ecs

// shared: what all parts of a session work on. Each part is a struct of its own with the
// state that belongs together; it names the parts that it calls, and has this embedded.

import (
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/faults"
	"github.com/tendonengine/tendon/rpl"
)

// shared is the common ground of a session's parts.
type shared struct {
	config   Config
	protocol *Protocol
	world    donburi.World

	// At most one of the two is set; both are nil on a client that has not been let in
	// yet.
	auth  *rpl.Authority
	proxy *rpl.Proxy

	me      rpl.Peer
	tick    rpl.Tick
	level   string
	epoch   uint32 // counts levels; messages carry its low byte
	sending bool   // this step sends

	faults   *faults.Log
	standIns []unsafe.Pointer // by component.order: scratch
}

// connect makes the parts of a session, and tells each of those that it calls.
func (r *Replication) connect() {
	sh := &r.shared
	r.nodes = nodeTable{
		shared: sh, loadTime: &r.loadTime, extract: &r.extract, proxies: &r.proxies, notify: &r.notify,
		byID: map[rpl.Node]*node{}, parts: map[donburi.Entity][]donburi.Entity{},
	}
	r.home = sessionNode{shared: sh, nodes: &r.nodes}
	r.loadTime = loadTime{
		shared: sh, nodes: &r.nodes, extract: &r.extract, proxies: &r.proxies,
		byName: map[string]donburi.Entity{}, destroyed: map[string]bool{}, standing: map[string]standing{}, shapes: map[string][]place{},
	}
	r.prefabs = building{shared: sh, nodes: &r.nodes, builds: map[*prefab]*builder{}}
	r.calls = caller{
		shared: sh, nodes: &r.nodes, extract: &r.extract, client: &r.client, seats: &r.seats, line: &r.line,
		handlers: map[*rpl.RPCType]func(Call, []byte, func()) error{}, round: 1,
	}
	r.notify = notifier{shared: sh, nodes: &r.nodes, olds: make([]unsafe.Pointer, len(sh.protocol.components))}
	r.groups = grouping{shared: sh, seats: &r.seats, client: &r.client, notify: &r.notify}
	r.line = line{shared: sh}
	r.checks = checker{shared: sh, nodes: &r.nodes, extract: &r.extract, seats: &r.seats}
	r.resetAuthority()
	r.resetClient()
}

// resetAuthority forgets what this machine has kept as an authority.
func (r *Replication) resetAuthority() {
	sh := &r.shared
	r.extract = extractor{
		shared: sh, nodes: &r.nodes, loadTime: &r.loadTime, calls: &r.calls, notify: &r.notify, seats: &r.seats, steps: &r.steps, checks: &r.checks,
	}
	r.seats = seating{
		shared: sh, loadTime: &r.loadTime, extract: &r.extract, groups: &r.groups, notify: &r.notify, line: &r.line,
		refusals: faults.Throttle{Most: maxRefusedTold, While: refusedWhile},
	}
	r.groups.mine = membership{}
	r.sendAt, r.spent, r.resyncs = 0, false, 0
}

// resetClient forgets what this machine has kept as a client.
func (r *Replication) resetClient() {
	sh := &r.shared
	r.client = client{shared: sh, draw: &r.draw, line: &r.line, nodes: &r.nodes}
	r.proxies = proxies{
		shared: sh, nodes: &r.nodes, loadTime: &r.loadTime, prefabs: &r.prefabs, client: &r.client, draw: &r.draw, calls: &r.calls, notify: &r.notify,
	}
	r.draw = drawing{shared: sh, nodes: &r.nodes, client: &r.client, proxies: &r.proxies, line: &r.line}
}
