package ecs

// For tools that stand beside a session (the bench connects peers of its own to a world's
// core); games have no use for it.

import "github.com/tendonengine/tendon/rpl"

// Core returns the core that replicates the world while this machine is the authority;
// nil on a client. After Join it is another one.
func (r *Replication) Core() *rpl.Authority { return r.auth }

// Schema returns the protocol's schema, for an rpl.Proxy without an ECS.
func (p *Protocol) Schema() *rpl.Schema { return p.schema }
