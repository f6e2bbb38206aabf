package rpl_test

// Suspend ends a peer's stream. The peer keeps its nodes, and its next stream starts
// from nothing.

import (
	"fmt"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

func TestSuspend(t *testing.T) {
	schema := rpl.NewSchema("suspend")
	item := schema.Item("plain", reflect.TypeFor[plain](), nil)
	say := schema.RPC("say", reflect.TypeFor[uint8](), rpl.ToOwner, rpl.Reliable)
	const peer = rpl.Peer(2)
	auth, err := rpl.NewAuthority(rpl.AuthorityConfig{Schema: schema, Hz: 30})
	if err != nil {
		t.Fatal(err)
	}
	spawn := func(keep bool) rpl.Node {
		n, err := auth.Spawn(rpl.Spawn{Items: []*rpl.ItemType{item}, Streaming: rpl.Streaming{Keep: keep, Relevance: rpl.OwnerOnly}})
		if err != nil {
			t.Fatal(err)
		}
		it, _ := auth.Item(n, 0)
		auth.Set(it, unsafe.Pointer(&plain{X: 4, Name: "mine"}))
		auth.Give(n, peer)
		return n
	}
	kept, mortal := spawn(true), spawn(false)

	tick := rpl.Tick(0)
	stream := func() map[rpl.Node]*plain {
		proxy, err := rpl.NewProxy(rpl.ProxyConfig{Schema: schema, Hz: 30}, peer)
		if err != nil {
			t.Fatal(err)
		}
		if err := auth.Connect(peer); err != nil {
			t.Fatal(err)
		}
		there := &store{proxy: proxy, item: item, held: map[rpl.Node]*plain{}}
		var down, up pipe
		for range 10 {
			tick++
			now := time.Duration(tick) * time.Second / 30
			for i, b := range up.datagrams {
				if err := auth.Receive(peer, up.seqs[i], now, b); err != nil {
					t.Fatal(err)
				}
			}
			up.datagrams, up.seqs = nil, nil
			auth.Step(tick)
			auth.Stream(now)
			auth.Schedule(now)
			auth.Encode(peer, now, &down)
			for i, b := range down.datagrams {
				proxy.Receive(down.seqs[i], now, b)
			}
			for _, b := range down.messages {
				t.Errorf("message %x: a call of before is delivered", b)
			}
			down.datagrams, down.seqs = nil, nil
			proxy.Apply(now, there)
			proxy.Send(now, &up)
		}
		return there.held
	}
	check := func(when string, held map[rpl.Node]*plain) {
		t.Helper()
		for _, n := range []rpl.Node{kept, mortal} {
			if p := held[n]; p == nil || p.X != 4 || p.Name != "mine" {
				t.Errorf("%s: %v is %+v", when, n, p)
			}
			if p := auth.Owner(n); p != peer {
				t.Errorf("%s: the owner of %v is %d", when, n, p)
			}
		}
	}
	check("at first", stream())
	if err := auth.Call(kept, say, []byte{7}); err != nil {
		t.Fatal(err)
	}
	auth.Suspend(peer)
	if n := auth.Counters().CallsDropped; n != 1 {
		t.Errorf("%d calls are counted as dropped, not 1", n)
	}
	if hs := auth.Holders(kept, nil); len(hs) != 0 {
		t.Errorf("held by %v, which is suspended", hs)
	}
	auth.Suspend(peer) // a second call does nothing
	auth.Stream(time.Second)
	auth.Schedule(time.Second)
	check("back", stream())

	auth.Suspend(peer)
	auth.Disconnect(peer)
	if auth.Has(mortal) || !auth.Has(kept) || auth.Owner(kept) != 0 {
		t.Errorf("after it left: mortal %v, kept %v of %d", auth.Has(mortal), auth.Has(kept), auth.Owner(kept))
	}
}

// A peer is sent the nodes that it owned before its stream began, wherever they are and
// whatever their parent is.
func TestOwnIsSentFromAfar(t *testing.T) {
	for _, in := range []rpl.Interest{rpl.Grid{Enter: 40, Exit: 44}, asked{rpl.Grid{Enter: 40, Exit: 44}}} {
		w := newSight(t, in)
		const peer = rpl.Server + 1
		spawn := func(s rpl.Spawn) rpl.Node {
			s.Items = []*rpl.ItemType{w.typ}
			n, err := w.a.Spawn(s)
			if err != nil {
				t.Fatal(err)
			}
			it, _ := w.a.Item(n, 0)
			w.a.Set(it, unsafe.Pointer(&dot{xy{1000, 0}}))
			return n
		}
		own, other := spawn(rpl.Spawn{Owner: peer, Streaming: rpl.Streaming{Keep: true}}), spawn(rpl.Spawn{})
		below := spawn(rpl.Spawn{Owner: peer, Parent: spawn(rpl.Spawn{}), Streaming: rpl.Streaming{Keep: true}})
		w.a.Stream(0)
		for _, end := range []func(rpl.Peer){w.a.Suspend, func(p rpl.Peer) { w.a.Disconnect(p) }} {
			clear(w.held)
			if err := w.a.Connect(peer); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				w.a.Observe(peer, [2]float64{})
				w.a.Stream(0)
				w.a.Schedule(0)
			}
			for n, want := range map[rpl.Node]bool{own: true, w.a.Parent(below): true, below: true, other: false} {
				if w.held[fmt.Sprint(peer, n)] != want {
					t.Errorf("%T: %v is to be sent: %v, want %v", in, n, !want, want)
				}
			}
			end(peer)
		}
	}
}
