package rpl_test

// Codecs of a game that write more than they may.

import (
	"bytes"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/bits"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A value whose codec writes more than its bound is not told: peers keep the value before
// it, nothing that they get is refused, and the log names the field once. A shorter value
// is told again.
func TestCodecsKeepTheirBound(t *testing.T) {
	type scroll struct{ text string }
	type page struct {
		Count  int32  `rpl:""`
		Scroll scroll `rpl:""`
	}
	s := rpl.NewSchema("scrolls")
	rpl.Register(s, rpl.Codec[scroll, string]{
		Name: "scroll", MaxBytes: 60_000,
		Extract: func(v *scroll) string { return v.text },
		Inject:  func(v *scroll, s string) { v.text = s },
		Encode:  func(w *bits.Writer, s string) { w.String(s) },
		Decode:  func(r *bits.Reader) (string, error) { return r.String(1 << 20), nil },
	})
	item := s.Item("page", reflect.TypeFor[page](), nil)
	var log bytes.Buffer
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, Log: slog.New(slog.NewTextHandler(&log, nil))}, 1, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	var ids [2]rpl.Node
	for i := range ids {
		if ids[i], err = net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{item}}); err != nil {
			t.Fatal(err)
		}
	}
	id := ids[0]
	c, err := net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"short", strings.Repeat("long ", 20_000), "short again"} {
		now := page{int32(i), scroll{text}}
		for range 60 {
			net.Tick(func(rpl.Tick) {
				for _, id := range ids {
					it, _ := net.A.Item(id, 0)
					net.A.Set(it, unsafe.Pointer(&now))
				}
			})
		}
		want := now
		if len(text) > 60_000 {
			want.Scroll.text = "short"
		}
		r, ok := c.P.Replica(id)
		if !ok {
			t.Fatal("the node is not there")
		}
		var got page
		if c.P.Inject(r, 0, item, unsafe.Pointer(&got)); got != want {
			t.Errorf("%d: it has %d bytes of %d, want %d of %d", i, len(got.Scroll.text), got.Count, len(want.Scroll.text), want.Count)
		}
	}
	if n := c.P.Counters().Refused; n > 0 {
		t.Errorf("%d packets and messages were refused", n)
	}
	if n := strings.Count(log.String(), "Scroll"); n != 1 || net.A.Counters().TooLong == 0 {
		t.Errorf("counted %d times, logged %d times: %s", net.A.Counters().TooLong, n, log.String())
	}
}

// A codec may find that the difference between two values is longer than a value: the value
// is told whole then, however long the difference is.
func TestCodecsDeltasKeepTheirBound(t *testing.T) {
	type scroll struct{ text string }
	type page struct {
		Scroll scroll `rpl:""`
	}
	s := rpl.NewSchema("deltas")
	deltas := 0
	rpl.Register(s, rpl.Codec[scroll, string]{
		Name: "scroll", MaxBytes: 100,
		Extract: func(v *scroll) string { return v.text },
		Inject:  func(v *scroll, s string) { v.text = s },
		Encode:  func(w *bits.Writer, s string) { w.String(s) },
		Decode:  func(r *bits.Reader) (string, error) { return r.String(1 << 20), nil },
		EncodeDelta: func(w *bits.Writer, _, s string) {
			w.String(s)
			w.String(strings.Repeat("because ", 10*len(s)*len(s)))
		},
		DecodeDelta: func(r *bits.Reader, _ string) (string, error) {
			deltas++
			s := r.String(1 << 20)
			r.String(1 << 20)
			return s, nil
		},
	})
	item := s.Item("page", reflect.TypeFor[page](), nil)
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60}, 1, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{item}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"short", strings.Repeat("long ", 10), "x", "", strings.Repeat("long ", 15), "1"} {
		now := page{scroll{text}}
		for range 60 {
			net.Tick(func(rpl.Tick) {
				it, _ := net.A.Item(id, 0)
				net.A.Set(it, unsafe.Pointer(&now))
			})
		}
		r, ok := c.P.Replica(id)
		if !ok {
			t.Fatal("the node is not there")
		}
		var got page
		if c.P.Inject(r, 0, item, unsafe.Pointer(&got)); got != now {
			t.Errorf("it has %q, not %q", got.Scroll.text, text)
		}
	}
	if n := c.P.Counters().Refused; n > 0 || deltas == 0 {
		t.Errorf("%d packets and messages were refused, and %d differences were read", n, deltas)
	}
}
