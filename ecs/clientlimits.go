package ecs

// Limits: what a server takes of one client before it sends it away.

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/tendonengine/tendon/transport"
)

// Limits bound what one client may do to a server. A field of 0 means its default. A client
// that goes beyond is kicked, with a reason that says by what.
type Limits struct {
	Packets int // a second, 1,500: more are dropped, and a second of that is a flood
	Bytes   int // a second, 512 KiB, as Packets
	Backlog int // bytes that wait for the server's next Receive, 1 MiB, at most 4 MiB: more are dropped
	Calls   int // RPCs a second, 2,000, messages of commands included; those that wait while the server itself stands count over that time
	// Handshakes is how many one address may begin at once, and in each second, 64; Unjoined is how
	// many clients of one address may be on their way in, 8, at most 128: more must wait.
	Handshakes, Unjoined int
	// Unanswered is how long a client may acknowledge no packet, or take no reliable message
	// that waits for it: 10 s, or Times.Silence if that is longer. Time in which the server itself
	// stands still does not count. A negative one is for ever: use it to halt clients in a debugger.
	Unanswered time.Duration
}

func (l Limits) checked(silence time.Duration) (Limits, error) {
	err := l.wire().Check("tendon: Config.Limits")
	if l.Calls < 0 {
		err = errors.Join(err, fmt.Errorf("tendon: Config.Limits.Calls is %d: give 1 or more, or 0 for %d", l.Calls, defaultCalls))
	}
	l.Calls, l.Unanswered = cmp.Or(l.Calls, defaultCalls), cmp.Or(l.Unanswered, max(defaultUnanswered, silence))
	if l.Unanswered < 0 {
		l.Unanswered = math.MaxInt64
	}
	return l, err
}

// wire are the limits that the transport keeps.
func (l Limits) wire() transport.Limits {
	return transport.Limits{Packets: l.Packets, Bytes: l.Bytes, Backlog: l.Backlog, Handshakes: l.Handshakes, Unjoined: l.Unjoined}
}
