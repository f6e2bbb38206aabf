package rpl_test

import (
	"bytes"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A last state that is too long to go with the removal is counted, and logged with its component
// and a remedy; one that is short goes.
func TestLastStateTooLong(t *testing.T) {
	type will struct {
		Text string `rpl:"max=2000"`
	}
	for _, c := range []struct {
		length  int
		tooLong uint64
	}{{100, 0}, {1000, 1}} {
		s := rpl.NewSchema("wills")
		item := s.Item("will", reflect.TypeFor[will](), nil)
		var log bytes.Buffer
		net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, Log: slog.New(slog.NewTextHandler(&log, nil))}, 1, netsim.Conditions{})
		if err != nil {
			t.Fatal(err)
		}
		id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{item}})
		if err != nil {
			t.Fatal(err)
		}
		client, err := net.Join(2)
		if err != nil {
			t.Fatal(err)
		}
		now := will{"nothing yet"}
		set := func(rpl.Tick) {
			it, _ := net.A.Item(id, 0)
			net.A.Set(it, unsafe.Pointer(&now))
		}
		for range 60 {
			net.Tick(set)
		}
		if _, ok := client.P.Replica(id); !ok {
			t.Fatal("the node is not there")
		}
		net.Tick(func(now2 rpl.Tick) {
			now.Text = strings.Repeat("x", c.length)
			set(now2)
			net.A.Remove(id)
		})
		for range 60 {
			net.Tick(nil)
		}
		if n := net.A.Counters().LastTooLong; n != c.tooLong || strings.Count(log.String(), "component=will") != int(c.tooLong) {
			t.Errorf("%d bytes: counted %d times, want %d: %s", c.length, n, c.tooLong, log.String())
		}
	}
}
