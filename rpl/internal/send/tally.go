package send

import (
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// tally counts for one peer while its Encode runs: other peers' may run at the same time.
type tally struct {
	blocks, checks, lost uint32
	tooLong              ids.Node // a node that no block can hold
}

// count adds a peer's tally to the counters and clears it.
func (s *Sender) count(p *Peer) {
	t := p.tally
	if t == (tally{}) {
		return
	}
	c := &s.Accounts.Counters
	c.Blocks, c.Checks, c.PacketsLost = c.Blocks+uint64(t.blocks), c.Checks+uint64(t.checks), c.PacketsLost+uint64(t.lost)
	if t.tooLong != 0 {
		s.noteTooLong(t.tooLong)
	}
	p.tally = tally{}
}

// noteTooLong counts a node that no block can hold, and logs it unless it was the last one logged.
func (s *Sender) noteTooLong(n ids.Node) {
	s.Accounts.Counters.TooLong++
	if n != s.Accounts.tooLong {
		s.Accounts.tooLong = n
		s.store.Log.Warn("a node is not sent: it is too long; spread its values over several nodes", "node", n, "most bytes", wire.MaxLong)
	}
}
