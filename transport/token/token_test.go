package token

import (
	"crypto/ed25519"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
)

// A token with any bit flipped, cut short or longer is refused, and costs no use.
func TestEachBit(t *testing.T) {
	public, private, _ := ed25519.GenerateKey(nil)
	now := time.Unix(1000, 0)
	c, err := NewChecker([32]byte{7}, func() time.Time { return now }, public)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Sign(private, Token{Subject: "ann", Expires: now.Add(time.Minute), Servers: [][32]byte{{7}, {8}}, Client: [32]byte{9}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Bytes(s)
	if err != nil || len(b) > transport.MaxToken {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	for i := range b {
		for bit := range 8 {
			b[i] ^= 1 << bit
			if who, err := c.Check(b, [32]byte{9}); !errors.Is(err, ErrForged) || who != "" {
				t.Fatalf("bit %d of byte %d: %q, %v", bit, i, who, err)
			}
			b[i] ^= 1 << bit
		}
		if _, err := c.Check(b[:i], [32]byte{9}); !errors.Is(err, transport.ErrToken) {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
	if _, err := c.Check(append(b[:len(b):len(b)], 0), [32]byte{9}); !errors.Is(err, ErrForged) {
		t.Errorf("a byte more: %v", err)
	}
	if len(c.used) != 0 {
		t.Errorf("%d tokens are used", len(c.used))
	}
	if who, err := c.Check(b, [32]byte{9}); err != nil || who != "ann" {
		t.Errorf("the token itself: %q, %v", who, err)
	}
}

// Of the longest token all is read; a longer one is not signed.
func TestLimits(t *testing.T) {
	_, private, _ := ed25519.GenerateKey(nil)
	longest := Token{Subject: strings.Repeat("s", maxSubject), Expires: time.Unix(2000, 0), NotBefore: time.Unix(1000, 0), Servers: [][32]byte{{1}, {2}, {3}, {4}}, Client: [32]byte{5}, ID: [16]byte{6}}
	s, err := Sign(private, longest)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Bytes(s)
	if err != nil || len(b) > transport.MaxToken {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if got, ok := parse(b[:len(b)-ed25519.SignatureSize]); !ok || got.Subject != longest.Subject || len(got.Servers) != 4 || got.Client != longest.Client || !got.Expires.Equal(longest.Expires) || !got.NotBefore.Equal(longest.NotBefore) {
		t.Errorf("it is read as %+v", got)
	}
	for name, change := range map[string]func(*Token){
		"subject":  func(x *Token) { x.Subject += "s" },
		"none":     func(x *Token) { x.Subject = "" },
		"no text":  func(x *Token) { x.Subject = "\xff" },
		"servers":  func(x *Token) { x.Servers = append(x.Servers, [32]byte{5}) },
		"expires":  func(x *Token) { x.Expires = x.NotBefore },
		"no limit": func(x *Token) { x.Expires = time.Time{} },
	} {
		x := longest
		if change(&x); true {
			if _, err := Sign(private, x); err == nil {
				t.Errorf("%s: it is signed", name)
			}
		}
	}
	if _, err := NewChecker([32]byte{}, time.Now); err == nil {
		t.Error("a server that trusts nobody lets nobody in, and does not say so")
	}
}

// What a server remembers of used tokens is bounded, and forgotten when they expire.
func TestUsedIsBounded(t *testing.T) {
	public, private, _ := ed25519.GenerateKey(nil)
	now := time.Unix(1000, 0)
	c, _ := NewChecker([32]byte{}, func() time.Time { return now }, public)
	for i := range maxUsed {
		c.used[[16]byte{1, byte(i), byte(i >> 8)}] = use{expires: now.Add(time.Second)}
	}
	s, _ := Sign(private, Token{Subject: "ann", Expires: now.Add(time.Minute)})
	b, _ := Bytes(s)
	if _, err := c.Check(b, [32]byte{}); !errors.Is(err, ErrMany) {
		t.Errorf("one more: %v", err)
	}
	now = now.Add(time.Second)
	if _, err := c.Check(b, [32]byte{}); err != nil || len(c.used) != 1 {
		t.Errorf("once they have expired: %v, %d are remembered", err, len(c.used))
	}
}

func FuzzParse(f *testing.F) {
	f.Add(Token{Subject: "ann", Expires: time.Unix(5, 0), Servers: [][32]byte{{1}}, Client: [32]byte{2}}.append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if x, ok := parse(b); ok && x.Subject != "" && x.Client != [32]byte{} && x.Expires.Unix() > 0 && string(x.append(nil)) != string(b) {
			t.Fatalf("%x is read and written as %x", b, x.append(nil))
		}
	})
}
