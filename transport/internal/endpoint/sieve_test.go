package endpoint

import (
	"net/netip"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport/internal/wire"
)

// While more packets come than can be read, questions are answered from their first repeat
// on, and a flood of new ones, or of the same, is not; afterwards all are.
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
		b.now += sieveLeast
	}
	answered, mine := 0, 0
	for i := range 60_000 { // two seconds of it
		b.now += time.Second / 30_000
		b.Press(b.now, true)
		if ask(100 + i) {
			answered++
		}
		if i%3000 == 2999 && ask(2) { // every tenth of a second
			mine++
		}
	}
	if answered > 6 || mine < 15 { // by chance, one in four thousand million is taken for another
		t.Errorf("of 60,000 new questions %d are answered, of 19 repeats %d", answered, mine)
	}
	answered = 0
	for range 10_000 { // the same for a second
		b.now += time.Second / 10_000
		b.Press(b.now, true)
		if ask(3) {
			answered++
		}
	}
	if answered < 20 || answered > int(time.Second/sieveLeast) {
		t.Errorf("of 10,000 that are the same %d are answered", answered)
	}
	b.Press(b.now, false)
	if !ask(3) {
		t.Error("a question after a flood is not answered")
	}
	if b.now += 3 * time.Second; b.sieve.table == nil {
		t.Error("it forgets at once")
	}
	if b.Press(b.now, false); b.sieve.table != nil {
		t.Error("its memory is kept")
	}
}
