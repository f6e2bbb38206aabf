package seal

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"
)

type source struct{ *rand.Rand }

func (s source) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(s.Uint32())
	}
	return len(b), nil
}

func ends(tb testing.TB, secret, other Key) (client, listener *Handshake) {
	random := source{rand.New(rand.NewPCG(1, 2))}
	a, _ := NewPair(random)
	b, _ := NewPair(random)
	client, err := Initiate(Opening{Ours: a, Prologue: []byte("p"), Secret: secret, Random: random}, b.Public())
	if err != nil {
		tb.Fatal(err)
	}
	if listener, err = Respond(Opening{Ours: b, Prologue: []byte("p"), Secret: other, Random: random}); err != nil {
		tb.Fatal(err)
	}
	return client, listener
}

// A handshake whose messages are spoiled at any bit fails, goes on when the right ones come,
// and tells a wrong secret from other faults.
func TestHandshake(t *testing.T) {
	client, _ := ends(t, Key{}, Key{})
	one, err := client.Write1([]byte("hello"))
	if err != nil || len(one) != Message1Size+5 {
		t.Fatal(len(one), err)
	}
	for at := range one {
		_, fresh := ends(t, Key{}, Key{})
		bad := bytes.Clone(one)
		bad[at] ^= 1
		want := ErrForged
		if at >= 32+48 {
			want = ErrSecret // which cannot be told from a spoiled payload
		}
		if _, _, err := fresh.Read1(bad); !errors.Is(err, want) {
			t.Errorf("byte %d of message 1: %v, want %v", at, err, want)
		}
	}
	_, wrong := ends(t, Key{}, Key{1})
	if _, _, err := wrong.Read1(one); !errors.Is(err, ErrSecret) {
		t.Errorf("another secret: %v", err)
	}
	if sealed := wrong.Denial().SealWith(nil, make([]byte, NonceSize), nil, []byte("no")); true {
		if said, ok := client.Denial().OpenWith(nil, make([]byte, NonceSize), nil, sealed); !ok || string(said) != "no" {
			t.Error("a client cannot read why it is refused")
		}
	}
	_, listener := ends(t, Key{}, Key{})
	if said, _, err := listener.Read1(one); err != nil || string(said) != "hello" {
		t.Fatal(string(said), err)
	}
	two, down, err := listener.Write2([]byte("welcome"))
	if err != nil || len(two) != Message2Size+7 {
		t.Fatal(len(two), err)
	}
	for at := range two {
		bad := bytes.Clone(two)
		bad[at] ^= 1
		if _, _, err := client.Read2(bad); err == nil {
			t.Fatalf("byte %d of message 2", at)
		}
	}
	if _, _, err := client.Read2(append(make([]byte, 32), two[32:]...)); err == nil {
		t.Error("a point of small order is taken")
	}
	said, up, err := client.Read2(two)
	if err != nil || string(said) != "welcome" {
		t.Fatal(string(said), err)
	}
	p := up.Out.Seal([]byte("h"+"payload"), 1, 7)
	if got, ok := down.In.Open(nil, p, 1, 7); !ok || string(got) != "payload" {
		t.Error("a packet cannot be opened")
	}
	if _, ok := down.In.Open(nil, p, 1, 8); ok {
		t.Error("a packet is opened under another number")
	}
	if _, ok := down.Out.Open(nil, p, 1, 7); ok {
		t.Error("a packet is opened by its own end")
	}
}

// A cookie holds for one address, one attempt and a short time.
func TestProofs(t *testing.T) {
	p, at, other := NewProver(Key{1}), netip.MustParseAddrPort("192.0.2.1:7"), netip.MustParseAddrPort("192.0.2.1:8")
	c := p.Cookie(100*time.Second, at, 5)
	for _, x := range []struct {
		now     time.Duration
		from    netip.AddrPort
		attempt uint64
		want    bool
	}{
		{100 * time.Second, at, 5, true},
		{100*time.Second + CookieLife, at, 5, true},
		{101*time.Second + CookieLife, at, 5, false},
		{99 * time.Second, at, 5, false},
		{100 * time.Second, other, 5, false},
		{100 * time.Second, at, 6, false},
	} {
		if got := p.CookieHolds(c, x.now, x.from, x.attempt); got != x.want {
			t.Errorf("%+v: it holds: %v", x, got)
		}
	}
	tokens := map[[ResetSize]byte]bool{NewProver(Key{2}).Reset(7, 1, 9): true}
	for _, port := range []uint16{7, 8} {
		for _, id := range []uint16{1, 2} {
			for _, number := range []uint64{9, 10} {
				tokens[p.Reset(port, id, number)] = true
			}
		}
	}
	if len(tokens) != 9 {
		t.Error("two reset tokens are one")
	}
}

// To seal and open a packet allocates nothing.
func TestSealAllocatesNothing(t *testing.T) {
	c := NewCipher(Key{1})
	in, out := NewCipher(Key{1}), make([]byte, 0, 1200)
	b, seq := make([]byte, 205, 1200), uint64(0)
	if n := testing.AllocsPerRun(100, func() {
		seq++
		p := c.Seal(b, 5, seq)
		if _, ok := in.Open(out, p, 5, seq); !ok {
			t.Fatal("it cannot be opened")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkSealOpen is a packet with 200 bytes, sealed and opened.
func BenchmarkSealOpen(b *testing.B) {
	c, in := NewCipher(Key{1}), NewCipher(Key{1})
	out, p, seq := make([]byte, 0, 1200), make([]byte, 205, 1200), uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		seq++
		if _, ok := in.Open(out, c.Seal(p, 5, seq), 5, seq); !ok {
			b.Fatal("it cannot be opened")
		}
	}
}

// BenchmarkListener is a listener's part of a handshake.
func BenchmarkListener(b *testing.B) {
	client, _ := ends(b, Key{}, Key{})
	one, _ := client.Write1(make([]byte, 100))
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		_, l := ends(b, Key{}, Key{})
		b.StartTimer()
		if _, _, err := l.Read1(one); err != nil {
			b.Fatal(err)
		}
		if _, _, err := l.Write2(make([]byte, 18)); err != nil {
			b.Fatal(err)
		}
	}
}
