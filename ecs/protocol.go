package ecs

// Protocol: what both ends must agree on.

import (
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/faults"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
)

// Protocol is what both ends must agree on: component types, prefabs, RPCs, groups. It is
// a package variable, complete before New. New reports the mistakes in it as one joined
// error: the first ones, and how many more there are. The first New freezes it; later
// declarations panic. A frozen Protocol may serve any number of sessions.
type Protocol struct {
	name       string
	schema     *rpl.Schema
	kinds      nodes.Kinds
	groups     []*Group
	commandRPC *RPC[commandBytes] // nil without commands
	reportRPC  *RPC[commandReport]
	arguments  map[reflect.Type]bool // of prefabs and RPCs

	opening  sync.Mutex // several goroutines may open sessions
	mistakes []error
	frozen   bool
	steps    int
	err      error
}

// NewProtocol makes an empty protocol. name tells different games apart.
func NewProtocol(name string) *Protocol {
	p := &Protocol{
		name:      name,
		schema:    rpl.NewSchema(name),
		kinds:     nodes.NewKinds(),
		arguments: map[reflect.Type]bool{},
	}
	p.schema.SetRef(reflect.TypeFor[donburi.Entity]())
	return p
}

// open freezes the protocol at a step rate. Both ends must agree on the rate, as on the
// rest of the protocol.
func (p *Protocol) open(steps int) error {
	p.opening.Lock()
	defer p.opening.Unlock()
	if !p.frozen {
		p.frozen, p.steps = true, steps
		err := p.schema.Freeze(steps)
		if err == nil {
			for _, c := range p.kinds.Components {
				p.mistakes = append(p.mistakes, c.Finish())
			}
			p.kinds.MarkCommanded()
		}
		p.err = errors.Join(append(faults.First(p.mistakes, maxMistakes), err)...)
	}
	if p.err == nil && steps != p.steps {
		return fmt.Errorf("tendon: protocol %s was opened with %d steps a second and now with %d: give its sessions the same Config.Steps", p.name, p.steps, steps)
	}
	return p.err
}

// Schema returns the protocol's schema, for an rpl.Proxy without an ECS.
func (p *Protocol) Schema() *rpl.Schema { return p.schema }

// Item returns what travels of a component type: its fields with their names, steps and
// places. It is nil for a component that is local, and until the first New. direct is false
// for a component with a stand-in, whose fields are those of the stand-in.
func (p *Protocol) Item(c donburi.IComponentType) (it *rpl.ItemType, direct bool) {
	if r := p.kinds.Of(c); r != nil && p.frozen && p.err == nil {
		return r.Item, r.StandIn == nil
	}
	return nil, false
}

// plays refuses a declaration of another protocol than the session's. Each protocol
// numbers its declarations from 0, so a foreign one would be mistaken for another here.
func (r *Replication) plays(p *Protocol, kind, name string) error {
	if r != nil && p == r.shared.protocol { // in every call
		return nil
	}
	mustBeMade("use of "+kind+" "+name, r)
	return fmt.Errorf("tendon: %s %s is declared in protocol %q and the session plays %q: declare it there", kind, name, p.name, r.shared.protocol.name)
}

// mustPlay panics where plays refuses.
func (r *Replication) mustPlay(p *Protocol, kind, name string) {
	if err := r.plays(p, kind, name); err != nil {
		panic(err.Error())
	}
}

// fault keeps a mistake for New to report; nil is none.
func (p *Protocol) fault(err error) { p.mistakes = append(p.mistakes, err) }

// declare panics for a declaration that comes after the first New or has no protocol.
func (p *Protocol) declare(kind, name string) {
	if p == nil || p.schema == nil {
		panic(fmt.Sprintf("tendon: %s %q is declared in no protocol: give it what NewProtocol returned", kind, name))
	}
	if p.frozen {
		panic(fmt.Sprintf("tendon: %s %q is declared after protocol %q was opened: make it a package variable", kind, name, p.name))
	}
}
