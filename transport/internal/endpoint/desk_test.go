package endpoint

import (
	"errors"
	"testing"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// Where there is one place left, who was let in and is not ready after its moment gives it to who
// asks next, and is told that the server is full; before that it keeps it.
func TestWhoGivesWayIsTold(t *testing.T) {
	b := &bench{}
	o := offer()
	o.MaxPeers, o.Joins = 1, true
	e, err := Listen(b.config(), o)
	if err != nil {
		t.Fatal(err)
	}
	b.Endpoint = e
	first, second := b.accepted(t, clientAddr, 1), client(2)
	b.arrive(clientAddr, first.Say(wire.Keepalive))
	b.pass(transport.MomentToJoin - 1)
	if b.shake(strangers, second); second.In() || b.err != nil {
		t.Fatalf("within its moment: another is in: %v, told %v", second.In(), b.err)
	}
	b.pass(transport.MomentToJoin)
	b.arrive(strangers, second.Hello())
	init := second.Answer(b.last())
	b.sent, b.to = nil, nil
	b.arrive(strangers, init)
	told := ""
	for i, p := range b.sent {
		if b.to[i] != clientAddr {
			second.Answer(p)
		} else if x, _, err := first.Open(p); err == nil && x.Kind == wire.Close {
			told = string(x.Reason)
		}
	}
	if !second.In() || told == "" || wire.Cause(told[0]) != wire.Crowded || !errors.Is(b.err, transport.ErrFull) {
		t.Errorf("another is in: %v; the first is told %q, the game %v", second.In(), told, b.err)
	}
}
