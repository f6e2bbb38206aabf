package wire

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/seal"
)

func TestPayloads(t *testing.T) {
	for _, x := range []struct {
		name string
		k    Kind
		b    []byte
		want Packet
		err  error
	}{
		{"keepalive", Keepalive, nil, Packet{}, nil},
		{"keepalive with payload", Keepalive, []byte{1}, Packet{}, ErrMalformed},
		{"datagram", Datagram, []byte{1, 2}, Packet{Datagram: []byte{1, 2}}, nil},
		{"empty datagram", Datagram, []byte{}, Packet{Datagram: []byte{}}, nil},
		{"lane", Lane, []byte{1, 2}, Packet{Segments: []byte{1, 2}}, nil},
		{"empty lane", Lane, nil, Packet{}, ErrShort},
		{"both", Both, []byte{1, 0, 9, 8, 7}, Packet{Segments: []byte{9}, Datagram: []byte{8, 7}}, nil},
		{"both, an empty datagram", Both, []byte{1, 0, 9}, Packet{Segments: []byte{9}, Datagram: []byte{}}, nil},
		{"both, no segments", Both, []byte{0, 0, 9}, Packet{}, ErrMalformed},
		{"both, more segments than bytes", Both, []byte{2, 0, 9}, Packet{}, ErrShort},
		{"both, a length alone", Both, []byte{0, 0}, Packet{}, ErrMalformed},
		{"both, half a length", Both, []byte{1}, Packet{}, ErrShort},
		{"close", Close, []byte{1, 'x'}, Packet{Reason: []byte{1, 'x'}}, nil},
		{"close without a reason", Close, []byte{3}, Packet{Reason: []byte{3}}, nil},
		{"close with the longest reason", Close, make([]byte, 1+transport.MaxReason), Packet{Reason: make([]byte, 1+transport.MaxReason)}, nil},
		{"close without a cause", Close, nil, Packet{}, ErrShort},
		{"close with a long reason", Close, make([]byte, 2+transport.MaxReason), Packet{}, ErrLong},
		{"control", Control, []byte{9}, Packet{Control: []byte{9}}, nil},
		{"control of no type", Control, nil, Packet{}, ErrShort},
		{"part", Part, []byte{1, 0, 0x20, 9, 5}, Packet{Part: []byte{1, 0, 0x20, 9, 5}}, nil},
		{"part without data", Part, []byte{1, 0, 0x20, 9}, Packet{}, ErrShort},
		{"unknown kind", 15, nil, Packet{}, ErrKind},
		{"of the handshake", Init, nil, Packet{}, ErrKind},
	} {
		got, err := ParsePayload(x.k, x.b)
		if err != x.err {
			t.Errorf("%s: error %v, want %v", x.name, err, x.err)
		}
		if x.want.Kind = x.k; err == nil && !reflect.DeepEqual(got, x.want) {
			t.Errorf("%s is %+v, want %+v", x.name, got, x.want)
		}
	}
}

func TestHeaders(t *testing.T) {
	longest := func(fromListener bool) []byte {
		return append(Begin(nil, Datagram, fromListener, 0x0102, 0x11122), make([]byte, transport.MaxPacket-HeaderSize(fromListener))...)
	}
	for _, fromListener := range []bool{false, true} {
		want := Header{Kind: Datagram, FromListener: fromListener, ID: 0x0102, Seq: 0x1122}
		if fromListener {
			want.ID = 0
		}
		least := HeaderSize(fromListener) + seal.TagSize
		b := longest(fromListener)
		for n := range len(b) + 1 {
			h, err := ParseHeader(b[:n])
			if (err == nil) != (n >= least) || err == nil && h != want {
				t.Fatalf("of %d bytes: %+v, %v", n, h, err)
			}
		}
		if _, err := ParseHeader(append(b, 0)); err != ErrLong {
			t.Errorf("too long: %v", err)
		}
	}
	if _, err := ParseHeader(append(Begin(nil, Keepalive, false, 0, 1), make([]byte, 16)...)); err != ErrMalformed {
		t.Errorf("connection 0: %v", err)
	}
}

// A first byte is one that neither STUN nor DTLS nor QUIC begins with, and every other
// byte is refused.
func TestFirstBytes(t *testing.T) {
	good := map[byte]bool{}
	for k := Hello; k <= Query; k++ {
		for _, fromListener := range []bool{false, true} {
			b := First(k, fromListener)
			good[b] = true
			if got, from, ok := Split(b); got != k || from != fromListener || !ok {
				t.Errorf("%#x is %d, %v, %v", b, got, from, ok)
			}
			if b < 128 || b > 191 {
				t.Errorf("%#x is the first byte of another protocol", b)
			}
		}
	}
	for b := range 256 {
		if _, _, ok := Split(byte(b)); ok != good[byte(b)] {
			t.Errorf("%#x is a packet: %v", b, ok)
		}
	}
}

// Every message that is cut at any byte, or has one byte more, is an error.
func TestTruncated(t *testing.T) {
	cipher := seal.NewCipher(seal.Key{1})
	for name, x := range map[string]struct {
		b     []byte
		parse func([]byte) error
	}{
		"hello":     {HelloMessage{Attempt: 1}.Append(nil), func(b []byte) error { _, err := ParseHello(b); return err }},
		"challenge": {ChallengeMessage{Attempt: 1}.Append(nil), func(b []byte) error { _, err := ParseChallenge(b); return err }},
		"init":      {InitMessage{Attempt: 1, Noise: make([]byte, 600)}.Append(nil, MinInit), func(b []byte) error { _, err := ParseInit(b); return err }},
		"request": {Request{Game: "pong", Hello: []byte("Ada"), Token: []byte("t")}.Append(nil), func(b []byte) error {
			_, err := ParseRequest(b)
			return err
		}},
		"accept":         {AcceptMessage{Attempt: 1, Noise: make([]byte, 70)}.Append(nil), func(b []byte) error { _, err := ParseAccept(b); return err }},
		"grant":          {Grant{ID: 1}.Append(nil), func(b []byte) error { _, err := ParseGrant(b); return err }},
		"refuse":         {RefuseMessage{Version: 1, Attempt: 1}.Append(nil), func(b []byte) error { _, err := ParseRefuse(b); return err }},
		"deny":           {DenyMessage{Attempt: 1, Reason: Full, Detail: []byte("x")}.Append(cipher, [12]byte{}), func(b []byte) error { _, err := ParseDeny(b, cipher); return err }},
		"seek":           {SeekMessage{ID: 1, Number: 2}.Append(nil), func(b []byte) error { _, err := ParseSeek(b); return err }},
		"reset":          {ResetMessage{}.Append(nil), func(b []byte) error { _, err := ParseReset(b); return err }},
		"path challenge": {ControlMessage{Type: PathChallenge}.Append(nil), func(b []byte) error { _, err := ParseControl(b); return err }},
		"path response":  {ControlMessage{Type: PathResponse}.Append(nil), func(b []byte) error { _, err := ParseControl(b); return err }},
		"farewell":       {ControlMessage{Type: Farewell}.Append(nil), func(b []byte) error { _, err := ParseControl(b); return err }},
	} {
		if err := x.parse(x.b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for n := range x.b {
			if x.parse(x.b[:n]) == nil {
				t.Errorf("%s of %d bytes, cut at %d, is accepted", name, len(x.b), n)
			}
		}
		if x.parse(append(bytes.Clone(x.b), 1)) == nil {
			t.Errorf("%s with a byte more is accepted", name)
		}
	}
}

// Limits, reserved bits and versions of the handshake.
func TestHandshakeLimits(t *testing.T) {
	set := func(b []byte, at int, to byte) []byte {
		b[at] = to
		return b
	}
	hello := func() []byte { return HelloMessage{Attempt: 7}.Append(nil) }
	init := func(n int) []byte { return InitMessage{Attempt: 7, Noise: make([]byte, n)}.Append(nil, MinInit) }
	for name, x := range map[string]struct {
		parse func(b []byte) error
		b     []byte
		err   error
	}{
		"HELLO of another version": {helloError, set(hello(), 1, 99), ErrVersion},
		"… and longer":             {helloError, append(set(hello(), 1, 99), 5), ErrVersion},
		"HELLO that is not zero":   {helloError, set(hello(), helloFixed, 1), ErrReserved},
		"… at its end":             {helloError, set(hello(), MinInit-1, 1), ErrReserved},
		"HELLO of another kind":    {helloError, set(hello(), 0, First(Init, false)), ErrKind},
		"INIT of another version":  {initError, set(init(200), 2, 1), ErrVersion},
		"INIT of a short message":  {initError, init(seal.Message1Size - 1), ErrMalformed},
		"INIT of the shortest":     {initError, init(seal.Message1Size), nil},
		"INIT of the longest":      {initError, init(transport.MaxPacket - initFixed), nil},
		"INIT that is too long":    {initError, init(transport.MaxPacket - initFixed + 1), ErrLong},
		"INIT that is not zero":    {initError, set(init(200), MinInit-1, 1), ErrReserved},
		"CHALLENGE of unknown bits": {
			func(b []byte) error { _, err := ParseChallenge(b); return err },
			set(ChallengeMessage{}.Append(nil), challengeSize-1, 8), ErrReserved,
		},
		"GRANT of connection 0": {func(b []byte) error { _, err := ParseGrant(b); return err }, Grant{}.Append(nil), ErrMalformed},
	} {
		if err := x.parse(x.b); err != x.err {
			t.Errorf("%s: %v, want %v", name, err, x.err)
		}
	}
	if m, _ := ParseHello(set(hello(), 1, 99)); m.Attempt != 7 {
		t.Errorf("the attempt of another version's HELLO is %d", m.Attempt)
	}
	longest := Request{Game: strings.Repeat("g", transport.MaxGame), Hello: make([]byte, transport.MaxHello), Token: make([]byte, transport.MaxToken)}
	b := longest.Append(nil)
	if m, err := ParseRequest(b); err != nil || !reflect.DeepEqual(m, longest) {
		t.Errorf("the longest request: %v", err)
	}
	if n := InitSize(seal.Message1Size + len(b)); n > transport.MaxPacket {
		t.Errorf("the longest request takes an INIT of %d bytes", n)
	}
	for _, r := range []Request{{Hello: make([]byte, transport.MaxHello+1)}, {Token: make([]byte, transport.MaxToken+1)}} {
		if _, err := ParseRequest(r.Append(nil)); err != ErrLong {
			t.Errorf("beyond the limits: %v", err)
		}
	}
	if _, err := ParseRequest(set(longest.Append(nil), 0, transport.MaxGame+1)); err != ErrLong {
		t.Errorf("a long name: %v", err)
	}
	for n := range DenyFixed + transport.MaxDigest + 2 {
		b := make([]byte, n)
		if n > 0 {
			b[0] = First(Deny, true)
		}
		if _, ok := DenyAttempt(b); ok != (n >= DenyFixed && n <= DenyFixed+transport.MaxDigest) {
			t.Errorf("a DENY of %d bytes: %v", n, ok)
		}
	}
}

func helloError(b []byte) error { _, err := ParseHello(b); return err }
func initError(b []byte) error  { _, err := ParseInit(b); return err }

// The numbers of kinds, reasons, causes and types do not change: other programs use them.
func TestNumbers(t *testing.T) {
	for i, k := range []Kind{Hello, Challenge, Init, Accept, Refuse, Deny, Reset, Keepalive, Datagram, Lane, Both, Close, Control} {
		if int(k) != 1+i {
			t.Errorf("kind %d has number %d", 1+i, k)
		}
	}
	for i, r := range []Reason{OtherGame, OtherSchema, Full, BadSecret, BadToken, NotAdmitted} {
		if int(r) != 1+i {
			t.Errorf("reason %d has number %d", 1+i, r)
		}
	}
	for i, c := range []Cause{Ended, Kicked, Broken, Unheard, Crowded} {
		if int(c) != i {
			t.Errorf("cause %d has number %d", i, c)
		}
	}
	for i, c := range []ControlType{PathChallenge, PathResponse, Farewell} {
		if int(c) != 1+i {
			t.Errorf("control type %d has number %d", 1+i, c)
		}
	}
}

func FuzzPayload(f *testing.F) {
	f.Add(byte(Keepalive), []byte{})
	f.Add(byte(Datagram), []byte{1, 2})
	f.Add(byte(Lane), []byte{1, 2})
	f.Add(byte(Both), []byte{1, 0, 9, 8})
	f.Add(byte(Close), AppendReason(nil, Kicked, "afk"))
	f.Add(byte(Control), ControlMessage{Type: PathChallenge}.Append(nil))
	f.Fuzz(func(t *testing.T, k byte, b []byte) {
		p, err := ParsePayload(Kind(k), b)
		if err != nil {
			return
		}
		var again []byte
		if p.Kind == Both {
			again = append(again, byte(len(p.Segments)), byte(len(p.Segments)>>8))
		}
		again = append(append(append(append(again, p.Segments...), p.Datagram...), p.Reason...), p.Control...)
		if !bytes.Equal(again, b) {
			t.Fatalf("%x is read and written as %x", b, again)
		}
		switch p.Kind {
		case Close:
			ParseReason(p.Reason)
		case Control:
			if m, err := ParseControl(b); err == nil && !bytes.Equal(m.Append(nil), b) {
				t.Fatalf("%x is read and written as %x", b, m.Append(nil))
			}
		}
	})
}

func FuzzHandshake(f *testing.F) {
	f.Add(HelloMessage{Attempt: 1}.Append(nil))
	f.Add(ChallengeMessage{Attempt: 1, WantsToken: true}.Append(nil))
	f.Add(InitMessage{Attempt: 1, Noise: make([]byte, 100)}.Append(nil, MinInit))
	f.Add(AcceptMessage{Attempt: 1, Noise: make([]byte, 70)}.Append(nil))
	f.Add(RefuseMessage{Version: 1, Attempt: 1}.Append(nil))
	f.Add(ResetMessage{}.Append(nil))
	f.Add(SeekMessage{ID: 1, Number: 2}.Append(nil))
	f.Add(Request{Game: "pong", Schema: 3, Hello: []byte("Ada")}.Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		var again []byte
		if m, err := ParseHello(b); err == nil {
			again = m.Append(nil)
		} else if m, err := ParseChallenge(b); err == nil {
			again = m.Append(nil)
		} else if m, err := ParseInit(b); err == nil {
			again = m.Append(nil, len(b))
		} else if m, err := ParseAccept(b); err == nil {
			again = m.Append(nil)
		} else if m, err := ParseRefuse(b); err == nil {
			again = m.Append(nil)
		} else if m, err := ParseReset(b); err == nil {
			again = m.Append(nil)
		} else if m, err := ParseSeek(b); err == nil {
			again = m.Append(nil)
		} else if m, err := ParseRequest(b); err == nil {
			again = m.Append(nil)
		} else {
			return
		}
		if !bytes.Equal(again, b) {
			t.Fatalf("%x is read and written as %x", b, again)
		}
	})
}
