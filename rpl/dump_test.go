package rpl_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A dump has the values that a peer may see, in the game's units, and no others.
func TestDump(t *testing.T) {
	sch := newRandomSchema()
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: sch.s, Hz: 60}, 1, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	n, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{sch.body, sch.extra[1]}, Owner: 2, Name: "door/1"})
	if err != nil {
		t.Fatal(err)
	}
	for p := range 2 {
		if _, err := net.Join(rpl.Peer(p + 2)); err != nil {
			t.Fatal(err)
		}
	}
	body := bodyItem{Pos: xy{12.5, -3}, HP: 77}
	secret := secretItem{Open: 5, Word: "the word", Token: 123}
	for ord, p := range []unsafe.Pointer{unsafe.Pointer(&body), unsafe.Pointer(&secret)} {
		it, _ := net.A.Item(n, ord)
		net.A.Set(it, p)
	}
	for range 5 {
		net.Tick(nil)
	}
	for peer, has := range map[rpl.Peer]bool{2: true, 3: false} {
		b, err := net.A.Dump(peer)
		if err != nil {
			t.Fatal(err)
		}
		var nodes []rpl.DumpedNode
		if err := json.Unmarshal(b, &nodes); err != nil {
			t.Fatal(err)
		}
		if len(nodes) != 2 || nodes[1].Name != "door/1" || len(nodes[1].Items) != 2 || !nodes[1].Sent {
			t.Fatalf("peer %d: %s", peer, b)
		}
		props := nodes[1].Items[0].Props
		if fmt.Sprint(props["Pos"]) != "[12.5 -3]" || props["HP"] != 77.0 {
			t.Errorf("peer %d: %v", peer, props)
		}
		if strings.Contains(string(b), "the word") != has || strings.Contains(string(b), "123") != has {
			t.Errorf("peer %d: %s", peer, b)
		}
	}
	if _, err := net.A.Dump(9); err == nil {
		t.Error("nobody was dumped")
	}
}

type everyKind struct {
	F32  float32          `rpl:""`
	F64  float64          `rpl:""`
	V    xy               `rpl:""`
	NaN  float64          `rpl:""`
	Inf  [2]float32       `rpl:""`
	Q    [3]float32       `rpl:"step=1/4"`
	Turn float64          `rpl:"angle=360,step=1"`
	B    [2]bool          `rpl:""`
	I8   int8             `rpl:""`
	I    [2]int64         `rpl:""`
	U    uint64           `rpl:""`
	U32  uint32           `rpl:""`
	Wait time.Duration    `rpl:""`
	Some rpl.Opt[uint32]  `rpl:""`
	None rpl.Opt[float64] `rpl:""`
	Text string           `rpl:"max=20"`
	In   struct {
		N uint16 `rpl:""`
	} `rpl:""`
}

// A dump and a trace have the values of fields of every kind as Go has them, not the words
// in which they travel.
func TestDumpOfEveryKind(t *testing.T) {
	s := rpl.NewSchema("kinds")
	it := s.Item("kinds", reflect.TypeFor[everyKind](), nil)
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60}, 1, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	n, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{it}})
	if err != nil {
		t.Fatal(err)
	}
	client, err := net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	var traced string
	client.P.Trace(func(line []byte) { traced += string(line) + "\n" })
	v := everyKind{
		F32: 0.1, F64: -1e300, V: xy{1.25, -3}, NaN: math.NaN(), Inf: [2]float32{float32(math.Inf(1)), 2},
		Q: [3]float32{1, 2.5, -3}, Turn: 270, B: [2]bool{true, false}, I8: -3, I: [2]int64{math.MinInt64, 5_000_000_000},
		U: math.MaxUint64, U32: 4_000_000_000, Wait: time.Minute, Some: rpl.Some(uint32(3_000_000_000)), Text: "hi",
	}
	v.In.N = 65535
	item, _ := net.A.Item(n, 0)
	net.A.Set(item, unsafe.Pointer(&v))
	for range 5 {
		net.Tick(nil)
	}
	dumped, err := net.A.Dump(2)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"B":[true,false],"F32":0.1,"F64":-1e+300,"I":[-9223372036854775808,5000000000],"I8":-3,"In.N":65535,"Inf":["+Inf",2],` +
		`"NaN":"NaN","None":false,"None.value":0,"Q":[1,2.5,-3],"Some":true,"Some.value":3000000000,"Text":"hi","Turn":270,` +
		`"U":18446744073709551615,"U32":4000000000,"V":[1.25,-3],"Wait":60000000000}`
	for what, got := range map[string]string{"dump": string(dumped), "trace": traced} {
		if !strings.Contains(got, want) {
			t.Errorf("the %s is\n%s\nwant\n%s", what, got, want)
		}
	}
}
