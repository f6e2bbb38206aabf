package wire

import (
	"strings"
	"testing"

	"github.com/tendonengine/tendon/transport"
)

// A question and its answer come back as they were, are refused when cut or spoiled, and the
// longest answer is less than a seventh of the question.
func TestQueries(t *testing.T) {
	q := QueryMessage{Nonce: 7, GameHash: HashGame("pong")}
	b := q.Append(nil)
	if got, err := ParseQuery(b); err != nil || got != q {
		t.Errorf("%+v, %v", got, err)
	}
	for n := range b {
		if _, err := ParseQuery(b[:n]); err == nil {
			t.Fatalf("a question of %d bytes is taken", n)
		}
	}
	b[100] = 1
	if _, err := ParseQuery(b); err != ErrReserved {
		t.Errorf("padding: %v", err)
	}
	m := InfoMessage{Nonce: 7, Players: 3, Most: 8, Secret: true, Title: strings.Repeat("x", transport.MaxTitle)}
	a := m.Append(nil)
	if got, err := ParseInfo(a); err != nil || got != m {
		t.Errorf("%+v, %v", got, err)
	}
	if len(a)*7 > QuerySize {
		t.Errorf("an answer has %d bytes, a question %d", len(a), QuerySize)
	}
	for n := range a {
		if _, err := ParseInfo(a[:n]); err == nil {
			t.Fatalf("an answer of %d bytes is taken", n)
		}
	}
	if _, err := ParseInfo(append(a, 0)); err == nil {
		t.Error("a longer answer is taken")
	}
}
