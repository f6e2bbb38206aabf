package rpl

import (
	"time"
	"unsafe"
)

// Charge reports what a peer's reliable lane has sent since the last Charge, in bytes
// (messages, repeats, acknowledgements, and packets that carried nothing else), and how
// many bytes it still holds to send. That corrects what its messages were charged when
// the lane was given them: repeats become a debt, paid before the peer is sent anything
// else. transport.Conn counts both; call Charge after each send, before the next
// Schedule. Without it the charge stays an estimate that knows of no repeats. Charge
// does nothing without AuthorityConfig.Budget, or for a peer that is not connected.
func (a *Authority) Charge(id Peer, sent, held int) {
	a.sender.Planner.Charge(id, sent, held)
}

// Check has a node compared at all peers that hold it, from the next send on. What a
// lost packet was to compare is compared again.
func (a *Authority) Check(n Node) {
	a.sender.Check(n)
}

// CheckAll has all nodes compared at all peers, a few rows in each send.
func (a *Authority) CheckAll() {
	a.sender.CheckAll()
}

// NewColumn makes a column without rows. at returns the component of a row, nil if it is
// gone; it is called during Stream, after the column's SetColumn.
func (a *Authority) NewColumn(t *ItemType, at func(row int) unsafe.Pointer) *Column {
	return a.store.NewColumn(t, at)
}

// FreeColumn puts a column out of use. Its items stay, and must be Set from now on.
func (a *Authority) FreeColumn(c *Column) {
	a.store.FreeColumn(c)
}

// Connect starts the stream to a peer whose side of the world is built. It is an error
// if the peer is 0, this machine's own player or connected already.
func (a *Authority) Connect(id Peer) error {
	return a.sender.Connect(id)
}

// Carries says what the line to a peer is expected to carry, in bytes a second, as measured before
// Connect; 0: nothing is known. It bounds only what leaves until packets have arrived: call it
// right after Connect. It does nothing without AuthorityConfig.Budget.
func (a *Authority) Carries(id Peer, rate int) { a.sender.Carries(id, rate) }

// SetPath has the stream to a peer begin with what Disconnect returned of the one before, over the same
// connection. Call it right after Connect, before Carries.
func (a *Authority) SetPath(id Peer, known Path) {
	if p := a.sender.ByID.Find(id); p != nil {
		p.Link.SetPath(known)
	}
}

// Suspend ends the stream to a peer, which keeps its nodes: it still owns them when
// Connect begins a new stream, in which handles and versions start anew. Calls that
// wait for the peer are dropped and counted. The peer is expected (Expect), and what SetShowing has
// said stays. After Connect the caller must set the peer's groups again.
func (a *Authority) Suspend(id Peer) {
	if a.sender.Suspend(id) {
		a.interest.Expect(id)
	}
}

// Expect has SetShowing take a peer that is not connected yet, until Disconnect.
func (a *Authority) Expect(id Peer) { a.interest.Expect(id) }

// Peers appends the connected peers to dst, in no order.
func (a *Authority) Peers(dst []Peer) []Peer {
	return a.sender.Peers(dst)
}

// PeerStats returns the figures of a peer, zero if it is not connected.
func (a *Authority) PeerStats(id Peer) PeerStats {
	return a.sender.PeerStats(id)
}

// Waits returns for how long a peer has acknowledged nothing new although packets wait for
// that, and for how long it has applied no reliable message although some were given to its
// lane; 0 for what does not wait, and for a peer that is not connected. Call it after each
// send: the times are counted from call to call, and a line whose queue is always full is found out by it.
func (a *Authority) Waits(id Peer, now time.Duration) (acks, messages time.Duration) {
	return a.sender.Waits(id, now)
}

// SetPredicting says that a peer predicts the nodes that it owns and that have an item which
// is Commanded, and others of which it knows: then every packet carries all that it is not known to have of them, whatever
// their Hz, or says that it does not, and what none carries is as the peer was last sent
// it, for certain (Proxy.Complete).
func (a *Authority) SetPredicting(id Peer, others []Node) {
	if p := a.sender.ByID.Find(id); p != nil {
		a.sender.SetPredicting(p, others)
	}
}

// Predicting returns the nodes of others that SetPredicting has named, valid until it names others.
func (a *Authority) Predicting(id Peer) []Node {
	if p := a.sender.ByID.Find(id); p != nil {
		return p.PredictedOthers()
	}
	return nil
}

// Encode writes one peer's packets of this send to s. It may run for different peers at
// the same time, between Schedule and whatever is called next.
func (a *Authority) Encode(id Peer, now time.Duration, s Sink) {
	a.sender.Encode(id, now, s)
}

// Repeat has a peer sent again, by the next Schedule, whatever is on its way to it: that counts as
// lost, but not in what is measured of the loss. It is for the last send before a Disconnect.
func (a *Authority) Repeat(id Peer) { a.sender.Repeat(id) }

// Flush gives the messages that wait for a peer's reliable lane to s at once, whatever the
// peer's budget, so that calls made before a Disconnect arrive. Messages for which the lane
// has no room, and calls that wait for their node's arrival, are counted as dropped calls.
func (a *Authority) Flush(id Peer, s Sink) {
	a.sender.Flush(id, s)
}

// Tables returns the learned tables as bytes for LoadTables of another session with the
// same schema, nil if there are none.
func (a *Authority) Tables() []byte {
	return a.sender.Tables.Tables()
}

// LoadTables makes recorded tables the ones that this session begins with. It returns
// an error for damaged tables and for those that do not fit the schema (tables of another
// schema that happen to fit save less and do no harm), and also once the session has both
// tables and peers: the recorded tables might have the number of tables that peers use.
func (a *Authority) LoadTables(b []byte) error {
	return a.sender.Tables.LoadTables(b)
}

// Condition makes a group's membership a function of the viewer, which Stream calls
// once per send and peer. With nil, SetGroup decides again.
func (a *Authority) Condition(g Audience, fn func(Peer) bool) {
	a.interest.Condition(g, fn)
}

// Receive takes a datagram of a peer: its sequence number, when it came, its bytes.
// Errors wrap ErrPacket, which is counted, or ErrNoPeer. They need no action: nothing
// was applied.
func (a *Authority) Receive(id Peer, seq uint64, at time.Duration, b []byte) error {
	return a.sender.Receiver.Receive(id, seq, at, b)
}

// ReceiveMessage takes a message of a peer's reliable lane. Errors are those of
// Receive.
func (a *Authority) ReceiveMessage(id Peer, b []byte) error {
	return a.sender.Receiver.ReceiveMessage(id, b)
}

// Observe replaces the points round which a peer sees.
func (a *Authority) Observe(id Peer, points ...[2]float64) {
	a.interest.Observe(id, points...)
}

// Call calls an RPC on a node from this machine; the RPC's target decides where it
// runs. An error wraps ErrArgs, ErrNoNode or ErrLimit. ErrLimit: too many reliable
// calls wait for some peers already, and the call is dropped for those.
func (a *Authority) Call(n Node, rpc *RPCType, args []byte) error {
	return a.sender.Calls.Call(n, rpc, args)
}

// CallOthers hands on what a peer has called on a node: to all other peers that hold
// the node or are about to, and not to this machine. Errors are those of Call. A
// reliable call is also dropped for a peer whose lane has more than MaxHandedOn bytes
// waiting, because what other peers call must not delay what this machine has to say
// any longer.
func (a *Authority) CallOthers(n Node, rpc *RPCType, args []byte, but Peer) error {
	return a.sender.Calls.CallOthers(n, rpc, args, but)
}

// CallPeer calls an RPC on a node at one peer, which must hold the node or be about to.
// An error is one of Call's, or wraps ErrNoPeer.
func (a *Authority) CallPeer(n Node, rpc *RPCType, args []byte, to Peer) error {
	return a.sender.Calls.CallPeer(n, rpc, args, to)
}

// Due runs the calls that wait for this machine: those that peers have made, and those
// that this machine has made and that run here. The adapter calls it in Receive, and
// again at the start of Send.
func (a *Authority) Due(run func(Call)) {
	a.sender.Calls.Due(run)
}

// Schedule plans the next packets of every peer.
func (a *Authority) Schedule(now time.Duration) {
	a.sender.Planner.Schedule(now)
}

// Words appends an item's newest words to dst, in the order of ItemType.Words; of an item
// that was removed, none.
func (a *Authority) Words(item Item, dst []int32) []int32 {
	return a.store.Words(item, dst)
}
