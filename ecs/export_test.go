package ecs

import "github.com/tendonengine/tendon/rpl"

// Age has a session's next step come after a tick, as if it had lasted that long.
func (r *Replication) Age(t rpl.Tick) { r.timeBase, r.timeTick, r.tick = r.now(), t, t }

// ProxyCounters are those of a client's core.
func (r *Replication) ProxyCounters() rpl.ProxyCounters { return r.proxy.Counters() }

// Resync has a client told all anew.
func (r *Replication) Resync() { r.proxy.Resync() }

// Strays is how much is kept of what is not here any more: references of items that have
// gone, and entities that were to be nodes.
func (r *Replication) Strays() (n int) {
	for _, list := range r.references.of {
		for _, l := range list {
			if f := l.from; r.nodeOf(f.node.entity) != f.node || f.node.leaving || f.node.items[f.ord].refers != f {
				n++
			}
		}
	}
	for ent := range r.unmade {
		if !r.world.Valid(ent) {
			n++
		}
	}
	return n
}

// MaxReported is how many mistakes debug mode tells apart.
const MaxReported = maxReported

// Scold has debug mode find a mistake.
func (r *Replication) Scold(counter, what string) { r.scold(counter, what, "think again") }
