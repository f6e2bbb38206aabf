package ecs

// shared: what all parts of a session work on. Each part is a struct of its own with the
// state that belongs together; it names the parts that it calls, and has this embedded.

import (
	"strings"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/clock"
	"github.com/tendonengine/tendon/ecs/internal/faults"
	"github.com/tendonengine/tendon/ecs/internal/track"
	"github.com/tendonengine/tendon/rpl"
)

// shared is the common ground of a session's parts.
type shared struct {
	base
	config   Config
	protocol *Protocol
	level    string
	epoch    uint32 // counts levels; messages carry its low byte
}

// base is what the parts that know nothing of other machines work on.
type base struct {
	kinds  *kinds
	steps  int  // a second
	debug  bool // mistakes are looked for
	remove func(e *donburi.Entry)
	world  donburi.World

	// At most one of the two is set; both are nil on a client that has not been let in
	// yet.
	auth  *rpl.Authority
	proxy *rpl.Proxy

	me      rpl.Peer
	tick    rpl.Tick
	sending bool // this step sends

	faults   *faults.Log
	standIns []unsafe.Pointer // by component.order: scratch
}

// connect makes the parts of a session, and tells each of those that it calls.
func (r *Replication) connect() {
	sh := &r.shared
	r.nodes = nodeTable{
		components: sh.kinds.components, changed: func(id rpl.Node) { r.proxies.references.Mark(id) },
		byID: map[rpl.Node]*node{}, parts: map[donburi.Entity][]donburi.Entity{},
	}
	r.home = sessionNode{shared: sh, nodes: &r.nodes}
	r.loadTime = loadTime{
		shared: sh, nodes: &r.nodes, extract: &r.extract, proxies: &r.proxies,
		byName: map[string]donburi.Entity{}, destroyed: map[string]bool{}, standing: map[string]standing{}, shapes: map[string][]place{},
	}
	r.parts = partKeeper{shared: sh, nodes: &r.nodes, loadTime: &r.loadTime, extract: &r.extract}
	r.prefabs = building{shared: sh, nodes: &r.nodes, builds: map[*prefab]*builder{}}
	r.calls = caller{
		shared: sh, nodes: &r.nodes, extract: &r.extract, client: &r.client, seats: &r.seats, line: &r.line,
		handlers: map[*rpl.RPCType]func(Call, []byte, func()) error{},
	}
	r.notify = notifier{shared: sh, nodes: &r.nodes, olds: make([]unsafe.Pointer, len(sh.kinds.components))}
	r.groups = grouping{shared: sh, seats: &r.seats, client: &r.client}
	r.line = line{shared: sh}
	r.checks = checker{shared: sh, nodes: &r.nodes, extract: &r.extract, seats: &r.seats}
	r.commands = commanding{
		shared: sh, nodes: &r.nodes, client: &r.client, draw: &r.draw, line: &r.line, predict: &r.predict, seats: &r.seats, home: r.Session,
	}
	r.predict = prediction{shared: sh, nodes: &r.nodes, draw: &r.draw, line: &r.line, commands: &r.commands}
	r.past = rewinding{shared: sh, nodes: &r.nodes, line: &r.line}
	r.nodes.ended = func(n *node) {
		r.commands.forget(n)
		r.past.forget(n)
	}
	r.resetAuthority()
	r.resetClient()
}

// resetAuthority forgets what this machine has kept as an authority.
func (r *Replication) resetAuthority() {
	sh := &r.shared
	r.extract = extractor{
		shared: sh, nodes: &r.nodes, loadTime: &r.loadTime, proxies: &r.proxies, parts: &r.parts, calls: &r.calls, notify: &r.notify, seats: &r.seats, steps: &r.steps, checks: &r.checks,
	}
	r.seats = seating{
		shared: sh, loadTime: &r.loadTime, extract: &r.extract, groups: &r.groups, notify: &r.notify, line: &r.line,
		refusals: faults.Throttle{Most: maxRefusedTold, While: refusedWhile},
	}
	r.groups.mine = membership{}
	r.steps.sendAt, r.line.spent, r.extract.resyncs = 0, false, 0
}

// resetClient forgets what this machine has kept as a client.
func (r *Replication) resetClient() {
	sh := &r.shared
	r.client = client{shared: sh, draw: &r.draw, line: &r.line, nodes: &r.nodes}
	r.proxies = proxies{
		shared: sh, nodes: &r.nodes, loadTime: &r.loadTime, prefabs: &r.prefabs, client: &r.client, draw: &r.draw, calls: &r.calls, notify: &r.notify,
	}
	r.draw = drawing{
		shared: sh, nodes: &r.nodes, proxies: &r.proxies, line: &r.line,
		screen: track.Screen{Steps: sh.config.Steps, Now: r.line.now},
	}
	r.commands.lead, r.commands.got, r.commands.makes = clock.Lead{}, 0, 0
	r.predict.all, r.predict.known = nil, 0
}

// removeEntities removes a node's entities by Config.Remove.
func (sh *base) removeEntities(n *node) {
	ents := n.entities()
	if sh.world.Valid(n.entity) {
		sh.remove(sh.world.Entry(n.entity))
	}
	for _, e := range ents { // the entities that Config.Remove has left
		if sh.world.Valid(e) {
			sh.world.Remove(e)
		}
	}
}

// tagged returns where the tagged fields of a component are: in the component itself, or
// in the scratch stand-in, filled from it.
func (sh *base) tagged(c *component, e *donburi.Entry, p unsafe.Pointer) unsafe.Pointer {
	if c.standIn == nil {
		return p
	}
	w := sh.scratch(c)
	c.standIn.get(e, p, w)
	return w
}

// scratch returns this session's one stand-in of a component type; each use overwrites
// it.
func (sh *base) scratch(c *component) unsafe.Pointer {
	if sh.standIns[c.order] == nil {
		sh.standIns[c.order] = c.standIn.make()
	}
	return sh.standIns[c.order]
}

// component returns where an item's component is now, nil if it has gone.
func (sh *base) component(b *binding) (*donburi.Entry, unsafe.Pointer) {
	if b.comp == nil || !sh.world.Valid(b.entity) {
		return nil, nil
	}
	e := sh.world.Entry(b.entity)
	if !e.HasComponent(b.comp.c) {
		return nil, nil
	}
	return e, e.Component(b.comp.c)
}

// scoldOf is faults.Scold for a mistake about an entity, which its components identify.
func (sh *base) scoldOf(counter, what string, e *donburi.Entry, remedy string, attributes ...any) {
	if sh.debug { // else nobody reads it
		what += " " + sh.itemsOf(e)
	}
	sh.faults.Scold(counter, what, remedy, append([]any{"entity", e.Entity()}, attributes...)...)
}

// itemsOf describes an entity by its replicated components.
func (sh *base) itemsOf(e *donburi.Entry) string {
	if !sh.world.Valid(e.Entity()) {
		return "what has gone"
	}
	var names []string
	for _, c := range sh.kinds.components {
		if e.HasComponent(c.c) {
			names = append(names, c.name)
		}
	}
	if names == nil {
		return "nothing replicated"
	}
	return strings.Join(names, ", ")
}
