package rpl

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// AuthorityConfig configures the core of the machine that decides.
type AuthorityConfig struct {
	Schema   *Schema      // NewAuthority freezes it
	Hz       int          // ticks per second, 1 to 1000
	SendHz   int          // sends per second, at most Hz; 0 means Hz
	Budget   int          // bytes per second for each peer, with 19 bytes a packet for the seal; 0: no limit but that of what may be under way
	Interest Interest     // nil: everyone sees everything
	Local    Peer         // this machine's player: Server, or 0 on a dedicated server
	Refs     Refs         // translates entity references; nil: all are null
	Reckoner Reckoner     // moves reckoned items; nil: they stay where they were told
	Log      *slog.Logger // nil: nothing is logged

	// CheckEvery is how often one row of a peer, or one node itself, is compared by a
	// checksum: of a row the version that the peer has acked. All of them take turns.
	// At the default of 500 ms a peer's checks cost some 12 bytes a second. Negative:
	// only when Check or CheckAll asks for it.
	CheckEvery time.Duration
}

// complete checks a configuration, fills in defaults and freezes the schema.
func (c *AuthorityConfig) complete() error {
	if err := wire.CheckBasics(c.Schema, c.Hz); err != nil {
		return err
	}
	switch {
	case c.SendHz < 0 || c.SendHz > c.Hz:
		return fmt.Errorf("rpl: AuthorityConfig.SendHz is %d; at most Hz, %d", c.SendHz, c.Hz)
	case c.Budget < 0:
		return fmt.Errorf("rpl: AuthorityConfig.Budget is %d; bytes per second, 0 for none", c.Budget)
	}
	if g, ok := c.Interest.(Grid); ok && !(g.Enter > 0 && g.Exit >= g.Enter) {
		return fmt.Errorf("rpl: Grid{Enter: %v, Exit: %v}: Enter must be above 0 and Exit not below it", g.Enter, g.Exit)
	}
	if c.SendHz == 0 {
		c.SendHz = c.Hz
	}
	if c.CheckEvery == 0 {
		c.CheckEvery = wire.CheckEvery
	}
	c.Log = wire.OrDiscard(c.Log)
	return c.Schema.Freeze(c.Hz)
}
