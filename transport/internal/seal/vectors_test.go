package seal

// Vectors of others: Noise from cacophony, ciphers and curves from Wycheproof.

import (
	"bytes"
	"compress/gzip"
	"crypto/ecdh"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/flynn/noise"
)

func read(t *testing.T, name string, into any) {
	t.Helper()
	f, err := os.Open("testdata/" + name + ".json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err == nil {
		err = json.NewDecoder(z).Decode(into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The 325 vectors of ChaCha20-Poly1305: Seal gives these bytes, Open takes them and no others.
func TestVectorsOfTheCipher(t *testing.T) {
	var all []struct {
		ID                                 int `json:"tcId"`
		Key, IV, Aad, Msg, Ct, Tag, Result string
	}
	read(t, "chacha20_poly1305", &all)
	if len(all) != 325 {
		t.Fatalf("%d vectors", len(all))
	}
	for _, x := range all {
		iv, msg, ct := unhex(t, x.IV), unhex(t, x.Msg), unhex(t, x.Ct+x.Tag)
		if len(iv) != NonceSize {
			continue // of another size: the cipher has no way to be given it
		}
		c, aad := NewCipher(Key(unhex(t, x.Key))), unhex(t, x.Aad)
		got, ok := c.OpenWith(nil, iv, aad, ct)
		if ok != (x.Result == "valid") || ok && !bytes.Equal(got, msg) {
			t.Errorf("vector %d is opened: %v, want %s", x.ID, ok, x.Result)
		}
		if sealed := c.SealWith(nil, iv, aad, msg); bytes.Equal(sealed, ct) != (x.Result == "valid") {
			t.Errorf("vector %d is sealed as %x", x.ID, sealed)
		}
	}
}

// The 518 vectors of X25519. Points of small order have no shared secret.
func TestVectorsOfTheCurve(t *testing.T) {
	var all []struct {
		ID                              int `json:"tcId"`
		Public, Private, Shared, Result string
	}
	read(t, "x25519", &all)
	if len(all) != 518 {
		t.Fatalf("%d vectors", len(all))
	}
	for _, x := range all {
		public, want := unhex(t, x.Public), unhex(t, x.Shared)
		pair := PairOf(Key(unhex(t, x.Private)))
		d := &diffieHellman{pairs: [2]*Pair{pair}, random: bytes.NewReader(bytes.Repeat([]byte{0xee}, 32))}
		got, err := d.DH(pair.public[:], public)
		zero := bytes.Equal(want, make([]byte, 32))
		if zero && bytes.Equal(got, bytes.Repeat([]byte{0xee}, 32)) {
			continue
		}
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("vector %d: %x, %v", x.ID, got, err)
		}
	}
	if _, err := ecdh.X25519().NewPublicKey(make([]byte, 31)); err == nil {
		t.Error("a short public key is taken")
	}
}

// The 151 vectors of Ed25519, which signs connect tokens.
func TestVectorsOfSignatures(t *testing.T) {
	var all []struct {
		ID                   int `json:"tcId"`
		PK, Msg, Sig, Result string
	}
	read(t, "ed25519", &all)
	if len(all) != 151 {
		t.Fatalf("%d vectors", len(all))
	}
	for _, x := range all {
		if got := ed25519.Verify(unhex(t, x.PK), unhex(t, x.Msg), unhex(t, x.Sig)); got != (x.Result == "valid") {
			t.Errorf("vector %d is %v, want %s", x.ID, got, x.Result)
		}
	}
}

// A noiseVector is one conversation.
type noiseVector struct {
	Protocol     string                                 `json:"protocol_name"`
	Prologue     string                                 `json:"init_prologue"`
	PSKs         []string                               `json:"init_psks"`
	InitStatic   string                                 `json:"init_static"`
	InitKey      string                                 `json:"init_ephemeral"`
	InitRemote   string                                 `json:"init_remote_static"`
	RespStatic   string                                 `json:"resp_static"`
	RespKey      string                                 `json:"resp_ephemeral"`
	RespRemote   string                                 `json:"resp_remote_static"`
	Conversation []struct{ Payload, Ciphertext string } `json:"messages"`
}

var patterns = []noise.HandshakePattern{
	noise.HandshakeNN, noise.HandshakeKN, noise.HandshakeNK, noise.HandshakeKK, noise.HandshakeNX, noise.HandshakeKX, noise.HandshakeXN, noise.HandshakeIN,
	noise.HandshakeXK, noise.HandshakeIK, noise.HandshakeXX, noise.HandshakeIX, noise.HandshakeN, noise.HandshakeK, noise.HandshakeX,
}

// The 36 vectors of Noise with our Diffie-Hellman under flynn/noise: both ends make and read
// every byte of them.
func TestVectorsOfNoise(t *testing.T) {
	var all []noiseVector
	read(t, "cacophony", &all)
	if len(all) != 36 {
		t.Fatalf("%d vectors", len(all))
	}
	for _, x := range all {
		name, psk, _ := strings.Cut(strings.Split(x.Protocol, "_")[1], "psk")
		found := false
		for _, p := range patterns {
			if p.Name == name {
				found = true
				x.play(t, p, psk)
			}
		}
		if !found {
			t.Errorf("%s: the pattern is not known", x.Protocol)
		}
	}
}

func (x *noiseVector) end(t *testing.T, p noise.HandshakePattern, psk string, initiator bool, static, ephemeral, remote string) *noise.HandshakeState {
	c := noise.Config{Pattern: p, Initiator: initiator, Prologue: unhex(t, x.Prologue), Random: bytes.NewReader(unhex(t, ephemeral))}
	d := &diffieHellman{random: c.Random}
	c.CipherSuite = noise.NewCipherSuite(d, noise.CipherChaChaPoly, noise.HashBLAKE2s)
	if static != "" {
		d.pairs[0] = PairOf(Key(unhex(t, static)))
		c.StaticKeypair = noise.DHKey{Private: d.pairs[0].public[:], Public: d.pairs[0].public[:]}
	}
	if remote != "" {
		c.PeerStatic = unhex(t, remote)
	}
	if psk != "" {
		c.PresharedKey, c.PresharedKeyPlacement = unhex(t, x.PSKs[0]), int(psk[0]-'0')
	}
	s, err := noise.NewHandshakeState(c)
	if err != nil {
		t.Fatalf("%s: %v", x.Protocol, err)
	}
	return s
}

func (x *noiseVector) play(t *testing.T, p noise.HandshakePattern, psk string) {
	ends := [2]*noise.HandshakeState{
		x.end(t, p, psk, true, x.InitStatic, x.InitKey, x.InitRemote),
		x.end(t, p, psk, false, x.RespStatic, x.RespKey, x.RespRemote),
	}
	var out, in [2]*noise.CipherState
	for i, m := range x.Conversation {
		from := i % 2
		if len(p.Messages) == 1 {
			from = 0 // a pattern of one way
		}
		payload, want := unhex(t, m.Payload), unhex(t, m.Ciphertext)
		var got, read []byte
		var err error
		if out[from] == nil {
			var a, b *noise.CipherState
			if got, a, b, err = ends[from].WriteMessage(nil, payload); err == nil {
				if a != nil {
					out[from], in[from] = a, b
					if from == 1 {
						out[1], in[1] = b, a
					}
				}
				if read, a, b, err = ends[1-from].ReadMessage(nil, want); a != nil {
					out[1-from], in[1-from] = b, a
					if from == 1 {
						out[0], in[0] = a, b
					}
				}
			}
		} else if got, err = out[from].Encrypt(nil, nil, payload); err == nil {
			read, err = in[1-from].Decrypt(nil, nil, want)
		}
		if err != nil || !bytes.Equal(got, want) || !bytes.Equal(read, payload) {
			t.Errorf("%s, message %d: %v, %x, want %x", x.Protocol, i, err, got, want)
			return
		}
	}
}
