package rpl_test

import (
	"fmt"
	"reflect"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/bits"
)

// A codec for a type of another package, registered once, serves every tagged field of
// that type. It needs only Extract and Inject; this one also has a wire format of its
// own, and refuses values that cannot be.
func ExampleRegister() {
	s := rpl.NewSchema("example")
	rpl.Register(s, rpl.Codec[time.Duration, uint32]{
		Name:    "seconds",
		Extract: func(d *time.Duration) uint32 { return uint32(*d / time.Second) },
		Inject:  func(d *time.Duration, s uint32) { *d = time.Duration(s) * time.Second },
		Encode:  func(w *bits.Writer, s uint32) { w.Uvarint(uint64(s)) },
		Decode: func(r *bits.Reader) (uint32, error) {
			s := r.Uvarint()
			if s > 86400 {
				return 0, rpl.ErrRefused
			}
			return uint32(s), nil
		},
	})
	type timer struct {
		Left time.Duration   `rpl:""`
		Laps []time.Duration `rpl:"max=8"`
	}
	item := s.Item("timer", reflect.TypeFor[timer](), nil)
	if err := s.Freeze(60); err != nil {
		fmt.Println(err)
		return
	}

	// What the stream does: it takes a snapshot here, encodes it, and injects it there.
	here := timer{Left: 90 * time.Second, Laps: []time.Duration{41 * time.Second, 42 * time.Second}}
	words, vars := make([]int32, len(item.Words)), make([]any, len(item.Vars))
	item.Extract(unsafe.Pointer(&here), words, vars, nil)
	for i, v := range item.Vars {
		b := v.Type.Append(nil, vars[i])
		fmt.Printf("%s takes %d bytes\n", item.Props[v.Prop].Name, len(b))
		got, err := v.Type.Parse(b)
		if err != nil {
			fmt.Println(err)
		}
		vars[i] = got
	}
	var there timer
	item.Inject(unsafe.Pointer(&there), words, vars, nil)
	fmt.Println(there)

	_, err := item.Vars[0].Type.Parse([]byte{0xff, 0xff, 0xff, 0x7f})
	fmt.Println(err)
	// Output:
	// Left takes 1 bytes
	// Laps takes 3 bytes
	// {1m30s [41s 42s]}
	// codec seconds: refused
}

// An authority and a proxy without an ECS: the proxy shows the state that the authority
// is given.
func Example() {
	schema := rpl.NewSchema("lamps")
	type lamp struct {
		Lit bool `rpl:""`
	}
	item := schema.Item("lamp", reflect.TypeFor[lamp](), nil)
	if err := schema.Freeze(60); err != nil {
		fmt.Println(err)
		return
	}
	server, err := rpl.NewAuthority(rpl.AuthorityConfig{Schema: schema, Hz: 60, Local: rpl.Server})
	if err != nil {
		fmt.Println(err)
		return
	}
	const ann rpl.Peer = 2
	client, err := rpl.NewProxy(rpl.ProxyConfig{Schema: schema, Hz: 60}, ann)
	if err != nil {
		fmt.Println(err)
		return
	}
	server.Connect(ann)
	node, _ := server.Spawn(rpl.Spawn{Items: []*rpl.ItemType{item}})
	lampHere, _ := server.Item(node, 0)
	var here lamp

	down := &wire{send: func(seq uint64, b []byte) { client.Receive(seq, 0, b) }}
	up := &wire{send: func(seq uint64, b []byte) { server.Receive(ann, seq, 0, b) }}
	for tick := rpl.Tick(1); tick <= 4; tick++ {
		now := time.Duration(tick) * time.Second / 60
		server.Step(tick)
		here.Lit = tick >= 3
		server.Set(lampHere, unsafe.Pointer(&here))
		server.Stream(now)
		server.Schedule(now)
		server.Encode(ann, now, down)

		client.Step(tick)
		client.Apply(now, quiet{})
		client.Send(now, up)
		if r, ok := client.Replica(node); ok {
			var there lamp
			client.Inject(r, 0, item, unsafe.Pointer(&there))
			fmt.Println(tick, r.ID, there.Lit)
		}
	}
	// Output:
	// 1 node 1.1 false
	// 2 node 1.1 false
	// 3 node 1.1 true
	// 4 node 1.1 true
}

// A wire is a Sink that delivers every datagram at once.
type wire struct {
	seq  uint64
	send func(seq uint64, b []byte)
}

func (w *wire) Next() (uint64, int)   { w.seq++; return w.seq, rpl.PacketRoom }
func (w *wire) Datagram(b []byte)     { w.send(w.seq, b) }
func (w *wire) Reliable([]byte) error { return nil } // not needed here

// quiet is a ProxyHandler that does nothing.
type quiet struct{}

func (quiet) Arrived(*rpl.Replica)                         {}
func (quiet) Loaded(*rpl.Replica)                          {}
func (quiet) ItemAdded(*rpl.Replica, int)                  {}
func (quiet) ItemRemoved(*rpl.Replica, int, *rpl.ItemType) {}
func (quiet) Owned(*rpl.Replica, rpl.Peer)                 {}
func (quiet) Reparenting(*rpl.Replica)                     {}
func (quiet) Parented(*rpl.Replica, rpl.Node)              {}
func (quiet) Changed(*rpl.Replica, int, rpl.Tick)          {}
func (quiet) Advanced(*rpl.Replica, int, rpl.Tick)         {}
func (quiet) Run(rpl.Call)                                 {}
func (quiet) Gone(*rpl.Replica, rpl.Tick, bool)            {}
