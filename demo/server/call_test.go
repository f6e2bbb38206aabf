package main

// Reliable calls that are followed by what ends the level or the session, over real
// sockets.

import (
	"fmt"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/kcp"
)

var (
	matches = tendon.NewProtocol("matches")
	result  = tendon.NewRPC[string](matches, "result", rpl.Broadcast, rpl.Reliable)
)

// A call that is made in the step of Load reaches the client before the level does,
// whether that step sends or not, also while the client's game stalls.
func TestCallThenLoadOverUDP(t *testing.T) {
	for phase := range 2 {
		for _, stalls := range []bool{false, true} {
			t.Run(fmt.Sprintf("phase %d, stalls %v", phase, stalls), func(t *testing.T) { callThenLoad(t, phase, stalls) })
		}
	}
}

func callThenLoad(t *testing.T, phase int, stalls bool) {
	l, err := kcp.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr()
	var reps [2]*tendon.Replication
	var heard []string
	for i := range reps {
		if reps[i], err = tendon.New(donburi.NewWorld(), matches, tendon.Config{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { reps[i].Close("the test is over") })
	}
	server, client := reps[0], reps[1]
	result.Handle(client, func(_ tendon.Call, s string) { heard = append(heard, s) })
	client.OnWorld(func(_ donburi.World, level string) { heard = append(heard, "level "+level) })
	server.OnWorld(func(donburi.World, string) {})
	joined := false
	server.OnJoin(func(p rpl.Peer) { joined = joined || p != server.Me() })
	server.Host(l)
	client.Join(kcp.Dialer(addr))
	step := func(reps ...*tendon.Replication) {
		for _, r := range reps {
			r.Receive()
			r.Send()
		}
		time.Sleep(5 * time.Millisecond)
	}
	for range 4000 {
		if step(server, client); joined && client.Mode() == tendon.Client {
			break
		}
	}
	for range 20 + phase {
		step(server, client)
	}
	heard = nil
	server.Receive()
	if err := result.Send(server.Session(), "red wins"); err != nil {
		t.Fatal(err)
	}
	server.Load("lobby")
	server.Send()
	if stalls {
		for range 20 {
			step(server)
		}
	}
	for range 4000 {
		if step(server, client); len(heard) == 2 {
			break
		}
	}
	if got := fmt.Sprint(heard); got != "[red wins level lobby]" {
		t.Errorf("the client has heard %v", got)
	}
}
