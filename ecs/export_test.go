package ecs

import "github.com/tendonengine/tendon/rpl"

// Age has a session's next step come after a tick, as if it had lasted that long.
func (r *Replication) Age(t rpl.Tick) { r.timeBase, r.timeTick, r.tick = r.now(), t, t }

// ProxyCounters are those of a client's core.
func (r *Replication) ProxyCounters() rpl.ProxyCounters { return r.proxy.Counters() }

// Resync has a client told all anew.
func (r *Replication) Resync() { r.proxy.Resync() }
