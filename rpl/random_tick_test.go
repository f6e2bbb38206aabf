package rpl_test

import (
	"fmt"
	"strings"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
)

// What a random world does in a tick, and what its oracle looks at after each.

// tick plays one tick and looks at what each peer was sent. change happens before
// the core is given what there is, then after it.
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
	for _, c := range w.net.Clients {
		if b := w.bucket[c.Peer]; b.worst < -b.debt-64 {
			w.t.Fatalf("client %d: %g bytes over its budget", c.Peer, -b.worst)
		}
		if c.Peer == w.villain { // what it reads is its own affair, but not what it is sent
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

// eavesdrop looks at all that left for a client.
func (w *randomWorld) eavesdrop(c *rpltest.Client) {
	w.overhear(c)
	// It may know other bases than the client; but what it knows it can read.
	if log := w.wire[c.Peer].refusals.String(); strings.Contains(log, "refused") && !strings.Contains(log, "is not known") {
		w.t.Fatalf("client %d: packets of its cannot be read, although none was lost: %s", c.Peer, log)
	}
}

// overhear is that nothing left for a client that it may not see.
func (w *randomWorld) overhear(c *rpltest.Client) {
	spy := w.wire[c.Peer]
	spy.p.Apply(w.net.Now, &spy.log)
	w.readSecrets(c.Peer, spy.p, "was sent", &w.given)
}

// step moves a node on by itself.
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

// remember notes what a node shows.
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

// plain is whether everyone sees all of an item.
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

// entitle notes what each peer may read of this tick.
func (w *randomWorld) entitle() {
	for _, n := range w.nodes {
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
}

// wasSo is that a client has every item as it was at the tick that the client has
// it of: no delta was applied to a wrong base. Where nothing is lost and all have
// had time, it shows what is of what it is to have.
func (w *randomWorld) wasSo(c *rpltest.Client) {
	for r := range c.P.Replicas {
		past := w.past[r.ID]
		if past == nil {
			continue
		}
		if n := w.nodeOf(r.ID); w.since[r] == 0 || n != nil && !w.must(c.Peer, n) { // it may be kept for a call
			w.since[r] = c.P.Newest()
		}
		fresh := !w.rules.calm || c.P.Newest() < max(w.since[r], w.shaken[c.Peer])+settling || !w.settled(r.ID, c.P.Newest())
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

// settling is the ticks after which a calm world's clients show what is.
const settling = 90

// settled is whether a node has been what and where it is for long.
func (w *randomWorld) settled(id rpl.Node, now rpl.Tick) bool {
	n := w.nodeOf(id)
	if n == nil {
		return false
	}
	for _, p := range n.items() {
		if p.t.Name == "tome" {
			return false // blocks take their time
		}
	}
	return !n.transient && n.streaming.Hz == 0 && now > n.shaken+settling
}

// nodeOf is a node of the model, nil where it has gone.
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

// compare compares what a client has of an item with what that was.
func (w *randomWorld) compare(c *rpltest.Client, r *rpl.Replica, ord int, past [][]int32, got []int32, at rpl.Tick) {
	if ord >= len(past) || past[ord] == nil {
		return
	}
	t := r.Items[ord]
	for k, want := range past[ord] {
		if p := &t.Props[t.Words[k].Prop]; got[k] != want && !p.Once && p.If < 0 {
			w.t.Fatalf("client %d has %v of tick %d, at %d, as %s %v, it was %v", c.Peer, r.ID, at, c.P.Newest(), t.Name, got, past[ord])
		}
	}
}

// readSecrets is promise 4: a proxy has what its peer may see, and nothing else; or
// nothing else of some, where it may read amiss.
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

// quiet stops the world and waits until every client has what it should.
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
