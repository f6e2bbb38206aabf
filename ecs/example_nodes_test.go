package ecs_test

// Examples of nodes: who owns them, what they are attached to, how they are made, and
// calls on them. Each opens a listen server and a client in memory.

import (
	"fmt"
	"time"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// together opens a listen server and a client that has joined it, over a network in
// memory. play runs both for a second.
func together(p *tendon.Protocol, setup func(rep *tendon.Replication)) (server, client *tendon.Replication, play func()) {
	open := func() *tendon.Replication {
		rep, err := tendon.New(donburi.NewWorld(), p, tendon.Config{})
		if err != nil {
			panic(err)
		}
		setup(rep)
		return rep
	}
	network := mem.NewNetwork(1, netsim.Conditions{Delay: 30 * time.Millisecond, Loss: 0.02})
	listener := network.Listener()
	server, client = open(), open()
	server.Host(listener)
	client.Join(network.Dialer(listener))
	play = func() {
		for range 60 {
			network.Advance(time.Second / 60)
			for _, rep := range []*tendon.Replication{server, client} {
				rep.Receive()
				rep.Send()
			}
		}
	}
	play()
	return server, client, play
}

// The peer that drives a node is its owner. Code that drives the node asks IsOwner or
// Mine; code that decides about it asks IsAuthority.
func ExampleGive() {
	type kart struct {
		Fuel uint8 `rpl:""`
	}
	p := tendon.NewProtocol("karts")
	Kart := tendon.Replicate(p, "kart", donburi.NewComponentType[kart]())
	server, client, play := together(p, func(rep *tendon.Replication) {
		rep.OnJoin(func(p rpl.Peer) { // the server's own player joins too
			tendon.Give(rep.Create(Kart), p)
		})
	})
	mine, _ := tendon.Mine(client, Kart)
	fmt.Println("the client drives", tendon.ID(mine), "and decides:", tendon.IsAuthority(mine))

	// The server gives the client's kart to its own player.
	kart2, _ := server.Find(tendon.ID(mine))
	tendon.Give(kart2, server.Me())
	play()
	_, driving := tendon.Mine(client, Kart)
	fmt.Println("the client drives:", driving)
	// Output:
	// the client drives node 2.1 and decides: false
	// the client drives: false
}

// A character enters a car: attached nodes stream in and out together.
func ExampleAttach() {
	type seat struct {
		Name string `rpl:"max=16"`
	}
	p := tendon.NewProtocol("cars")
	Seat := tendon.Replicate(p, "seat", donburi.NewComponentType[seat]())
	server, client, play := together(p, func(*tendon.Replication) {})

	car, driver := server.Create(Seat), server.Create(Seat)
	Seat.Get(car).Name, Seat.Get(driver).Name = "car", "driver"
	if err := tendon.Attach(driver, car); err != nil {
		fmt.Println(err)
	}
	show := func() {
		for e := range Seat.Iter(client.World()) {
			if parent := components.Parent.Get(e).Entity; parent != donburi.Null {
				fmt.Println("the", Seat.Get(e).Name, "is in the", Seat.Get(client.World().Entry(parent)).Name)
			} else {
				fmt.Println("the", Seat.Get(e).Name, "is on its own")
			}
		}
	}
	play()
	show()
	if err := tendon.Attach(car, driver); err != nil {
		fmt.Println(err)
	}
	tendon.Attach(driver, nil)
	play()
	show()
	// Output:
	// the car is on its own
	// the driver is in the car
	// tendon: Attach: rpl: node 1.1 under node 2.1: a node cannot be below itself
	// the car is on its own
	// the driver is on its own
}

// Both sides build load-time nodes by themselves, under the same name. Only the differences
// travel.
func ExampleNamed() {
	type door struct {
		Open bool `rpl:"notify"`
	}
	p := tendon.NewProtocol("doors")
	Door := tendon.Replicate(p, "door", donburi.NewComponentType[door]())
	Hinge := donburi.NewComponentType[string]() // local
	doors := map[*tendon.Replication]donburi.Entity{}
	server, client, play := together(p, func(rep *tendon.Replication) {
		e := rep.World().Entry(rep.World().Create(Door, Hinge))
		Hinge.SetValue(e, "rusty")
		tendon.Named(e, "door/cellar")
		doors[rep] = e.Entity()
		tendon.OnChange(rep, Door, func(e *donburi.Entry, _ door) {
			fmt.Println(rep.Mode(), "hears a", *Hinge.Get(e), "door")
		})
	})
	Door.Get(server.World().Entry(doors[server])).Open = true
	play()
	fmt.Println("open at the client:", Door.Get(client.World().Entry(doors[client])).Open)
	// Output:
	// listen server hears a rusty door
	// client hears a rusty door
	// open at the client: true
}

// A call is typed and runs where its target says. Only the node's owner may call the
// server.
func ExampleRPC() {
	type order struct {
		Dish  string `rpl:"max=16"`
		Count uint8  `rpl:"max=9"`
	}
	type table struct {
		Waiting uint8 `rpl:""`
	}
	p := tendon.NewProtocol("restaurant")
	Table := tendon.Replicate(p, "table", donburi.NewComponentType[table]())
	Order := tendon.NewRPC[order](p, "order", rpl.ToServer, rpl.Reliable).On(Table)
	Serve := tendon.NewRPC[string](p, "serve", rpl.ToOwner, rpl.Reliable)
	server, client, play := together(p, func(rep *tendon.Replication) {
		rep.OnJoin(func(p rpl.Peer) { tendon.Give(rep.Create(Table), p) })
		Order.Handle(rep, func(c tendon.Call, o order) {
			fmt.Println(rep.Mode(), "hears peer", c.From, "order", o.Count, o.Dish)
			Serve.Send(c.Entry, o.Dish)
		})
		Serve.Handle(rep, func(_ tendon.Call, dish string) { fmt.Println(rep.Mode(), "is served", dish) })
	})
	mine, _ := tendon.Mine(client, Table)
	Order.Send(mine, order{"soup", 2})
	play()
	mine, _ = tendon.Mine(server, Table) // the same call on the server's own table
	Order.Send(mine, order{"pie", 1})
	play()
	fmt.Println(Order.Send(mine, order{"pie", 100}))
	// Output:
	// listen server hears peer 2 order 2 soup
	// client is served soup
	// listen server hears peer 1 order 1 pie
	// listen server is served pie
	// tendon: arguments of rpc order, field Count: 100 is not in 0 … 9
}
