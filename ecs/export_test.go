package ecs

import (
	"github.com/tendonengine/tendon/ecs/internal/faults"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
)

// Age sets a session's tick to t, as if the session had lasted that long.
func (r *Replication) Age(t rpl.Tick) {
	r.line.GoTo(t)
}

// ProxyCounters returns the counters of a client's core.
func (r *Replication) ProxyCounters() rpl.ProxyCounters { return r.shared.Proxy.Counters() }

// Resync has a client ask the server for all state again.
func (r *Replication) Resync() { r.shared.Proxy.Resync() }

// Strays counts what the session keeps without need: references of items that have gone,
// and removed entities that were waiting to become nodes.
func (r *Replication) Strays() (strays int) {
	r.items.References.Referrers(func(f *nodes.Referrer) {
		if n := f.Of.Node; r.nodes.Of(n.Entity) != n || n.Leaving || n.Items[f.Of.Ord].Refers != f {
			strays++
		}
	})
	for ent := range r.extract.Unmade() {
		if !r.shared.World.Valid(ent) {
			strays++
		}
	}
	return strays
}

// MaxReported is how many different mistakes debug mode keeps apart.
const MaxReported = faults.MaxReported

// Scold reports a mistake as debug mode does.
func (r *Replication) Scold(counter, what string) {
	r.shared.Faults.Scold(counter, what, "think again")
}

// SendCommands has a client send a message of commands that it has not made.
func (r *Replication) SendCommands(args []byte) error {
	return r.shared.Proxy.Call(rpl.SessionNode, r.shared.protocol.commandRPC.wire, args)
}

// CommandTick is the tick of a client's newest command.
func (r *Replication) CommandTick() uint32 { return r.commands.lead.Tick() }

// InPlace is how many nodes Frame looks at.
func (r *Replication) InPlace() int { return r.draw.InPlace.Len() }

// Predicting are the nodes of others that a server knows a peer to predict.
func (r *Replication) Predicting(p rpl.Peer) []rpl.Node { return r.shared.Auth.Predicting(p) }
