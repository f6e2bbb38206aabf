package ecs_test

// Kinds of props in whole sessions: nested structs, arrays, lists, maps, optional values,
// many props, references and values that exceed a datagram; and how many bytes of them
// travel.

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// The protocol of these tests.
var (
	props = tendon.NewProtocol("props test")

	Kit   = tendon.Replicate(props, "kit", donburi.NewComponentType[KitData]())
	Maybe = tendon.Replicate(props, "maybe", donburi.NewComponentType[MaybeData]())
	Wide  = tendon.Replicate(props, "wide", donburi.NewComponentType[WideData]())
	Team  = tendon.Replicate(props, "team", donburi.NewComponentType[TeamData]())
	Book  = tendon.Replicate(props, "book", donburi.NewComponentType[BookData]())
	Hand  = tendon.Replicate(props, "hand", donburi.NewComponentType[HandData]())
	Pulse = tendon.Replicate(props, "pulse", donburi.NewComponentType[PulseData]())
	Spark = tendon.NewPrefab(props, "spark", newSpark, sparkNode)
	Pick  = tendon.NewRPC[PickArgs](props, "pick", rpl.ToServer, rpl.Reliable)
)

type (
	// KitData has a prop of each kind that holds several values.
	KitData struct {
		Smith SmithData        `rpl:""`
		Belt  [100]uint16      `rpl:""`
		Pack  []StackData      `rpl:"max=120"`
		Purse map[string]int32 `rpl:"max=100,each=16"`
		Keys  map[int]string   `rpl:"max=8,each=16"`
	}
	SmithData struct {
		Name string   `rpl:"max=16"`
		Rank uint8    `rpl:""`
		Tool ToolData `rpl:""`
		note string   // each machine's own
	}
	ToolData struct {
		Kind uint16 `rpl:""`
		Wear uint8  `rpl:""`
	}
	StackData struct {
		Item  uint32 `rpl:""`
		Count uint8  `rpl:""`
		icon  string // each machine's own
	}
	// TeamData refers to nodes.
	TeamData struct {
		Lead  donburi.Entity            `rpl:""`
		Crew  []donburi.Entity          `rpl:"max=8"`
		Posts map[string]donburi.Entity `rpl:"max=4,each=8"`
	}
	// BookData may be larger than a datagram.
	BookData struct {
		Text  string `rpl:"max=8000,notify"`
		Plate []byte `rpl:"max=8000"`
	}
	PickArgs struct {
		First donburi.Entity   `rpl:""`
		Rest  []donburi.Entity `rpl:"max=4"`
		Sums  map[string]int32 `rpl:"max=2,each=8"`
	}
)

// play adds a machine with its own protocol.
func (l *lab) play(p *tendon.Protocol, name string, c tendon.Config) *machine {
	l.Helper()
	r, err := tendon.New(donburi.NewWorld(), p, c)
	if err != nil {
		l.Fatal(err)
	}
	m := &machine{Replication: r, lab: l, name: name}
	r.OnEnd(func(err error) { m.ended = err })
	l.machines = append(l.machines, m)
	return m
}

// weighedServer adds a server of these tests' protocol, whose packets a scale keeps.
func (l *lab) weighedServer() (*machine, *scale) {
	l.Helper()
	m, s := l.play(props, "server", tendon.Config{}), &scale{Listener: l.listener}
	m.Host(s)
	return m, s
}

func (l *lab) guest(name string) *machine {
	l.Helper()
	m := l.play(props, name, tendon.Config{})
	m.joins = true
	m.Join(l.net.Dialer(l.listener))
	return m
}

var networks = map[string]netsim.Conditions{
	"lan":   lan,
	"lossy": {Delay: 40e6, Jitter: 20e6, Loss: 0.2, Duplicate: 0.05},
}

func fullKit() KitData {
	k := KitData{Smith: SmithData{Name: "Wayland", Rank: 3, Tool: ToolData{Kind: 1000, Wear: 9}}, Purse: map[string]int32{}, Keys: map[int]string{-3: "shed", 70000: "gate"}}
	rng := rand.New(rand.NewPCG(1, 1)) // no pattern that a code table could fit
	for i := range k.Belt {
		k.Belt[i] = uint16(rng.Uint32())
		k.Pack = append(k.Pack, StackData{Item: rng.Uint32(), Count: uint8(rng.Uint32())})
		k.Purse[fmt.Sprint("coin ", i)] = int32(rng.Uint32() >> 1)
	}
	return k
}

// tagged returns the kit without the fields that each machine keeps for itself.
func (k KitData) tagged() KitData {
	k.Smith.note = ""
	k.Pack = slices.Clone(k.Pack)
	for i := range k.Pack {
		k.Pack[i].icon = ""
	}
	k.Purse, k.Keys = maps.Clone(k.Purse), maps.Clone(k.Keys)
	return k
}

func sameKit(a, b KitData) bool { return reflect.DeepEqual(a.tagged(), b.tagged()) }

// edits are changes of a kit, with the bytes that the largest packet of each may have. The
// whole kit takes thousands.
var edits = []struct {
	name string
	edit func(k *KitData)
	most int
}{
	{"a field of a nested struct", func(k *KitData) { k.Smith.Rank++ }, 12},
	{"a field two structs down", func(k *KitData) { k.Smith.Tool.Wear++ }, 12},
	{"an element of an array", func(k *KitData) { k.Belt[70] ^= 0x5555 }, 16},
	{"an element of a list", func(k *KitData) { k.Pack[50].Count ^= 0x55 }, 20},
	{"two elements of a list", func(k *KitData) { k.Pack[3].Count++; k.Pack[97].Item++ }, 24},
	{"insert into a list", func(k *KitData) { k.Pack = slices.Insert(k.Pack, 40, StackData{Item: 77, Count: 7}) }, 22},
	{"append to a list", func(k *KitData) { k.Pack = append(k.Pack, StackData{Item: 78, Count: 8}) }, 20},
	{"remove from a list", func(k *KitData) { k.Pack = slices.Delete(k.Pack, 10, 11) }, 20},
	{"move in a list", func(k *KitData) {
		s := k.Pack[60]
		k.Pack = slices.Insert(slices.Delete(k.Pack, 60, 61), 5, s)
	}, 24},
	{"a value of a map", func(k *KitData) { k.Purse["coin 50"]++ }, 20},
	{"a new key of a map", func(k *KitData) { delete(k.Purse, "coin 9"); k.Purse["pearl"] = 5 }, 28},
	{"take from a map", func(k *KitData) { delete(k.Keys, -3) }, 16},
}

// M15: of nested structs, arrays, lists and maps only the changed elements travel. Lists
// keep their order, and unchanged elements keep their local fields.
func TestOnlyChangedElementsTravel(t *testing.T) {
	l := newLab(t, lan)
	server, scale := l.weighedServer()
	client := l.guest("client")
	l.joined()
	e := server.Create(Kit)
	Kit.SetValue(e, fullKit())
	id := tendon.ID(e)
	l.until("the client has it", func() bool { return client.has(id) && sameKit(*Kit.Get(client.find(id)), *Kit.Get(e)) })
	l.steps(30)

	for _, c := range edits {
		p := Kit.Get(client.find(id))
		p.Smith.note = "mine"
		for i := range p.Pack {
			p.Pack[i].icon = fmt.Sprint(p.Pack[i].Item)
		}
		scale.pans[0].empty()
		c.edit(Kit.Get(e))
		l.until(c.name, func() bool { return sameKit(*Kit.Get(client.find(id)), *Kit.Get(e)) })
		l.steps(20)
		got := scale.pans[0].heaviest()
		t.Logf("%-28s %3d bytes", c.name, got)
		if got > c.most+beside {
			t.Errorf("%s: a packet of %d bytes, more than %d", c.name, got, c.most+beside)
		}
		if n := len(scale.pans[0].messages); n != 0 {
			t.Errorf("%s: %d reliable messages", c.name, n)
		}
		p = Kit.Get(client.find(id))
		check(t, c.name+": what is local in a nested struct", p.Smith.note, "mine")
		for i, s := range p.Pack {
			if s.icon != fmt.Sprint(s.Item) && s.icon != "" && c.name != "two elements of a list" {
				t.Errorf("%s: element %d has the icon of %s", c.name, i, s.icon)
			}
		}
	}
}

// The same edits, several a step, over a bad network.
func TestElementsUnderLoss(t *testing.T) {
	l := newLab(t, networks["lossy"])
	server, _ := l.weighedServer()
	client := l.guest("client")
	l.joined()
	e := server.Create(Kit)
	Kit.SetValue(e, fullKit())
	id := tendon.ID(e)
	rng := rand.New(rand.NewPCG(l.seed, 2))
	for range 60 {
		for range rng.IntN(3) {
			k := Kit.Get(e)
			edits[rng.IntN(len(edits))].edit(k)
			if len(k.Pack) > 110 || len(k.Pack) < 99 {
				*k = fullKit()
			}
		}
		l.steps(1 + rng.IntN(3))
	}
	l.until("they are equal", func() bool { return client.has(id) && sameKit(*Kit.Get(client.find(id)), *Kit.Get(e)) })
}

// M16: a client that joins gets the full state, a client that was here gets the changes, in
// the same send and from the same component. The game only changes the component.
func TestFullStateForWhoJoins(t *testing.T) {
	for name, c := range networks {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, c)
			server, scale := l.weighedServer()
			e := server.Create(Kit)
			Kit.SetValue(e, fullKit())
			id := tendon.ID(e)
			equal := func(m *machine) bool {
				p, ok := m.Find(id)
				return ok && sameKit(*Kit.Get(p), *Kit.Get(e))
			}
			first := l.guest("first")
			l.until("the first has it", func() bool { return equal(first) })
			second := l.guest("second")
			arrivals := server.Core().Counters().Arrivals
			l.steps(20)
			if c.Loss == 0 {
				scale.pans[0].empty()
			}
			for i := range 60 { // meanwhile it changes
				Kit.Get(e).Pack[i].Count++
				l.steps(1)
			}
			l.until("both have all of it", func() bool { return equal(first) && equal(second) })
			if c.Loss > 0 {
				return
			}
			check(t, "arrivals for who joined, the session's counted", server.Core().Counters().Arrivals-arrivals, 2)
			if got := scale.pans[0].heaviest(); got > 64+beside {
				t.Errorf("who was here was sent a packet of %d bytes for changes of an element", got)
			}
			check(t, "messages to who was here", len(scale.pans[0].messages), 0)
			total := 0
			for _, m := range slices.Concat(scale.pans[1].datagrams, scale.pans[1].messages) {
				total += len(m)
			}
			if full := 100 * (2 + 5 + 4); total < full {
				t.Errorf("who joined was sent %d bytes, less than the %d of the values", total, full)
			}
		})
	}
}

// References in lists, maps and arguments are null where the node is not here.
func TestReferencesInLists(t *testing.T) {
	for name, c := range networks {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, c)
			server, _ := l.weighedServer()
			client := l.guest("client")
			l.joined()
			team, a, b := server.Create(Team), server.Create(Maybe), server.Create(Maybe)
			local := server.World().Create(Maybe)
			ids := []rpl.Node{tendon.ID(team), tendon.ID(a), tendon.ID(b)}
			*Team.Get(team) = TeamData{
				Lead: b.Entity(), Crew: []donburi.Entity{a.Entity(), local, b.Entity(), team.Entity()},
				Posts: map[string]donburi.Entity{"bow": a.Entity(), "stern": local},
			}
			l.until("all are there", func() bool { return client.has(ids[0]) && client.has(ids[1]) && client.has(ids[2]) })
			here := func(n int) donburi.Entity { return client.find(ids[n]).Entity() }
			want := func(crew ...donburi.Entity) func() bool {
				return func() bool { return slices.Equal(Team.Get(client.find(ids[0])).Crew, crew) }
			}
			l.until("the crew is known", want(here(1), donburi.Null, here(2), here(0)))
			check(t, "the lead", Team.Get(client.find(ids[0])).Lead, here(2))
			check(t, "a post", Team.Get(client.find(ids[0])).Posts["bow"], here(1))
			check(t, "a local entity's post", Team.Get(client.find(ids[0])).Posts["stern"], donburi.Null)

			crew := &Team.Get(server.find(ids[0])).Crew
			*crew = slices.Insert(*crew, 1, b.Entity())
			server.World().Remove(a.Entity())
			l.until("one has gone", want(donburi.Null, here(2), donburi.Null, here(2), here(0)))
			check(t, "his post", Team.Get(client.find(ids[0])).Posts["bow"], donburi.Null)

			// In arguments.
			var heard []string
			Pick.Handle(server.Replication, func(c tendon.Call, a PickArgs) {
				heard = append(heard, fmt.Sprint(a.First == b.Entity(), a.Rest[0] == server.find(ids[0]).Entity(), a.Rest[1] == donburi.Null, a.Sums))
			})
			tendon.Give(server.find(ids[0]), client.Me())
			l.until("it is his", func() bool { return tendon.IsOwner(client.find(ids[0])) })
			err := Pick.Send(client.find(ids[0]), PickArgs{First: here(2), Rest: []donburi.Entity{here(0), donburi.Null}, Sums: map[string]int32{"gold": -7}})
			if err != nil {
				t.Fatal(err)
			}
			l.until("the call has come", func() bool { return len(heard) > 0 })
			check(t, "the call", strings.Join(heard, ", "), "true true true map[gold:-7]")
		})
	}
}

// State that exceeds a datagram travels as a block, at arrival and as a change.
func TestLargerThanADatagram(t *testing.T) {
	for name, c := range networks {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, c)
			server, scale := l.weighedServer()
			client := l.guest("client")
			changes := 0
			tendon.OnChange(client.Replication, Book, func(*donburi.Entry, BookData) { changes++ })
			l.joined()
			rng := rand.New(rand.NewPCG(l.seed, 3))
			noise := func(n int) []byte {
				b := make([]byte, n)
				for i := range b {
					b[i] = byte(rng.Uint32())
				}
				return b
			}
			e := server.Create(Book, Pulse)
			*Book.Get(e) = BookData{Text: strings.Repeat("Chapter. ", 400), Plate: noise(5000)}
			id := tendon.ID(e)
			equal := func() bool {
				p, ok := client.Find(id)
				return ok && reflect.DeepEqual(Book.Get(p), Book.Get(e))
			}
			l.until("it has arrived", equal)
			check(t, "blocks", server.Core().Counters().Blocks, 1)

			Book.Get(e).Plate = noise(7000)
			Book.Get(e).Text += "The end."
			l.until("it has changed", equal)
			if n := server.Core().Counters().Blocks; n < 2 {
				t.Errorf("%d blocks", n)
			}
			l.steps(60)
			scale.pans[0].empty()
			Book.Get(e).Text += " Or not."
			Pulse.Get(e).N++
			l.until("a small change of it has come", equal)
			if c.Loss == 0 {
				check(t, "messages about a small change", len(scale.pans[0].messages), 0)
			}
			check(t, "OnChange", changes, 3)
			for _, d := range scale.pans[0].datagrams {
				if len(d) > rpl.PacketRoom {
					t.Errorf("a datagram of %d bytes", len(d))
				}
			}
		})
	}
}
