package rpl_test

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
)

// A tick of a random world, and the checks after each tick.

// tick plays one tick and checks what each peer was sent. change runs before the items
// are passed to the authority, then after it; both may be nil.
func (w *randomWorld) tick(change, then func()) {
	w.net.Tick(func(t rpl.Tick) {
		if change != nil {
			change()
		}
		for _, n := range w.nodes {
			w.step(n)
		}
		w.extract()
		for _, n := range w.nodes {
			w.remember(n, t)
		}
		if then != nil {
			then()
		}
		w.entitle()
	})
	if _, fault := w.net.A.Shared(); fault != "" {
		w.t.Fatal(fault)
	}
	for _, c := range w.net.Clients {
		if b := w.bucket[c.Peer]; b.worst < -b.debt-64 {
			w.t.Fatalf("client %d: %g bytes over its budget", c.Peer, -b.worst)
		}
		if c.Peer == w.villain { // its own state does not matter, but what it is sent does
			w.overhear(c)
			continue
		}
		if len(c.Log.Errors) > 0 {
			w.t.Fatalf("client %d: %s", c.Peer, c.Log.Errors[0])
		}
		if n := c.P.Counters().Mismatches; n > 0 {
			w.t.Fatalf("client %d: %d versions are not the authority's: %s", c.Peer, n, w.refusals.String())
		}
		w.readSecrets(c.Peer, c.P, "holds", nil)
		w.wasSo(c)
		w.eavesdrop(c)
	}
}

// eavesdrop checks what was sent to a client: nothing that it may not see, and nothing
// that cannot be read.
func (w *randomWorld) eavesdrop(c *rpltest.Client) {
	w.overhear(c)
	// The eavesdropper may have other baselines than the client, so it may refuse a
	// delta whose baseline it does not know, but no other packet.
	if log := w.wire[c.Peer].refusals.String(); strings.Contains(log, "refused") && !strings.Contains(log, "is not known") {
		w.t.Fatalf("client %d: packets of its cannot be read, although none was lost: %s", c.Peer, log)
	}
}

// overhear checks that a client was sent nothing that it may not see.
func (w *randomWorld) overhear(c *rpltest.Client) {
	spy := w.wire[c.Peer]
	spy.p.Apply(w.net.Now, &spy.log)
	w.readSecrets(c.Peer, spy.p, "was sent", &w.given)
}

// step moves a node on by a tick.
func (w *randomWorld) step(n *thingy) {
	noise := w.noise
	if !n.noisy {
		noise = nil
	}
	for _, p := range n.parts {
		if p != nil {
			p.step(n.pace, noise)
		}
	}
	if n.busy {
		*n.parts[0].hp()++
	}
}

// remember stores the words of a node's plain items at a tick.
func (w *randomWorld) remember(n *thingy, t rpl.Tick) {
	if w.past[n.id] == nil {
		w.past[n.id] = map[rpl.Tick][][]int32{}
	}
	var all [][]int32
	for _, p := range n.parts {
		var words []int32
		if p != nil && p.plain() {
			words = make([]int32, len(p.t.Words))
			p.t.Extract(p.ptr(), words, make([]any, len(p.t.Vars)), w)
		}
		all = append(all, words)
	}
	w.past[n.id][t] = all
}

// plain reports whether everyone sees the whole item.
func (p *part) plain() bool { return len(p.t.Parts) == 1 && p.t.Parts[0].Audience == rpl.Everyone }

func (w *randomWorld) ticks(n int) {
	for range n {
		w.tick(nil, nil)
	}
}

func (w *randomWorld) sees(p rpl.Peer, n *thingy, a rpl.Audience) bool {
	switch a {
	case rpl.Everyone:
		return true
	case rpl.OwnerSees:
		return n.owner == p
	case rpl.OthersSee:
		return n.owner != p
	case w.sch.watch:
		return w.watch[p]
	}
	return w.team[p]
}

// entitle records which secrets each peer may read from this tick on. What was removed
// stays, as it was, until its calls have run: who comes into a group by then reads it.
func (w *randomWorld) entitle() {
	for _, n := range w.nodes {
		w.entitleTo(n)
	}
	for _, n := range w.gone {
		w.entitleTo(n)
	}
}

// entitleTo records which secrets of a node each peer may read.
func (w *randomWorld) entitleTo(n *thingy) {
	for _, p := range n.parts {
		if p == nil || p.t.Name != "secret" {
			continue
		}
		s := p.v.(*secretItem)
		for peer, may := range w.may {
			if w.sees(peer, n, rpl.OwnerSees) {
				may.numbers[s.Token], may.words[s.Word] = true, true
			}
			if w.sees(peer, n, rpl.OthersSee) {
				may.numbers[s.Other] = true
			}
			if w.watch[peer] {
				may.numbers[s.Watch] = true
			}
			if w.team[peer] {
				may.numbers[s.Team], may.words[s.TeamWord] = true, true
			}
		}
	}
}

// wasSo checks that every item of a client equals the authority's at the tick of which
// the client has it, so that no delta was applied to a wrong baseline. In calm worlds,
// after convergence, it also checks that the client shows the state of its newest tick.
func (w *randomWorld) wasSo(c *rpltest.Client) {
	for r := range c.P.Replicas {
		past := w.past[r.ID]
		if past == nil {
			continue
		}
		if n := w.nodeOf(r.ID); w.since[r] == 0 || n != nil && !w.must(c.Peer, n) { // a client may hold a node that it need not, as long as a call is on its way
			w.since[r] = c.P.Newest()
		}
		fresh := !w.rules.calm || c.P.Newest() < max(w.since[r], w.shaken[c.Peer])+convergence || !w.converged(r.ID, c.P.Newest())
		for ord, t := range r.Items {
			if t == nil || len(t.Parts) > 1 {
				continue
			}
			got, at := r.Confirmed(ord, nil)
			w.compare(c, r, ord, past[at], got, at)
			if !fresh {
				w.compare(c, r, ord, past[c.P.Newest()], r.Words(ord, nil), c.P.Newest())
			}
		}
	}
}

// convergence is the number of ticks after a change of what a peer sees within which a
// calm world's client need not be up to date.
const convergence = 90

// converged reports whether a client must be up to date about a node: it exists, is not
// transient, is sent at the full rate, and was not shaken for convergence ticks.
func (w *randomWorld) converged(id rpl.Node, now rpl.Tick) bool {
	n := w.nodeOf(id)
	if n == nil {
		return false
	}
	for _, p := range n.items() {
		if p.t.Name == "tome" {
			return false // blocks take longer
		}
	}
	return !n.transient && n.streaming.Hz == 0 && now > n.shaken+convergence
}

// nodeOf returns a node of the model, or nil if it was removed.
func (w *randomWorld) nodeOf(id rpl.Node) *thingy {
	for _, n := range w.nodes {
		if n.id == id {
			return n
		}
	}
	return nil
}

func (w *randomWorld) must(p rpl.Peer, n *thingy) bool {
	must, _ := w.wants(p, n)
	return must
}

// compare compares a client's item with its words in the past, where they are known.
func (w *randomWorld) compare(c *rpltest.Client, r *rpl.Replica, ord int, past [][]int32, got []int32, at rpl.Tick) {
	if ord >= len(past) || past[ord] == nil {
		return
	}
	t, removed := r.Items[ord], w.nodeOf(r.ID) == nil
	for k, want := range past[ord] {
		if removed && slices.Contains(t.Pos[:], k) {
			continue // it goes where it was, if its last place was below a parent that the client has not
		}
		if p := &t.Props[t.Words[k].Prop]; got[k] != want && !p.Once && p.If < 0 {
			w.t.Fatalf("client %d has %v of tick %d, at %d, as %s %v, it was %v", c.Peer, r.ID, at, c.P.Newest(), t.Name, got, past[ord])
		}
	}
}

// readSecrets checks promise 4: every secret that a proxy has is one that its peer may
// read. With some it checks only secrets in some, because the proxy may misread deltas.
func (w *randomWorld) readSecrets(peer rpl.Peer, p *rpl.Proxy, how string, some *secrets) {
	may := w.may[peer]
	for r := range p.Replicas {
		for ord, t := range r.Items {
			if t == nil || t.Name != "secret" {
				continue
			}
			var s secretItem
			p.Inject(r, ord, t, unsafe.Pointer(&s))
			for _, v := range []int32{s.Token, s.Other, s.Team, s.Watch} {
				if !may.numbers[v] && (some == nil || some.numbers[v]) {
					w.t.Fatalf("peer %d %s the secret %d of %v: %+v", peer, how, v, r.ID, s)
				}
			}
			for _, v := range []string{s.Word, s.TeamWord} {
				if !may.words[v] && (some == nil || some.words[v]) {
					w.t.Fatalf("peer %d %s the secret %q of %v: %+v", peer, how, v, r.ID, s)
				}
			}
		}
	}
}

// quiet stops the world and plays on until equal holds. It fails the test after limit.
func (w *randomWorld) quiet(limit time.Duration) {
	w.tick(func() {
		for _, n := range w.nodes {
			n.pace, n.noisy, n.busy = xy{}, false, false
			for _, p := range n.items() {
				p.stop()
			}
		}
	}, nil)
	end := w.net.Now + limit
	var err error
	for w.net.Now < end {
		if err = w.equal(); err == nil {
			return
		}
		w.tick(nil, nil)
	}
	for _, c := range w.net.Clients {
		err = fmt.Errorf("%w\n%d %+v %+v", err, c.Peer, w.net.A.PeerStats(c.Peer), c.P.Counters())
	}
	w.t.Fatalf("after %v of quiet: %v\n%+v\n%s", limit, err, w.net.A.Counters(), w.refusals.String())
}
