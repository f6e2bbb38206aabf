package ecs

import "github.com/tendonengine/tendon/rpl"

// This file is for tools that stand beside a session (the bench connects peers
// of its own to a world's core); games have no use for it.

// Core is what replicates the world while this machine is its authority; nil on
// a client. It is another one after Join.
func (r *Replication) Core() *rpl.Authority { return r.auth }

// Schema is the protocol's, for a rpl.Proxy without an ECS.
func (p *Protocol) Schema() *rpl.Schema { return p.schema }
