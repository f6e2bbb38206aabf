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

// tick plays one tick and looks at what each peer was sent.
func (w *randomWorld) tick(change func()) {
	w.net.Tick(func(t rpl.Tick) {
		if change != nil {
			change()
		}
		for _, n := range w.nodes {
			b := n.body()
			b.Pos.X += b.Vel.X / 60
			b.Pos.Y += b.Vel.Y / 60
			w.set(n)
			if w.past[n.id] == nil {
				w.past[n.id] = map[rpl.Tick][]int32{}
			}
			w.past[n.id][t] = w.net.A.Words(n.parts[0].item, nil)
		}
		w.entitle()
	})
	for _, c := range w.net.Clients {
		spy := w.wire[c.Peer]
		spy.p.Apply(w.net.Now, &spy.log)
		w.readSecrets(c.Peer, spy.p, "was sent", &w.given)
		w.readSecrets(c.Peer, c.P, "holds", nil)
		w.wasSo(c)
		if len(c.Log.Errors) > 0 {
			w.t.Fatalf("client %d: %s", c.Peer, c.Log.Errors[0])
		}
		// It may know other bases than the client; but what it knows it can read.
		if log := w.log.String(); strings.Contains(log, "refused") && !strings.Contains(log, "is not known") {
			w.t.Fatalf("client %d: packets of its cannot be read, although none was lost: %s", c.Peer, log)
		}
		if b := w.bucket[c.Peer]; b.worst < -b.debt-64 {
			w.t.Fatalf("client %d: %g bytes over its budget", c.Peer, -b.worst)
		}
	}
}

func (w *randomWorld) ticks(n int) {
	for range n {
		w.tick(nil)
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

// wasSo is that a client has every body as it was at the tick that the client
// has it of: no delta was applied to a wrong base.
func (w *randomWorld) wasSo(c *rpltest.Client) {
	for r := range c.P.Replicas {
		if len(r.Items) == 0 || w.past[r.ID] == nil {
			continue
		}
		at := r.Tick(0)
		was, ok := w.past[r.ID][at]
		if !ok {
			continue
		}
		got := r.Words(0, nil)
		for k := range got {
			if (w.sch.body.Words[k].Velocity < 0 || at == c.P.Newest()) && got[k] != was[k] {
				w.t.Fatalf("client %d has %v of tick %d as %v, it was %v", c.Peer, r.ID, at, got, was)
			}
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
			p.Inject(r, ord, unsafe.Pointer(&s))
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
			n.body().Vel = xy{}
		}
	})
	end := w.net.Now + limit
	var err error
	for w.net.Now < end {
		if err = w.equal(); err == nil {
			return
		}
		w.tick(nil)
	}
	for _, c := range w.net.Clients {
		err = fmt.Errorf("%w\n%d %+v %+v", err, c.Peer, w.net.A.PeerStats(c.Peer), c.P.Counters())
	}
	w.t.Fatalf("after %v of quiet: %v\n%+v\n%s", limit, err, w.net.A.Counters(), w.refusals.String())
}
