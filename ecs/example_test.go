package ecs_test

// Examples of a small game: its declarations and rules, single player, a listen server
// with a client, views and stand-ins.

import (
	"fmt"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A game's components, with tags on the fields that travel.
type (
	BallData struct {
		Pos    gmath.Vec `rpl:"step=1/32,interp,pos"`
		Colour uint8     `rpl:"notify"`
		rolled int       // no tag: each machine has its own
	}
	KickArgs struct {
		Force gmath.Vec `rpl:"step=1/4"`
	}
)

// The protocol is what both ends agree on.
var (
	game = tendon.NewProtocol("ball game")

	Ball  = tendon.Replicate(game, "ball", donburi.NewComponentType[BallData]())
	Fill  = donburi.NewComponentType[string]() // local: the colour that it is drawn with
	Balls = tendon.NewPrefab(game, "ball", newBall)
	Kick  = tendon.NewRPC[KickArgs](game, "kick", rpl.ToServer, rpl.Reliable).On(Ball)
)

// newBall builds a ball on every machine.
func newBall(w donburi.World, _ tendon.None) *donburi.Entry {
	return w.Entry(w.Create(Ball, Fill))
}

// setup binds the rules to a session; it is the same in all modes.
func setup(rep *tendon.Replication) {
	rep.OnJoin(func(p rpl.Peer) { tendon.Give(Balls.Spawn(rep.World(), tendon.None{}), p) })
	tendon.OnChange(rep, Ball, func(e *donburi.Entry, _ BallData) {
		Fill.SetValue(e, []string{"red", "blue"}[Ball.Get(e).Colour])
	})
	Kick.Handle(rep, func(c tendon.Call, a KickArgs) {
		b := Ball.Get(c.Entry)
		b.Pos = b.Pos.Add(a.Force)
		b.Colour = 1
	})
}

var decided = donburi.NewQuery(filter.And(filter.Contains(Ball), tendon.Authority))

// step is the game's fixed step, on every machine.
func step(rep *tendon.Replication) {
	for e := range decided.Iter(rep.World()) {
		Ball.Get(e).rolled++
	}
}

// Single player: the same code, no network.
func Example() {
	rep, err := tendon.New(donburi.NewWorld(), game, tendon.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	setup(rep)
	for range 3 {
		rep.Receive()
		step(rep)
		if mine, ok := tendon.Mine(rep, Ball); ok && rep.Tick() == 2 {
			Kick.Send(mine, KickArgs{Force: gmath.Vec{X: 8}})
		}
		rep.Send()
	}
	mine, _ := tendon.Mine(rep, Ball)
	fmt.Println(rep.Mode(), Ball.Get(mine).Pos, *Fill.Get(mine), Ball.Get(mine).rolled)
	// Output:
	// single player [8.000000, 0.000000] blue 3
}

// A listen server and a client, here over a network in memory on a virtual clock;
// kcp.Listen and kcp.Dialer are for UDP.
func ExampleReplication_Host() {
	network := mem.NewNetwork(1, netsim.Conditions{Delay: 30 * time.Millisecond, Loss: 0.05})
	listener := network.Listener()
	var sessions []*tendon.Replication
	for range 2 {
		rep, err := tendon.New(donburi.NewWorld(), game, tendon.Config{})
		if err != nil {
			fmt.Println(err)
			return
		}
		setup(rep)
		sessions = append(sessions, rep)
	}
	server, client := sessions[0], sessions[1]
	server.Host(listener)
	client.Join(network.Dialer(listener))

	for i := range 120 {
		network.Advance(time.Second / 60)
		for _, rep := range sessions {
			rep.Receive()
			step(rep)
			if mine, ok := tendon.Mine(rep, Ball); ok && i == 60 {
				Kick.Send(mine, KickArgs{Force: gmath.Vec{Y: float64(rep.Me())}})
			}
			rep.Send()
		}
	}
	for _, rep := range sessions {
		fmt.Println(rep.Mode(), "is peer", rep.Me())
		for e := range Ball.Iter(rep.World()) {
			fmt.Println(" ", tendon.ID(e), "of", tendon.Owner(e), Ball.Get(e).Pos, *Fill.Get(e), tendon.IsAuthority(e))
		}
	}
	// Output:
	// listen server is peer 1
	//   node 1.1 of 1 [0.000000, 1.000000] blue true
	//   node 2.1 of 2 [0.000000, 2.000000] blue true
	// client is peer 2
	//   node 2.1 of 2 [0.000000, 2.000000] blue false
	//   node 1.1 of 1 [0.000000, 1.000000] blue false
}

// View gives what is drawn in a frame, however often frames come.
func ExampleView() {
	rep, err := tendon.New(donburi.NewWorld(), game, tendon.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	setup(rep)
	rep.Receive()
	rep.Send()

	visible := donburi.NewQuery(filter.And(filter.Contains(Ball), tendon.Drawn))
	rep.Frame()
	for e := range visible.Iter(rep.World()) {
		fmt.Println("a ball at", tendon.View(e, Ball).Pos)
	}
	// Output:
	// a ball at [0.000000, 0.000000]
}

// A stand-in replicates fields of a type that cannot be tagged.
func ExampleReplicateAs() {
	type hidden struct{ hits, misses int }
	type score struct {
		Hits int `rpl:"min=0,max=1000"`
	}
	p := tendon.NewProtocol("scores")
	Score := tendon.ReplicateAs(p, "score", donburi.NewComponentType[hidden](),
		func(_ *donburi.Entry, c *hidden) score { return score{Hits: c.hits} },
		func(_ *donburi.Entry, c *hidden, w score) { c.hits = w.Hits },
	)
	rep, err := tendon.New(donburi.NewWorld(), p, tendon.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	e := rep.Create(Score)
	Score.Get(e).hits, Score.Get(e).misses = 3, 1
	fmt.Println(tendon.ID(e) != 0)
	// Output:
	// true
}
