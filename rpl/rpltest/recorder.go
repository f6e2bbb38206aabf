package rpltest

import (
	"fmt"
	"slices"

	"github.com/tendonengine/tendon/rpl"
)

// A Recorder is an rpl.ProxyHandler that keeps what is reported to it, and notes in Errors what
// breaks the promised order.
type Recorder struct {
	Held    map[rpl.Node]*rpl.Replica
	Calls   []rpl.Call
	Left    int
	Came    int
	Changes int
	Errors  []string
	Fooled  bool // its proxy was sent forged packets: a node may arrive again before it goes

	items map[*rpl.Replica][]*rpl.ItemType // each node's items, as reported
	under map[*rpl.Replica]*rpl.Replica    // each node's parent, as reported, as long as that is here
	owner map[*rpl.Replica]rpl.Peer        // each node's owner, as reported

	// OnRun is called for each call, before it is kept, OnChanged for each change of an item, and
	// OnGone for each node that goes.
	OnRun     func(rpl.Call)
	OnChanged func(x *rpl.Replica, ord int)
	OnGone    func(x *rpl.Replica, t rpl.Tick, destroyed bool)
}

func (r *Recorder) fail(format string, args ...any) {
	r.Errors = append(r.Errors, fmt.Sprintf(format, args...))
}

func (r *Recorder) held(what string, x *rpl.Replica) {
	if r.Held[x.ID] != x && !(r.Fooled && r.items[x] != nil) {
		r.fail("%s for %v, which is not here", what, x.ID)
	}
}

// has checks that a node is here and has an item that was reported.
func (r *Recorder) has(what string, x *rpl.Replica, ord int) {
	if r.held(what, x); ord >= len(r.items[x]) || r.items[x][ord] == nil || x.Items[ord] != r.items[x][ord] {
		r.fail("%s for item %d of %v, which was not told of", what, ord, x.ID)
	}
}

// known checks that a node is here, with the items that were reported and no others.
func (r *Recorder) known(what string, x *rpl.Replica) {
	r.held(what, x)
	known := r.items[x]
	for ord := range max(len(known), len(x.Items)) {
		if at(known, ord) != at(x.Items, ord) {
			r.fail("%s for %v, whose item %d was not told of", what, x.ID, ord)
		}
	}
}

// at returns the item at an ordinal, nil for none.
func at(items []*rpl.ItemType, ord int) *rpl.ItemType {
	if ord < len(items) {
		return items[ord]
	}
	return nil
}

// The methods of rpl.ProxyHandler.

func (r *Recorder) Arrived(x *rpl.Replica) {
	if r.Held[x.ID] != nil && !r.Fooled {
		r.fail("%v arrived twice", x.ID)
	}
	if x.Parent != 0 && r.Held[x.Parent] == nil && !x.Orphaned() {
		r.fail("%v arrived before its parent %v", x.ID, x.Parent)
	}
	if r.items == nil {
		r.items, r.under = make(map[*rpl.Replica][]*rpl.ItemType), make(map[*rpl.Replica]*rpl.Replica)
		r.owner = make(map[*rpl.Replica]rpl.Peer)
	}
	r.hang(x)
	r.Held[x.ID], r.items[x], r.owner[x] = x, slices.Clone(x.Items), x.Owner
	r.Came++
}

func (r *Recorder) Loaded(x *rpl.Replica) { r.known("loaded", x) }

func (r *Recorder) ItemAdded(x *rpl.Replica, ord int) {
	r.held("item added", x)
	for len(r.items[x]) <= ord {
		r.items[x] = append(r.items[x], nil)
	}
	if r.items[x][ord] != nil || ord >= len(x.Items) || x.Items[ord] == nil {
		r.fail("item %d of %v added, which was there or is not", ord, x.ID)
		return
	}
	r.items[x][ord] = x.Items[ord]
}

func (r *Recorder) ItemRemoved(x *rpl.Replica, ord int, t *rpl.ItemType) {
	r.held("item removed", x)
	if ord >= len(r.items[x]) || r.items[x][ord] != t {
		r.fail("item %d of %v removed, which was not told of", ord, x.ID)
		return
	}
	r.items[x][ord] = nil
}

// hang notes a node's parent, as it is reported.
func (r *Recorder) hang(x *rpl.Replica) {
	delete(r.under, x)
	if up := r.Held[x.Parent]; up != nil {
		r.under[x] = up
	}
}

// Under is a node's parent by what was reported; nil for none, or one that has gone.
func (r *Recorder) Under(x *rpl.Replica) *rpl.Replica { return r.under[x] }

func (r *Recorder) Owned(x *rpl.Replica, old rpl.Peer) {
	if r.known("owner", x); (old != r.owner[x] || old == x.Owner) && !r.Fooled {
		r.fail("%v is of %d, no more of %d; it was told to be of %d", x.ID, x.Owner, old, r.owner[x])
	}
	r.owner[x] = x.Owner
}

func (r *Recorder) Reparenting(x *rpl.Replica)            { r.held("reparenting", x) }
func (r *Recorder) Parented(x *rpl.Replica, old rpl.Node) { r.known("parent", x); r.hang(x) }

func (r *Recorder) Changed(x *rpl.Replica, ord int, t rpl.Tick) {
	r.has("change", x, ord)
	if r.Changes++; r.OnChanged != nil {
		r.OnChanged(x, ord)
	}
}

func (r *Recorder) Advanced(x *rpl.Replica, ord int, t rpl.Tick) { r.has("advance", x, ord) }

func (r *Recorder) Run(c rpl.Call) {
	if r.Held[c.Node] == nil {
		r.fail("call %s on %v, which is not here", c.RPC.Name, c.Node)
	}
	if r.OnRun != nil {
		r.OnRun(c)
	}
	c.Args = append([]byte(nil), c.Args...)
	r.Calls = append(r.Calls, c)
}

func (r *Recorder) Gone(x *rpl.Replica, t rpl.Tick, destroyed bool) {
	r.held("gone", x)
	if r.OnGone != nil {
		r.OnGone(x, t, destroyed)
	}
	if r.Held[x.ID] == x {
		delete(r.Held, x.ID)
	}
	delete(r.items, x)
	delete(r.under, x)
	delete(r.owner, x)
	for child, up := range r.under {
		if up == x {
			delete(r.under, child)
		}
	}
	r.Left++
}
