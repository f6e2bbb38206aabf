package ecs

// waiting: calls on the session's node from a machine that joins, made before the node
// has come, so that a game's first calls are not lost.

import (
	"fmt"
	"math/bits"

	"github.com/tendonengine/tendon/rpl"
)

// A waitingCall is a call that waits for the server's session node.
type waitingCall struct {
	rpc  *rpl.RPCType
	args []byte
}

// awaits reports whether a node is the session's and has not come yet: from Join on it
// stands for the session that is being joined. While earlier calls wait, later ones queue
// up behind them.
func (ca *caller) awaits(n *node) bool {
	return n == ca.nodes.session && (ca.line.joining || ca.auth == nil && (!ca.client.sessionHere || len(ca.waiting) > 0))
}

// callLater routes a call on such a node, which nobody owns.
func (ca *caller) callLater(n *node, t *rpl.RPCType, args []byte) error {
	switch {
	case t.To == rpl.Broadcast:
		ca.queue(n, t, args)
	case t.To == rpl.ToOwner, !t.FromAnyone, t.Lane == rpl.Unreliable:
		ca.faults.Scold("rpc dropped", t.Name, "it was called on a session that has not been joined yet: only what is reliable and declared FromAnyone waits for it")
	case len(ca.waiting) >= maxWaiting:
		return fmt.Errorf("tendon: RPC %s: %d calls wait for the session to be joined already: %w: call when it has begun", t.Name, maxWaiting, rpl.ErrLimit)
	default:
		ca.waiting = append(ca.waiting, waitingCall{t, args})
	}
	return nil
}

// callWaiting sends the calls that have waited, once the session's node is here.
func (ca *caller) callWaiting() {
	if !ca.client.sessionHere || len(ca.waiting) == 0 {
		return
	}
	calls := ca.waiting
	ca.waiting = nil
	for _, c := range calls {
		ca.faults.Report("rpc not sent", ca.call(ca.nodes.session, c.rpc, c.args))
	}
}

// dropWaiting drops the calls and group requests that wait for a session that will not be
// joined.
func (r *Replication) dropWaiting() {
	if len(r.calls.waiting) > 0 {
		r.faults.Add("rpc dropped", uint64(len(r.calls.waiting)))
		r.calls.waiting = nil
	}
	if n := bits.OnesCount64(r.groups.asking.asked); n > 0 {
		r.faults.Add("stale group", uint64(n))
		r.groups.asking = membership{}
	}
}

// dropCalls drops the calls that wait for this machine's Send, in a session that has
// ended.
func (ca *caller) dropCalls() {
	for i := range ca.queued {
		if ca.queued[i].node != nil {
			ca.faults.Count("rpc dropped")
		}
	}
	ca.queued = nil
	ca.round++
}
