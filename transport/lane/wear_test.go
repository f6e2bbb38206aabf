package lane

// Lanes that have been in use for very long.

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport/netsim"
)

// A lane goes on when what it counts wraps: bytes where an int has 32 bits, the numbers
// of segments, and milliseconds.
func TestWear(t *testing.T) {
	const few = 3000
	for name, age := range map[string]func(x *exchange, l *Lane){
		"bytes": func(_ *exchange, l *Lane) {
			l.queued, l.fed, l.again.said = math.MaxInt-few, math.MaxInt-few, math.MaxInt-few
		},
		"segments": func(_ *exchange, l *Lane) {
			const n = math.MaxUint32 - few/60
			a := l.m.(*ARQ)
			a.una, a.next, a.want = n, n, n
			l.given, l.again.newest, l.again.behind = n, n, n
		},
		"milliseconds, half": func(x *exchange, _ *Lane) { x.now = (math.MaxInt32 - few) * time.Millisecond },
		"milliseconds":       func(x *exchange, _ *Lane) { x.now = (math.MaxUint32 - few) * time.Millisecond },
	} {
		t.Run(name, func(t *testing.T) {
			x := newExchange(1, netsim.Conditions{Delay: 30 * time.Millisecond, Loss: 0.1})
			for _, l := range x.ends {
				age(x, l)
				l.SetLoss(0.1)
			}
			const messages = 200
			for i := range messages + 480 {
				for _, l := range x.ends {
					if i < messages {
						if err := l.Queue(fmt.Appendf(nil, "%4d%36s", i, "")); err != nil {
							t.Fatal(err)
						}
					}
				}
				if i%4 == 3 { // several messages leave together
					x.tick(t)
				}
			}
			for end, l := range x.ends {
				if n, held := l.Queued(), l.Held(); n != 0 || held != 0 {
					t.Errorf("%d messages and %d bytes wait", n, held)
				}
				for i, m := range x.came[end] {
					if string(m[:4]) != fmt.Sprintf("%4d", i) {
						t.Fatalf("message %d is %q", i, m)
					}
				}
				if n := len(x.came[end]); n != messages {
					t.Errorf("%d of %d messages came", n, messages)
				}
			}
		})
	}
}
