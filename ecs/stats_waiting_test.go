package ecs_test

// What waits for a peer, and what a send had no room for.

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type parcelPiece struct {
	Bytes []byte `rpl:"max=40000"`
}

var (
	parcelProto  = tendon.NewProtocol("parcels")
	parcelText   = tendon.Replicate(parcelProto, "text", donburi.NewComponentType[parcelPiece]())
	parcelUp     = tendon.NewRPC[parcelPiece](parcelProto, "up", rpl.ToServer, rpl.Reliable).FromAnyone()
	parcelDown   = tendon.NewRPC[parcelPiece](parcelProto, "down", rpl.Broadcast, rpl.Reliable)
	parcelSpeech = tendon.NewRPC[parcelPiece](parcelProto, "speech", rpl.ToServer, rpl.Unreliable).FromAnyone()
	parcelSounds = tendon.NewRPC[parcelPiece](parcelProto, "sounds", rpl.Broadcast, rpl.Unreliable)
)

// A machine sends a file in pieces while little waits: it takes about as long as the line needs for it, never much waits,
// and nothing once it is there. So on the way down and on the way up, and for a long value.
func TestWaitingSaysWhenToSendMore(t *testing.T) {
	const size, piece, enough, rate = 200_000, 4000, 16 << 10, 40_000
	got := 0
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: parcelProto, Config: tendon.Config{Dedicated: true},
		Setup: func(m *tendontest.Machine) {
			take := func(_ tendon.Call, p parcelPiece) { got += len(p.Bytes) }
			parcelUp.Handle(m.Replication, take)
			parcelDown.Handle(m.Replication, take)
		},
		Step: func(*tendontest.Machine) {},
	}, netsim.Conditions{Delay: 20 * time.Millisecond, Rate: rate, Loss: 0.01})
	host := lab.Host()
	client := lab.Join()
	box := host.Create(parcelText)
	lab.Steps(120)
	there, _ := client.Find(tendon.ID(box))
	for way, x := range map[string]struct {
		from *tendontest.Machine
		to   rpl.Peer
		send func() error
	}{
		"down": {host, client.Me(), func() error { return parcelDown.Send(box, parcelPiece{make([]byte, piece)}) }},
		"up":   {client, rpl.Server, func() error { return parcelUp.Send(there, parcelPiece{make([]byte, piece)}) }},
	} {
		got = 0
		most, steps := 0, 0
		for sent := 0; got < size && steps < 3600; steps++ {
			for ; sent < size && x.from.Stats(x.to).Waiting < enough; sent += piece {
				if err := x.send(); err != nil {
					t.Fatal(way, err)
				}
			}
			lab.Steps(1)
			most = max(most, x.from.Stats(x.to).Waiting)
		}
		lab.Steps(60)
		t.Logf("%s: %d bytes in %d steps, at most %d wait", way, got, steps, most)
		check(t, way+": waits in the end", x.from.Stats(x.to).Waiting, 0)
		if got < size || most < enough/2 || most > enough+2*piece {
			t.Errorf("%s: %d bytes in %d steps, at most %d wait", way, got, steps, most)
		}
	}
	parcelText.SetValue(box, parcelPiece{make([]byte, 20_000)})
	for i := range parcelText.Get(box).Bytes {
		parcelText.Get(box).Bytes[i] = byte(i * i >> 4)
	}
	lab.Steps(6)
	if w := host.Stats(client.Me()).Waiting; w < 10_000 || w > 21_000 {
		t.Errorf("of a value of 20,000 bytes %d wait", w)
	}
	lab.Steps(240)
	check(t, "waits of the value", host.Stats(client.Me()).Waiting, 0)
	check(t, "of nobody", host.Stats(77).Waiting, 0)
}

// Unreliable calls for which there is no room are counted where they are dropped: beyond 256 in a send, and beyond the
// budget. That machine's log names the RPC.
func TestCallsWithoutRoomAreCounted(t *testing.T) {
	heard := map[rpl.Peer]int{}
	logs := map[string]*bytes.Buffer{"server": {}, "client 1": {}}
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: parcelProto, Config: tendon.Config{Dedicated: true, Budget: 6000},
		Configure: func(name string, c *tendon.Config) {
			c.Log = slog.New(slog.NewTextHandler(logs[name], nil))
		},
		Setup: func(m *tendontest.Machine) {
			hear := func(tendon.Call, parcelPiece) { heard[m.Me()]++ }
			parcelSpeech.Handle(m.Replication, hear)
			parcelSounds.Handle(m.Replication, hear)
		},
		Step: func(*tendontest.Machine) {},
	}, netsim.Conditions{Delay: 20 * time.Millisecond})
	host := lab.Host()
	client := lab.Join()
	box := host.Create(parcelText)
	lab.Steps(120)
	there, _ := client.Find(tendon.ID(box))
	for range 300 {
		if err := parcelSpeech.Send(there, parcelPiece{[]byte("hello")}); err != nil {
			t.Fatal(err)
		}
	}
	lab.Steps(30)
	check(t, "the client's dropped", *client.Counter("rpc without room"), 44)
	check(t, "the client's log names it", strings.Contains(logs["client 1"].String(), "rpc=speech"), true)
	for range 60 {
		for range 4 {
			if err := parcelSounds.Send(box, parcelPiece{make([]byte, 500)}); err != nil {
				t.Fatal(err)
			}
		}
		lab.Steps(1)
	}
	lab.Steps(60)
	dropped := int(*host.Counter("rpc without room"))
	t.Logf("of 240 calls %d were heard, %d dropped", heard[client.Me()], dropped)
	check(t, "the server's log names it", strings.Contains(logs["server"].String(), "rpc=sounds"), true)
	if dropped == 0 || heard[client.Me()]+dropped != 240 {
		t.Errorf("of 240 calls %d were heard, %d dropped", heard[client.Me()], dropped)
	}
}

// What waits rises while a machine gives more than its line carries, and is 0 once all is acknowledged. To ask for it
// allocates nothing.
func TestWaitingRisesAndFalls(t *testing.T) {
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: parcelProto, Config: tendon.Config{Dedicated: true},
		Setup: func(m *tendontest.Machine) {
			parcelUp.Handle(m.Replication, func(tendon.Call, parcelPiece) {})
			parcelDown.Handle(m.Replication, func(tendon.Call, parcelPiece) {})
		},
		Step: func(*tendontest.Machine) {},
	}, netsim.Conditions{Delay: 20 * time.Millisecond, Rate: 20_000})
	host := lab.Host()
	client := lab.Join()
	box := host.Create(parcelText)
	lab.Steps(120)
	there, _ := client.Find(tendon.ID(box))
	waits := func() [2]int { return [2]int{host.Stats(client.Me()).Waiting, client.Stats(rpl.Server).Waiting} }
	check(t, "waits before", waits(), [2]int{})
	for second := 1; second <= 2; second++ { // of 30 kB each, of which 20 leave
		before := waits()
		for range 30 {
			if err := errors.Join(parcelDown.Send(box, parcelPiece{make([]byte, 1000)}), parcelUp.Send(there, parcelPiece{make([]byte, 1000)})); err != nil {
				t.Fatal(err)
			}
			lab.Steps(2)
		}
		for i, w := range waits() {
			if w < before[i]+5000 || w > second*30_500 {
				t.Errorf("after %d s, %v: %d bytes wait, %d before", second, []string{"down", "up"}[i], w, before[i])
			}
		}
	}
	if n := testing.AllocsPerRun(100, func() { waits() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	lab.Steps(480)
	check(t, "waits in the end", waits(), [2]int{})
}
