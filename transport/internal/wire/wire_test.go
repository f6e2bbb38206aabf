package wire

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/lane"
)

func sealed(k Kind, payload ...byte) []byte {
	return End(append(Begin(nil, k, true, 0x01020304, 0x1122), payload...))
}

// The code agrees with the test vectors of docs/spec-transport.md.
func TestVectors(t *testing.T) {
	hello := HelloMessage{Attempt: 0x1122334455667788, GameHash: HashGame("pong"), Schema: 0x0102030405060708, Game: "pong", Hello: []byte("Ada")}.Append(nil)
	vectors := readVectors(t, "../../../docs/spec-transport.md")
	for _, x := range []struct {
		name string
		b    []byte
	}{
		{"keepalive, from the listener", sealed(Keepalive)},
		{"datagram aabb, from the listener", sealed(Datagram, 0xaa, 0xbb)},
		{`close, from the listener: kicked, "afk"`, sealed(Close, AppendReason(nil, Kicked, "afk")...)},
		{"ACCEPT", AcceptMessage{Attempt: 0x1122334455667788, ID: 0x01020304}.Append(nil)},
		{`REFUSE: another game, "pong"`, RefuseMessage{Version: Version, Attempt: 0x1122334455667788, Reason: OtherGame, Detail: []byte("pong")}.Append(nil)},
		{`HELLO of "pong", schema 0x0102030405060708, "Ada", its first 27 bytes`, hello[:27]},
		{"… and from offset 155, its zeros left out", bytes.TrimRight(hello[155:], "\x00")},
	} {
		want, ok := vectors[x.name]
		if !ok {
			t.Errorf("the page has no vector %q", x.name)
		}
		if got := hex.EncodeToString(x.b); got != want {
			t.Errorf("%s is\n%s, the page says\n%s", x.name, got, want)
		}
		delete(vectors, x.name)
	}
	for name := range vectors {
		t.Errorf("no test reads the vector %q", name)
	}
}

// The limits in docs/spec-transport.md are those of the code.
func TestLimitsOfThePage(t *testing.T) {
	b, err := os.ReadFile("../../../docs/spec-transport.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	n := func(n int) string { // 65792 is written 65,792
		if n < 1000 {
			return strconv.Itoa(n)
		}
		return fmt.Sprintf("%d,%03d", n/1000, n%1000)
	}
	d := func(d time.Duration) string {
		if d%time.Second == 0 {
			return fmt.Sprintf("%d s", d/time.Second)
		}
		return fmt.Sprintf("%d ms", d/time.Millisecond)
	}
	for _, line := range []string{
		"| UDP payload; of it for both lanes | " + n(transport.MaxPacket) + "; " + n(transport.MaxPayload) + " |",
		"| message of the reliable lane | " + n(transport.MaxMessage) + " |",
		"| queue of the reliable lane, a peer | " + n(transport.MaxQueued) + " bytes, " + n(transport.MaxQueuedMessages) + " messages |",
		"| segments unacknowledged; behind one that was repeated | " + n(lane.MaxWaiting) + "; " + n(lane.MaxBehind) + ", " + n(lane.MaxWaiting*lane.MaxChunk) + " bytes |",
		"| game's name; client's hello; digest; reason | " + n(transport.MaxGame) + "; " + n(transport.MaxHello) + "; " + n(transport.MaxDigest) + "; " + n(transport.MaxReason) + " |",
		"| connections; of them half-open | " + n(transport.MaxPeers) + "; " + n(transport.MaxHalfOpen) + " for " + d(transport.HalfOpenTimeout) + " |",
		"| HELLO repeated; given up | " + d(transport.HelloInterval) + "; " + d(transport.ConnectTimeout) + " |",
		"| keepalive; silence | " + d(transport.Keepalive) + "; " + d(transport.SilenceTimeout) + " |",
		"| close packets | " + n(transport.CloseCopies) + " |",
		"| replay window | " + n(transport.ReplayWindow) + " |",
		fmt.Sprintf("| packets that await the game | %d MiB with 48 bytes a packet, %d MiB of one of a listener's peers, %d HELLOs", transport.MaxInbox>>20, transport.MaxPeerInbox>>20, transport.MaxHelloInbox),
		"1. At least " + n(transport.Overhead) + " bytes, at most " + n(transport.MaxPacket) + ".",
		"chunks of 1 … " + n(lane.MaxChunk) + " bytes",
		"segments are accepted, of " + n(lane.Window),
		"windows of " + n(lane.Window) + ", runs of at most " + n(lane.MTU) + " bytes",
		fmt.Sprintf("From %v %% measured loss on, a new segment is repeated once, at least %s later; from %v %% on", 100*lane.RepeatAbove, d(lane.RepeatAfter), 100*lane.RepeatAllAbove),
		fmt.Sprintf("at most %d KiB of it", lane.MaxPending>>10),
		"A packet leaves at least " + n(transport.MinRoom) + " bytes for a datagram",
	} {
		if !strings.Contains(page, line) {
			t.Errorf("the page does not say %q", line)
		}
	}
}

// readVectors reads the table of vectors on a page, by name.
func readVectors(t *testing.T, path string) map[string]string {
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	vectors := map[string]string{}
	_, section, _ := strings.Cut(string(page), "Vectors\n")
	for _, m := range regexp.MustCompile("(?m)^\\| (.+) \\| `([0-9a-f ]+)` \\|$").FindAllStringSubmatch(section, -1) {
		vectors[m[1]] = strings.ReplaceAll(m[2], " ", "")
	}
	return vectors
}

func TestPacketKinds(t *testing.T) {
	for _, x := range []struct {
		name string
		b    []byte
		want Packet
		err  error
	}{
		{"keepalive", sealed(Keepalive), Packet{Kind: Keepalive}, nil},
		{"keepalive with payload", sealed(Keepalive, 1), Packet{}, ErrMalformed},
		{"datagram", sealed(Datagram, 1, 2), Packet{Kind: Datagram, Datagram: []byte{1, 2}}, nil},
		{"empty datagram", sealed(Datagram), Packet{Kind: Datagram, Datagram: []byte{}}, nil},
		{"lane", sealed(Lane, 1, 2), Packet{Kind: Lane, Segments: []byte{1, 2}}, nil},
		{"empty lane", sealed(Lane), Packet{}, ErrShort},
		{"both", sealed(Both, 1, 0, 9, 8, 7), Packet{Kind: Both, Segments: []byte{9}, Datagram: []byte{8, 7}}, nil},
		{"both, an empty datagram", sealed(Both, 1, 0, 9), Packet{Kind: Both, Segments: []byte{9}, Datagram: []byte{}}, nil},
		{"both, no segments", sealed(Both, 0, 0, 9), Packet{}, ErrMalformed},
		{"both, more segments than bytes", sealed(Both, 2, 0, 9), Packet{}, ErrShort},
		{"both, a length alone", sealed(Both, 0, 0), Packet{}, ErrMalformed},
		{"both, half a length", sealed(Both, 1), Packet{}, ErrShort},
		{"close", sealed(Close, 1, 'x'), Packet{Kind: Close, Reason: []byte{1, 'x'}}, nil},
		{"close without a reason", sealed(Close, 3), Packet{Kind: Close, Reason: []byte{3}}, nil},
		{"close with the longest reason", sealed(Close, make([]byte, 1+transport.MaxReason)...), Packet{Kind: Close, Reason: make([]byte, 1+transport.MaxReason)}, nil},
		{"close without a cause", sealed(Close), Packet{}, ErrShort},
		{"close with a long reason", sealed(Close, make([]byte, 2+transport.MaxReason)...), Packet{}, ErrLong},
		{"unknown kind", sealed(9), Packet{}, ErrKind},
		{"the longest", sealed(Datagram, make([]byte, transport.MaxPayload)...), Packet{Kind: Datagram, Datagram: make([]byte, transport.MaxPayload)}, nil},
		{"too short", sealed(Keepalive)[:transport.Overhead-1], Packet{}, ErrShort},
		{"too long", sealed(Datagram, make([]byte, transport.MaxPayload+1)...), Packet{}, ErrLong},
		{"connection 0", End(Begin(nil, Keepalive, true, 0, 1)), Packet{}, ErrMalformed},
		{"number 0", End(Begin(nil, Keepalive, true, 1, 0)), Packet{}, ErrMalformed},
	} {
		got, err := ParsePacket(x.b)
		if err != x.err {
			t.Errorf("%s: error %v, want %v", x.name, err, x.err)
		}
		if err == nil {
			x.want.FromListener, x.want.ID, x.want.Seq = true, 0x01020304, 0x1122
			if !reflect.DeepEqual(got, x.want) {
				t.Errorf("%s is %+v, want %+v", x.name, got, x.want)
			}
		}
	}
	for _, listens := range []bool{false, true} {
		if p, err := ParsePacket(End(Begin(nil, Keepalive, listens, 1, 1))); err != nil || p.FromListener != listens {
			t.Errorf("a packet of the listener's, %v: %+v, %v", listens, p, err)
		}
	}
	for i := range tagSize {
		b := sealed(Keepalive)
		b[headerSize+i] = 1
		if _, err := ParsePacket(b); err != ErrReserved {
			t.Errorf("byte %d of the tag is not zero: %v", i, err)
		}
	}
}

// Every message that is cut at any byte, or has one byte more, is an error.
func TestTruncated(t *testing.T) {
	hello := HelloMessage{Attempt: 1, Game: "pong", Hello: []byte("Ada")}.Append(nil)
	accept := AcceptMessage{Attempt: 1, ID: 2}.Append(nil)
	refuse := RefuseMessage{Version: 1, Attempt: 1, Reason: Full, Detail: []byte("x")}.Append(nil)
	for name, x := range map[string]struct {
		b     []byte
		parse func([]byte) error
	}{
		"hello":  {hello, func(b []byte) error { _, err := ParseHello(b); return err }},
		"accept": {accept, func(b []byte) error { _, err := ParseAccept(b); return err }},
		"refuse": {refuse, func(b []byte) error { _, err := ParseRefuse(b); return err }},
	} {
		if err := x.parse(x.b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for n := range x.b {
			if x.parse(x.b[:n]) == nil {
				t.Errorf("%s of %d bytes, cut at %d, is accepted", name, len(x.b), n)
			}
		}
		if x.parse(append(bytes.Clone(x.b), 0)) == nil {
			t.Errorf("%s with a byte more is accepted", name)
		}
	}
}

func TestHelloLimits(t *testing.T) {
	longest := HelloMessage{Attempt: 1, Game: strings.Repeat("g", transport.MaxGame), Hello: make([]byte, transport.MaxHello)}
	b := longest.Append(nil)
	if len(b) != transport.MaxPacket {
		t.Fatalf("a HELLO has %d bytes", len(b))
	}
	if m, err := ParseHello(b); err != nil || len(m.Hello) != transport.MaxHello || len(m.Game) != transport.MaxGame {
		t.Errorf("%v: %+v", err, m)
	}
	reserved := []int{cookieStart, helloFixed - 1, helloFixed + 4, transport.MaxPacket - 1}
	for _, i := range reserved {
		b := HelloMessage{Attempt: 1, Game: "g"}.Append(nil)
		b[i] = 1
		if _, err := ParseHello(b); err != ErrReserved {
			t.Errorf("byte %d is not zero: %v", i, err)
		}
	}
	b = HelloMessage{Attempt: 1, Game: "g"}.Append(nil)
	b[0] = byte(Keepalive)
	if _, err := ParseHello(b); err != ErrKind {
		t.Errorf("another kind: %v", err)
	}
	b = HelloMessage{Attempt: 1, Game: "g"}.Append(nil)
	b[helloFixed] = transport.MaxGame + 1
	if _, err := ParseHello(b); err != ErrLong {
		t.Errorf("a long name: %v", err)
	}
	b = HelloMessage{Attempt: 1, Game: "g"}.Append(nil)
	b[helloFixed+3] = 3 // 768 bytes of hello
	if _, err := ParseHello(b); err != ErrLong {
		t.Errorf("a long hello: %v", err)
	}
	b = HelloMessage{Attempt: 7, Game: "g"}.Append(nil)
	b[1] = 99
	if m, err := ParseHello(b); err != ErrVersion || m.Attempt != 7 {
		t.Errorf("another version: %v, attempt %d", err, m.Attempt)
	}
}

// Asked and the parsers agree on the limits of an answer and of a refusal's length.
func TestAnswerLimits(t *testing.T) {
	spoiled := func(b []byte, at int, to byte) []byte {
		b = bytes.Clone(b)
		b[at] = to
		return b
	}
	accept := AcceptMessage{Attempt: 7, ID: 1}.Append(nil)
	refuse := func(n int) []byte {
		return RefuseMessage{Version: 99, Attempt: 7, Reason: 77, Detail: make([]byte, n)}.Append(nil)
	}
	for _, x := range []struct {
		name string
		b    []byte
		err  error
	}{
		{"connection 1", accept, nil},
		{"connection 0", spoiled(accept, 11, 0), ErrMalformed},
		{"another version", spoiled(accept, 2, 1), ErrVersion},
		{"an ACCEPT of the client's", spoiled(accept, 0, byte(Accept)), ErrKind},
		{"no ACCEPT", spoiled(accept, 0, First(Refuse, true)), ErrKind},
	} {
		if m, err := ParseAccept(x.b); err != x.err || err == nil && m != (AcceptMessage{7, 1}) {
			t.Errorf("%s: %+v, %v, want %v", x.name, m, err, x.err)
		}
	}
	for _, x := range []struct {
		name string
		b    []byte
		err  error
	}{
		{"without detail", refuse(0), nil},
		{"with the longest", refuse(transport.MaxDigest), nil},
		{"with a longer one", refuse(transport.MaxDigest + 1), ErrLong},
		{"of the client's", spoiled(refuse(3), 0, byte(Refuse)), ErrKind},
		{"that is an ACCEPT", spoiled(refuse(1), 0, First(Accept, true)), ErrKind},
	} {
		m, err := ParseRefuse(x.b)
		if err != x.err || err == nil && (m.Version != 99 || m.Attempt != 7 || m.Reason != 77 || len(m.Detail) != len(x.b)-refuseFixed) {
			t.Errorf("a REFUSE %s: %+v, %v, want %v", x.name, m, err, x.err)
		}
	}
	longest := refuse(transport.MaxDigest + 1)
	for n := range len(longest) + 1 {
		want := refuseFixed <= n && n < len(longest)
		if attempt, ok := Asked(longest[:n]); ok != want || ok && attempt != 7 {
			t.Errorf("of %d bytes: %d, %v", n, attempt, ok)
		}
	}
}

// The numbers of kinds, reasons and causes do not change: other programs use them.
func TestNumbers(t *testing.T) {
	for i, k := range []Kind{Hello, Accept, Refuse, Keepalive, Datagram, Lane, Both, Close} {
		if int(k) != 1+i {
			t.Errorf("kind %d has number %d", 1+i, k)
		}
	}
	for i, r := range []Reason{OtherVersion, OtherGame, OtherSchema, Full} {
		if int(r) != 1+i {
			t.Errorf("reason %d has number %d", 1+i, r)
		}
	}
	for i, c := range []Cause{Ended, Kicked, Broken, Unheard} {
		if int(c) != i {
			t.Errorf("cause %d has number %d", i, c)
		}
	}
}

func FuzzPacket(f *testing.F) {
	f.Add(sealed(Keepalive))
	f.Add(sealed(Datagram, 1, 2))
	f.Add(sealed(Lane, 1, 2))
	f.Add(sealed(Both, 1, 0, 9, 8))
	f.Add(sealed(Close, AppendReason(nil, Kicked, "afk")...))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ParsePacket(b)
		if err != nil {
			return
		}
		again := Begin(nil, p.Kind, p.FromListener, p.ID, p.Seq)
		if p.Kind == Both {
			again = append(again, byte(len(p.Segments)), byte(len(p.Segments)>>8))
		}
		again = append(append(append(again, p.Segments...), p.Datagram...), p.Reason...)
		if again = End(again); !bytes.Equal(again, b) {
			t.Fatalf("%x is read and written as %x", b, again)
		}
		if p.Kind == Close {
			ParseReason(p.Reason)
		}
	})
}

func FuzzHandshake(f *testing.F) {
	f.Add(HelloMessage{Attempt: 1, GameHash: 2, Schema: 3, Game: "pong", Hello: []byte("Ada")}.Append(nil))
	f.Add(AcceptMessage{Attempt: 1, ID: 2}.Append(nil))
	f.Add(RefuseMessage{Version: 1, Attempt: 1, Reason: OtherGame, Detail: []byte("pong")}.Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		var again []byte
		if m, err := ParseHello(b); err == nil {
			again = m.Append(nil)
		} else if m, err := ParseAccept(b); err == nil {
			again = m.Append(nil)
		} else if m, err := ParseRefuse(b); err == nil {
			again = m.Append(nil)
		} else {
			return
		}
		if !bytes.Equal(again, b) {
			t.Fatalf("%x is read and written as %x", b, again)
		}
	})
}
