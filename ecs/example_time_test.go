package ecs_test

// Examples of time: a character and a bullet that answer in the frame of the key, and a shot
// that hits what the shooter saw. Each plays a server and a client over a line with a round
// trip of 120 ms.

import (
	"fmt"
	"math"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// far is a dedicated server and a client 120 ms apart. steps runs so many steps of both, with
// rules between Receive and Send.
func far(p *tendon.Protocol, c tendon.Config, setup, rules func(rep *tendon.Replication)) (server, client *tendon.Replication, steps func(n int)) {
	open := func(dedicated bool) *tendon.Replication {
		c.Dedicated = dedicated
		rep, err := tendon.New(donburi.NewWorld(), p, c)
		if err != nil {
			panic(err)
		}
		setup(rep)
		return rep
	}
	network := mem.NewNetwork(1, netsim.Conditions{Delay: 60 * time.Millisecond})
	listener := network.Listener()
	server, client = open(true), open(false)
	server.Host(listener)
	client.Join(network.Dialer(listener))
	steps = func(n int) {
		for range n {
			network.Advance(time.Second / 60)
			for _, rep := range []*tendon.Replication{server, client} {
				rep.Receive()
				rules(rep)
				rep.Send()
			}
		}
	}
	steps(120)
	return server, client, steps
}

// A predicted character: Sample reads the keys, Apply is the rule on both machines, Run says
// where in the step it runs. The client's own character answers at once; what the server has
// told of it is a round trip behind.
func ExampleCommand() {
	type keys struct {
		Right bool `rpl:""`
	}
	type walker struct {
		X float64 `rpl:"step=1/32,interp"`
	}
	p := tendon.NewProtocol("walkers")
	Walker := tendon.Replicate(p, "walker", donburi.NewComponentType[walker]())
	Walk := tendon.NewCommand[keys](p, "walk", Walker)

	pressed := false // ebiten.IsKeyPressed(ebiten.KeyRight) in a game
	_, client, steps := far(p, tendon.Config{}, func(rep *tendon.Replication) {
		rep.OnJoin(func(peer rpl.Peer) { tendon.Give(rep.Create(Walker), peer) })
		Walk.Sample(rep, func(*donburi.Entry) keys { return keys{Right: pressed} })
		Walk.Apply(rep, func(c tendon.Call, k keys) {
			if k.Right {
				Walker.Get(c.Entry).X += 2
			}
		})
	}, func(rep *tendon.Replication) { Walk.Run(rep) })

	mine, _ := tendon.Mine(client, Walker)
	pressed = true
	steps(1)
	fmt.Println("in the step of the key:", Walker.Get(mine).X, "as the server has told:", tendon.Confirmed(mine, Walker).X)
	steps(59)
	fmt.Println("a second later, behind:", Walker.Get(mine).X > tendon.Confirmed(mine, Walker).X)
	pressed = false
	steps(60)
	fmt.Println("at rest they agree:", Walker.Get(mine).X == tendon.Confirmed(mine, Walker).X)
	// Output:
	// in the step of the key: 2 as the server has told: 0
	// a second later, behind: true
	// at rest they agree: true
}

// A predicted bullet: Predict makes it in the command that fires, on both machines. The
// server's takes the place of the client's, and a rule without input moves it on both. The
// muzzle flash is shown once, however often a correction runs the shot again.
func ExamplePrefab_Predict() {
	type trigger struct {
		Fire bool `rpl:"edge"`
	}
	type gun struct {
		Shots uint8 `rpl:""`
	}
	type bullet struct {
		X float64 `rpl:"step=1/32,interp"`
	}
	p := tendon.NewProtocol("guns")
	Gun := tendon.Replicate(p, "gun", donburi.NewComponentType[gun]())
	Bullet := tendon.Replicate(p, "bullet", donburi.NewComponentType[bullet]())
	Bullets := tendon.NewPrefab(p, "bullet", func(w donburi.World, _ tendon.None) *donburi.Entry { return w.Entry(w.Create(Bullet)) })
	Shoot := tendon.NewCommand[trigger](p, "shoot", Gun)
	Fly := tendon.NewCommand[tendon.None](p, "fly", Bullet)

	var keys trigger
	_, client, steps := far(p, tendon.Config{}, func(rep *tendon.Replication) {
		rep.OnJoin(func(peer rpl.Peer) { tendon.Give(rep.Create(Gun), peer) })
		Shoot.Sample(rep, func(*donburi.Entry) trigger { k := keys; keys = trigger{}; return k })
		Shoot.Apply(rep, func(c tendon.Call, k trigger) {
			if !k.Fire {
				return
			}
			Gun.Get(c.Entry).Shots++
			Bullets.Predict(c, 0, tendon.None{})
			if tendon.IsOwner(c.Entry) {
				c.Once(0, func(time.Duration) { fmt.Println("flash") })
			}
		})
		Fly.Apply(rep, func(c tendon.Call, _ tendon.None) {
			b := Bullet.Get(c.Entry)
			if b.X += 4; b.X >= 100 && tendon.IsAuthority(c.Entry) {
				c.Entry.Remove()
			}
		})
	}, func(rep *tendon.Replication) {
		Shoot.Run(rep)
		Fly.Run(rep)
	})

	keys.Fire = true
	steps(1)
	b, _ := Bullet.First(client.World())
	fmt.Println("in the step of the key it is at", Bullet.Get(b).X, "and the server's:", tendon.ID(b) != 0)
	steps(15)
	same, _ := Bullet.First(client.World())
	fmt.Println("later it is at", Bullet.Get(same).X, "and the server's:", tendon.ID(same) != 0, "the same entity:", same.Entity() == b.Entity())
	// Output:
	// flash
	// in the step of the key it is at 4 and the server's: false
	// later it is at 64 and the server's: true the same entity: true
}

// A rewound shot: Config.Rewind names what has a past, and inside Call.Rewind everything is
// where the shooter saw it when the key was pressed.
func ExampleCall_Rewind() {
	type trigger struct {
		Fire bool    `rpl:"edge"`
		X    float64 `rpl:"step=1/32"` // where it is aimed
	}
	type duck struct {
		Pos  gmath.Vec `rpl:"step=1/32,interp,pos"`
		Hits uint8     `rpl:""`
	}
	type hunter struct {
		Shots uint8 `rpl:""`
	}
	p := tendon.NewProtocol("ducks")
	Duck := tendon.Replicate(p, "duck", donburi.NewComponentType[duck]())
	Hunter := tendon.Replicate(p, "hunter", donburi.NewComponentType[hunter]())
	Shoot := tendon.NewCommand[trigger](p, "shoot", Hunter)

	fire := false
	server, _, steps := far(p, tendon.Config{Rewind: []donburi.IComponentType{Duck}}, func(rep *tendon.Replication) {
		rep.OnStart(func() { rep.Create(Duck) })
		rep.OnJoin(func(peer rpl.Peer) { tendon.Give(rep.Create(Hunter), peer) })
		Shoot.Sample(rep, func(e *donburi.Entry) (k trigger) {
			if d, ok := Duck.First(e.World); ok && fire {
				fire = false
				k = trigger{Fire: true, X: tendon.View(d, Duck).Pos.X} // at what the player sees
			}
			return k
		})
		Shoot.Apply(rep, func(c tendon.Call, k trigger) {
			if !k.Fire || !tendon.IsAuthority(c.Entry) {
				return
			}
			d, _ := Duck.First(c.Entry.World)
			now := Duck.Get(d).Pos.X
			c.Rewind(func() {
				then := Duck.Get(d).Pos.X
				fmt.Println("aimed at where it is now:", k.X == now, "at where it was:", k.X > then-0.1 && k.X < then+0.1)
				Duck.Get(d).Hits++
			})
		})
	}, func(rep *tendon.Replication) {
		for e := range Duck.Iter(rep.World()) {
			if tendon.IsAuthority(e) {
				Duck.Get(e).Pos.X += 3
			}
		}
		Shoot.Run(rep)
	})

	fire = true
	steps(30)
	d, _ := Duck.First(server.World())
	fmt.Println("hits:", Duck.Get(d).Hits)
	// Output:
	// aimed at where it is now: false at where it was: true
	// hits: 1
}

// A fuse that burns for a second. The wake that Apply asks for is predicted like the rest; what
// it waits for is a replicated field, so that a fuse which the server has put out stays out.
func ExampleWake() {
	type fuse struct {
		Ends  rpl.Tick `rpl:""`
		Bangs uint8    `rpl:""`
	}
	p := tendon.NewProtocol("fuse")
	Fuse := tendon.Replicate(p, "fuse", donburi.NewComponentType[fuse]())
	Light := tendon.NewCommand[bool](p, "light", Fuse)

	press := false
	server, client, steps := far(p, tendon.Config{}, func(rep *tendon.Replication) {
		rep.OnJoin(func(peer rpl.Peer) { tendon.Give(rep.Create(Fuse), peer) })
		Light.Sample(rep, func(*donburi.Entry) bool { return press })
		Light.Apply(rep, func(c tendon.Call, light bool) {
			if f := Fuse.Get(c.Entry); light && f.Ends == 0 {
				f.Ends = c.Tick + 60
				tendon.Wake(c.Entry, f.Ends)
			}
		})
		rep.OnWake(Fuse, func(c tendon.Call) {
			if f := Fuse.Get(c.Entry); f.Ends == c.Tick {
				f.Ends = 0
				f.Bangs++
			}
		})
	}, func(rep *tendon.Replication) { Light.Run(rep) })

	bangs := func(rep *tendon.Replication) uint8 { e, _ := Fuse.First(rep.World()); return Fuse.Get(e).Bangs }
	press = true
	steps(1)
	press = false
	steps(62)
	fmt.Println("a second later: on the player's machine", bangs(client), "on the server", bangs(server))
	steps(20)
	fmt.Println("and then: on the player's machine", bangs(client), "on the server", bangs(server))
	// Output:
	// a second later: on the player's machine 1 on the server 0
	// and then: on the player's machine 1 on the server 1
}

// Lifts that go up and down: each machine computes where they are, and nothing is sent while they
// do. Who joins later sees them where they are.
func ExampleReckon() {
	type lift struct {
		Y float64 `rpl:"step=1/32,interp,tol=1/4"`
	}
	p := tendon.NewProtocol("lifts")
	run := func(_ donburi.World, t rpl.Tick, l *lift) { l.Y = math.Abs(float64(t%240) - 120) }
	Lift := tendon.Reckon(p, tendon.Replicate(p, "lift", donburi.NewComponentType[lift]()), run)

	server, client, steps := far(p, tendon.Config{}, func(rep *tendon.Replication) {
		rep.OnStart(func() {
			for range 100 {
				rep.Create(Lift)
			}
		})
	}, func(rep *tendon.Replication) {
		for e := range Lift.Iter(rep.World()) {
			if tendon.IsAuthority(e) {
				run(rep.World(), rep.Tick(), Lift.Get(e))
			}
		}
	})

	e, _ := Lift.First(client.World())
	before, sent := Lift.Get(e).Y, server.Stats(client.Me()).Conn.BytesOut
	steps(60)
	fmt.Println("it moves:", Lift.Get(e).Y != before)
	fmt.Println("bytes a second and lift, headers and all, below 10:", server.Stats(client.Me()).Conn.BytesOut-sent < 10*100)
	// Output:
	// it moves: true
	// bytes a second and lift, headers and all, below 10: true
}
