package rpl_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Promise 5: without loss and jitter every arrival, removal and isolated change is sent
// exactly once, and nothing is sent of state that does not change.
func TestSentOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		delay := time.Duration(rapid.IntRange(0, 120).Draw(t, "delay")) * time.Millisecond
		w := newRandomWorld(t, netsim.Conditions{Delay: delay}, rpl.AuthorityConfig{}, rules{})
		peers := rapid.IntRange(1, 3).Draw(t, "peers")
		for range peers {
			w.join()
		}
		w.ticks(40)
		var arrivals, removals, records uint64
		arrivals = uint64(peers) // of the session's node
		for range rapid.IntRange(1, 20).Draw(t, "changes") {
			n := w.pick("node")
			op := rapid.IntRange(0, 3).Draw(t, "op")
			w.tick(func() {
				switch {
				case n == nil || op == 0:
					w.spawn(rpl.Spawn{
						Streaming: rpl.Streaming{Relevance: rpl.Always},
						Items:     append([]*rpl.ItemType{w.sch.body}, w.sch.extra[:rapid.IntRange(0, 1).Draw(t, "extra")]...),
					}, nil)
					arrivals += uint64(peers)
				case op == 1:
					w.net.A.Remove(n.id)
					w.forget(n)
					removals += uint64(peers)
				default:
					n.body().HP++
					records += uint64(peers)
				}
			}, nil)
			w.ticks(30) // longer than a round trip
		}
		w.quiet(time.Second)
		got := w.net.A.Counters()
		if got.Arrivals != arrivals || got.Removals != removals || got.Records != records || got.Repeats != 0 || got.PacketsLost != 0 || got.Keyframes != 0 {
			t.Fatalf("sent %+v, want %d arrivals, %d removals, %d records, nothing twice", got, arrivals, removals, records)
		}
		before := w.net.A.Counters()
		w.ticks(120)
		if after := w.net.A.Counters(); after.Records != before.Records || after.Arrivals != before.Arrivals || after.Removals != before.Removals {
			t.Fatalf("two quiet seconds: %+v, then %+v", before, after)
		}
	})
}

// A peer uses at most as many handles as nodes that it holds and nodes that are on
// their way out.
func TestHandlesAreReused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newRandomWorld(t, drawNetwork(t), rpl.AuthorityConfig{}, rules{})
		w.join()
		for range rapid.IntRange(10, 40).Draw(t, "rounds") {
			w.tick(func() {
				for range rapid.IntRange(0, 4).Draw(t, "ops") {
					if n := w.pick("node"); n == nil || rapid.Bool().Draw(t, "spawn") {
						w.spawn(rpl.Spawn{Items: []*rpl.ItemType{w.sch.body}, Streaming: rpl.Streaming{Relevance: rpl.Always}}, nil)
					} else {
						w.net.A.Remove(n.id)
						w.forget(n)
					}
				}
			}, nil)
			in, most, held, going := w.net.A.HandlesInUse(2)
			if in > held+going || in > most {
				t.Fatalf("%d handles in use up to %d, for %d nodes held and %d going", in, most, held, going)
			}
		}
		w.quiet(10 * time.Second)
		in, held, going := 0, 0, 1
		for ticks := 0; going > 0 && ticks < 1200; ticks++ { // an idle peer is sent few packets, and bursts of loss take many of them
			w.tick(nil, nil)
			in, _, held, going = w.net.A.HandlesInUse(2)
		}
		if going != 0 || in != held {
			t.Fatalf("when quiet %d handles are in use for %d nodes, %d going", in, held, going)
		}
	})
}
