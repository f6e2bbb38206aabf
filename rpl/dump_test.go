package rpl_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
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
		if len(nodes) != 2 || nodes[1].Name != "door/1" || len(nodes[1].Items) != 2 || !nodes[1].Told {
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
