package ecs_test

// Examples of a group and of an Everywhere call.

import (
	"fmt"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// A field and a whole node go to one team only. A peer that asks is let in and is sent both
// from then on.
func ExampleGroup() {
	type base struct {
		Flag string `rpl:"max=16"`
		Plan string `rpl:"max=16,to=red"`
	}
	p := tendon.NewProtocol("teams")
	Red := tendon.NewGroup(p, "red")
	Base := tendon.Replicate(p, "base", donburi.NewComponentType[base]())
	server, client, play := together(p, func(rep *tendon.Replication) {
		Red.Allow(rep, func(p rpl.Peer) bool { return true })
	})

	home := server.Create(Base)
	Base.SetValue(home, base{Flag: "ours", Plan: "wait"})
	camp := server.Create(Base)
	Base.SetValue(camp, base{Flag: "hidden", Plan: "ambush"})
	Red.Add(camp)

	show := func(when string) {
		play()
		for e := range Base.Iter(client.World()) {
			fmt.Printf("%s: %+v\n", when, *Base.Get(e))
		}
	}
	show("outside")
	Red.Ask(client, true)
	show("inside")
	// Output:
	// outside: {Flag:ours Plan:}
	// inside: {Flag:ours Plan:wait}
	// inside: {Flag:hidden Plan:ambush}
}

// One Everywhere call by an owner runs once on each machine that has the node.
func ExampleRPC_everywhere() {
	p := tendon.NewProtocol("horns")
	Honk := tendon.NewRPC[uint8](p, "honk", rpl.Everywhere, rpl.Reliable)
	Car := tendon.Replicate(p, "car", donburi.NewComponentType[struct {
		Doors uint8 `rpl:""`
	}]())
	heard := map[rpl.Peer]int{}
	_, client, play := together(p, func(rep *tendon.Replication) {
		rep.OnJoin(func(p rpl.Peer) {
			if p != rpl.Server {
				tendon.Give(rep.Create(Car), p)
			}
		})
		Honk.Handle(rep, func(c tendon.Call, times uint8) { heard[rep.Me()] += int(times) })
	})
	play()
	car, _ := tendon.Mine(client, Car)
	if err := Honk.Send(car, 2); err != nil {
		fmt.Println(err)
	}
	play()
	fmt.Println("the server heard", heard[rpl.Server], "and the client", heard[client.Me()])
	// Output:
	// the server heard 2 and the client 2
}
