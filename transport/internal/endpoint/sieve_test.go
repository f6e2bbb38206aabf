package endpoint

import (
	"net/netip"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport/internal/wire"
)

// While more packets come than can be read, questions are answered from their first repeat
// on, and a flood of new ones is not; afterwards all are.
func TestSieve(t *testing.T) {
	b := listening(t)
	ask := func(i int) bool {
		b.sent, b.to = b.sent[:0], b.to[:0]
		from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), 5000)
		b.Arrive(b.now, Path{Remote: from}, wire.HelloMessage{Attempt: uint64(i)}.Append(nil))
		return len(b.sent) == 1
	}
	if !ask(1) {
		t.Error("a question in peace is not answered")
	}
	b.Press(b.now, true)
	other := client(77).Hello()
	other[1] ^= 1 // of another version
	for i := range 2 {
		b.sent = nil
		if b.Arrive(b.now, Path{Remote: strangers}, other); len(b.sent) != i {
			t.Errorf("question %d of another version has %d answers", i, len(b.sent))
		}
	}
	answered, mine := 0, 0
	for i := range 60_000 { // two seconds of it
		b.now = time.Duration(i) * time.Second / 30_000
		b.Press(b.now, true)
		if ask(100 + i) {
			answered++
		}
		if i%3000 == 2999 && ask(2) { // every tenth of a second
			mine++
		}
	}
	if answered > 60_000*3/100 || mine < 19 {
		t.Errorf("of 60,000 new questions %d are answered, of 19 repeats %d", answered, mine)
	}
	b.Press(b.now, false)
	if !ask(3) {
		t.Error("a question after a flood is not answered")
	}
	if b.now += 3 * time.Second; b.sieve.young == nil {
		t.Error("it forgets at once")
	}
	if b.Press(b.now, false); b.sieve.young != nil {
		t.Error("its memory is kept")
	}
}
