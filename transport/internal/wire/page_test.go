package wire_test

// A second decoder, written from docs/spec-transport.md and the Noise specification alone:
// it shares no code with the transport. It reads the page's vectors.

import (
	"bytes"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/crypto/blake2s"
	"golang.org/x/crypto/chacha20poly1305"
)

// A reader has a vector to read, and fails the test when it does not say what it should.
type reader struct {
	*testing.T
	name string
	b    []byte
}

func (r *reader) take(n int) []byte {
	r.Helper()
	if strings.HasSuffix(r.name, "its zeros left out") && len(r.b) < n { // the last byte may be a zero of its own
		r.b = append(r.b, make([]byte, n-len(r.b))...)
	}
	if len(r.b) < n {
		r.Fatalf("%s is cut short: %d bytes are left, not %d", r.name, len(r.b), n)
	}
	v := r.b[:n:n]
	r.b = r.b[n:]
	return v
}

func (r *reader) want(what string, v ...byte) {
	r.Helper()
	if got := r.take(len(v)); !bytes.Equal(got, v) {
		r.Errorf("%s: %s is %x, not %x", r.name, what, got, v)
	}
}

func (r *reader) end() {
	r.Helper()
	if len(r.b) != 0 {
		r.Errorf("%s goes on: %x", r.name, r.b)
	}
}

// noise is the symmetric state of the Noise specification, 5.2.
type noise struct {
	t      *testing.T
	ck, h  []byte
	k      []byte
	number uint64
}

func blake() hash.Hash {
	h, _ := blake2s.New256(nil)
	return h
}

func sum(parts ...[]byte) []byte {
	h := blake()
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

func mac(key []byte, parts ...[]byte) []byte {
	h := hmac.New(blake, key)
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

// keys is HKDF of the specification, 4.3.
func keys(ck, in []byte) (a, b, c []byte) {
	temp := mac(ck, in)
	a = mac(temp, []byte{1})
	b = mac(temp, a, []byte{2})
	return a, b, mac(temp, b, []byte{3})
}

func (n *noise) mixHash(b []byte) { n.h = sum(n.h, b) }
func (n *noise) mixKey(b []byte)  { n.ck, n.k, _ = keys(n.ck, b); n.number = 0 }
func (n *noise) mixBoth(b []byte) {
	var h []byte
	n.ck, h, n.k = keys(n.ck, b)
	n.mixHash(h)
	n.number = 0
}

func (n *noise) open(b []byte) []byte {
	n.t.Helper()
	out := openWith(n.t, n.k, n.number, n.h, b)
	n.number++
	n.mixHash(b)
	return out
}

func openWith(t *testing.T, key []byte, number uint64, ad, b []byte) []byte {
	t.Helper()
	return openNonce(t, key, binary.LittleEndian.AppendUint64(make([]byte, 4), number), ad, b)
}

func openNonce(t *testing.T, key, nonce, ad, b []byte) []byte {
	t.Helper()
	c, err := chacha20poly1305.New(key)
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.Open(nil, nonce, b, ad)
	if err != nil {
		t.Fatalf("%x cannot be opened: %v", b, err)
	}
	return out
}

func dh(t *testing.T, private, public []byte) []byte {
	t.Helper()
	k, err := ecdh.X25519().NewPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	p, err := ecdh.X25519().NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	s, err := k.ECDH(p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func public(t *testing.T, private []byte) []byte {
	return dh(t, private, append([]byte{9}, make([]byte, 31)...))
}

func derive(t *testing.T, secret, salt []byte, info string) []byte {
	b, err := hkdf.Key(sha256.New, secret, salt, info, 32)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSecondDecoder(t *testing.T) {
	page, err := os.ReadFile("../../../docs/spec-transport.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "Vectors\n")
	rows := map[string][]byte{}
	for _, m := range regexp.MustCompile("(?m)^\\| (.+) \\| `([0-9a-f ]+)` \\|$").FindAllStringSubmatch(section, -1) {
		rows[m[1]], err = hex.DecodeString(m[2])
		if err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{}
	row := func(name string) *reader {
		t.Helper()
		seen[name] = true
		b, ok := rows[name]
		if !ok {
			t.Fatalf("the page has no vector %q", name)
		}
		return &reader{t, name, b}
	}
	attempt := []byte{0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11}
	version := []byte{16, 0}
	listener, ephemeral := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{4}, 32)
	client := derive(t, bytes.Repeat([]byte{2}, 32), public(t, listener), "tendon client key")

	r := row("HELLO, its zeros left out")
	r.want("its kind", 0x81)
	r.want("the version", version...)
	r.want("the attempt", attempt...)
	r.end()

	r = row("CHALLENGE, busy, to 192.0.2.1:7777 in second 5")
	r.want("its kind", 0xa2)
	r.want("the attempt", attempt...)
	cookie := r.take(20)
	proof := hmac.New(sha256.New, append([]byte{7}, make([]byte, 31)...))
	address := append(append(make([]byte, 10), 0xff, 0xff), 192, 0, 2, 1)
	proof.Write(address)
	proof.Write([]byte{0x61, 0x1e, 5, 0, 0, 0})
	proof.Write(attempt)
	if want := append([]byte{5, 0, 0, 0}, proof.Sum(nil)[:16]...); !bytes.Equal(cookie, want) {
		t.Errorf("the cookie is %x, not %x", cookie, want)
	}
	r.want("the listener's key", public(t, listener)...)
	r.want("the flags", 1|4)
	r.end()

	r = row("INIT, its zeros left out")
	r.want("its kind", 0x83)
	r.want("the version", version...)
	r.want("the attempt", attempt...)
	r.want("the cookie", cookie...)
	one := r.take(int(binary.LittleEndian.Uint16(r.take(2))))
	r.end()
	n := &noise{t: t, h: sum([]byte("Noise_IKpsk1_25519_ChaChaPoly_BLAKE2s"))}
	n.ck = n.h
	n.mixHash(append(append([]byte("tendon"), version...), attempt...))
	n.mixHash(public(t, listener))
	m := &reader{t, "message 1", one}
	e := m.take(32)
	n.mixHash(e)
	n.mixKey(e)
	first := dh(t, listener, e)
	n.mixKey(first)
	s := n.open(m.take(48))
	if !bytes.Equal(s, public(t, client)) {
		t.Errorf("the client's key is %x", s)
	}
	n.mixKey(dh(t, listener, s))
	n.mixBoth(derive(t, []byte("open sesame"), nil, "tendon join secret"))
	payload := n.open(m.b)
	r = row("payload of message 1")
	if !bytes.Equal(payload, r.b) {
		t.Errorf("message 1 carries %x", payload)
	}
	r.want("the game", append([]byte{4}, "pong"...)...)
	r.want("the schema", 8, 7, 6, 5, 4, 3, 2, 1)
	r.want("the hello", append([]byte{3, 0}, "Ada"...)...)
	r.want("the token", 1, 0, 0xff)
	r.end()

	r = row(`DENY: another game, "pong"`)
	header := r.b[:21]
	r.want("its kind", 0xa6)
	r.want("the attempt", attempt...)
	nonce := r.take(12)
	r.b = openNonce(t, derive(t, first, sum(one), "tendon refusal"), nonce, header, r.b)
	r.want("the reason", 1)
	r.want("the detail", []byte("pong")...)
	r.end()

	r = row("ACCEPT")
	r.want("its kind", 0xa4)
	r.want("the attempt", attempt...)
	r.want("the ephemeral key", public(t, ephemeral)...)
	n.mixHash(public(t, ephemeral))
	n.mixKey(public(t, ephemeral))
	n.mixKey(dh(t, ephemeral, e))
	n.mixKey(dh(t, ephemeral, s))
	grant := n.open(r.b)
	proof = hmac.New(sha256.New, derive(t, listener, nil, "tendon reset"))
	proof.Write(make([]byte, 16))
	proof.Write([]byte{0x61, 0x1e, 0x02, 0x01, 0, 0x80})
	number := []byte{0x1e, 0x1d, 0x1c, 0x1b, 0x1a, 0x19, 0x18, 0x17}
	proof.Write(number)
	token := proof.Sum(nil)[:12]
	r = row("payload of message 2")
	if !bytes.Equal(grant, r.b) {
		t.Errorf("message 2 carries %x", grant)
	}
	r.want("the id", 2, 1)
	r.want("the number", number...)
	r.want("the reset token", token...)
	r.end()

	up, down, _ := keys(n.ck, nil)
	data := []byte{8, 0, 0, 0, 0, 0, 0, 1}
	segment := func(command byte, window uint16, number, below uint32, data string) (b []byte) {
		b = append([]byte{1, 0, 0, 0, command, 0}, byte(window), byte(window>>8))
		for _, v := range []uint32{1000, number, below, uint32(len(data))} {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		return append(b, data...)
	}
	for name, x := range map[string]struct {
		key    []byte
		header []byte
		number uint64
		want   []byte
	}{
		"keepalive, from the client, number 1":                                   {up, []byte{0x88, 2, 1, 1, 0}, 1, nil},
		"datagram aabb, from the client, number 0x11122":                         {up, []byte{0x89, 2, 1, 0x22, 0x11}, 0x11122, []byte{0xaa, 0xbb}},
		"farewell, from the client, number 2":                                    {up, []byte{0x8d, 2, 1, 2, 0}, 2, []byte{3}},
		"datagram aabb, from the listener, number 2":                             {down, []byte{0xa9, 2, 0}, 2, []byte{0xaa, 0xbb}},
		`close, from the listener, number 3: kicked, "afk"`:                      {down, []byte{0xac, 3, 0}, 3, []byte("\x01afk")},
		"path challenge, from the listener, number 4":                            {down, []byte{0xad, 4, 0}, 4, append([]byte{1}, data...)},
		"path response, from the client, number 3":                               {up, []byte{0x8d, 2, 1, 3, 0}, 3, append([]byte{2}, data...)},
		"probe of 30 bytes, from the client, number 4":                           {up, []byte{0x8d, 2, 1, 4, 0}, 4, []byte{4, 30, 0, 0, 0, 0, 0, 0, 0}},
		"probe of 30 bytes came, from the listener, number 5":                    {down, []byte{0xad, 5, 0}, 5, []byte{5, 30, 0}},
		"ask for number 0x11122, from the listener, number 6":                    {down, []byte{0xad, 6, 0}, 6, []byte{6, 0x22, 0x11}},
		"told that it came, from the client, number 5":                           {up, []byte{0x8d, 2, 1, 5, 0}, 5, []byte{7, 0x22, 0x11, 1}},
		"datagram aabb in two parts, from the client, numbers 6 and 7: number 6": {up, []byte{0x8e, 2, 1, 6, 0}, 6, []byte{6, 0, 0x20, 9, 0xaa}},
		"datagram aabb in two parts, from the client, numbers 6 and 7: number 7": {up, []byte{0x8e, 2, 1, 7, 0}, 7, []byte{6, 0, 0x21, 9, 0xbb}},
		`message "hi", from the client in ms 1000 of its clock, number 8`:        {up, []byte{0x8a, 2, 1, 8, 0}, 8, segment(81, 256, 0, 0, "\x02hi")},
		"its acknowledgement beside datagram aabb, from the listener, number 7":  {down, []byte{0xab, 7, 0}, 7, append(append([]byte{24, 0}, segment(82, 256, 0, 1, "")...), 0xaa, 0xbb)},
	} {
		r := row(name)
		r.want("the header", x.header...)
		if got := openWith(t, x.key, x.number, x.header, r.b); !bytes.Equal(got, x.want) {
			t.Errorf("%s carries %x, not %x", name, got, x.want)
		}
	}
	r = row("SEEK, its zeros left out")
	r.want("its kind", 0x87)
	r.want("the id", 2, 1)
	r.want("the number", number...)
	r.end()
	r = row("RESET")
	r.want("its kind", 0xa7)
	r.want("the token", token...)
	r.end()
	r = row("REFUSE")
	r.want("its kind", 0xa5)
	r.want("the version", version...)
	r.want("the attempt", attempt...)
	r.end()
	game := uint64(14695981039346656037) // FNV-1a
	for _, c := range []byte("pong") {
		game = (game ^ uint64(c)) * 1099511628211
	}
	r = row(`QUERY for "pong", its zeros left out`)
	r.want("its kind", 0x8f)
	r.want("the version", version...)
	r.want("the nonce", attempt...)
	r.want("the game", binary.LittleEndian.AppendUint64(nil, game)...)
	r.end()
	r = row(`INFO: 3 of 16 play "Ada's", by a join secret`)
	r.want("its kind", 0xaf)
	r.want("the nonce", attempt...)
	r.want("the players", 3, 0)
	r.want("the most", 16, 0)
	r.want("the flags", 1)
	r.want("the title", append([]byte{5}, "Ada's"...)...)
	r.end()
	if left := len(rows) - len(seen); left != 0 {
		t.Errorf("%d vectors of the page are not read", left)
	}
}
