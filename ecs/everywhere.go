package ecs

// Calls Everywhere: the authority hands an owner's call on to all other peers that have
// the node, and says which peer called.

import (
	"github.com/tendonengine/tendon/ecs/internal/sessionmsg"
	"github.com/tendonengine/tendon/rpl"
)

// handOn sends a call to all peers that have the node except the caller, which has run it
// already. The bound on what is handed on is not for this machine's own calls.
func (ca *caller) handOn(n *node, t *rpl.RPCType, from rpl.Peer, args []byte) error {
	ca.extract.noticeTop(n)
	but := from
	if from == ca.me {
		but = 0
	}
	return ca.auth.CallOthers(n.id, t, sessionmsg.AppendCaller(from, args), but)
}

// everywhere returns the caller and the arguments of a call that was received, and what
// to do before it runs here; ok is false if the call cannot be read.
func (ca *caller) everywhere(n *node, c rpl.Call) (from rpl.Peer, args []byte, handOn func(), ok bool) {
	if ca.auth != nil {
		return c.From, c.Args, func() { ca.faults.Refuse("rpc not handed on", ca.handOn(n, c.RPC, c.From, c.Args)) }, true
	}
	from, args, ok = sessionmsg.ParseCaller(c.Args)
	return from, args, func() {}, ok
}
