package rpl

import (
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// AuthorityConfig configures the core of the machine that decides.
type AuthorityConfig struct {
	Schema   *Schema      // NewAuthority freezes it
	Hz       int          // ticks per second, 1 to 1000
	SendHz   int          // sends per second, at most Hz; 0 means Hz
	Budget   int          // bytes per second for each peer, with 29 bytes a packet for the seal; 0: no limit but that of what may be under way
	Interest Interest     // nil: everyone sees everything
	Local    Peer         // this machine's player: Server, or 0 on a dedicated server
	Refs     Refs         // translates entity references; nil: all are null
	Log      *slog.Logger // nil: nothing is logged

	// CheckEvery is how often one row of a peer, or one node itself, is compared by a
	// checksum: of a row the version that the peer has acked. All of them take turns.
	// At the default of 500 ms a peer's checks cost some 12 bytes a second. Negative:
	// only when Check or CheckAll asks for it.
	CheckEvery time.Duration
}

// ProxyConfig configures the core of a client. Schema and Hz must be those of its
// authority.
type ProxyConfig struct {
	Schema *Schema      // NewProxy freezes it
	Hz     int          // ticks per second, 1 to 1000
	Refs   Refs         // translates entity references; nil: all are null
	Log    *slog.Logger // nil: nothing is logged
}

// complete checks a configuration, fills in defaults and freezes the schema.
func (c *AuthorityConfig) complete() error {
	if err := checkBasics(c.Schema, c.Hz); err != nil {
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
		c.CheckEvery = checkEvery
	}
	c.Log = orDiscard(c.Log)
	return c.Schema.Freeze(c.Hz)
}

// complete checks a client's configuration, fills in defaults and freezes the schema.
func (c *ProxyConfig) complete() error {
	if err := checkBasics(c.Schema, c.Hz); err != nil {
		return err
	}
	c.Log = orDiscard(c.Log)
	return c.Schema.Freeze(c.Hz)
}

// checkBasics checks the fields that both configurations have.
func checkBasics(s *Schema, hz int) error {
	switch {
	case s == nil:
		return errors.New("rpl: the configuration has no Schema")
	case hz < 1 || hz > 1000:
		return fmt.Errorf("rpl: the configuration's Hz is %d; 1 to 1000", hz)
	}
	return nil
}

func orDiscard(log *slog.Logger) *slog.Logger {
	if log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return log
}
