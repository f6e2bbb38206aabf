package rpl

import (
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// AuthorityConfig is what the core of the machine that decides is made with.
type AuthorityConfig struct {
	Schema   *Schema  // frozen
	Hz       int      // ticks per second, 1 to 1000
	SendHz   int      // sends per second, at most Hz; 0 means Hz
	Budget   int      // bytes per second and peer, 29 a packet included; 0: none
	Interest Interest // nil: everyone sees everything
	Local    Peer     // the player of this machine: Server, or 0 on a dedicated server
	Refs     Refs     // translates entity references; nil: all null
	Log      *slog.Logger

	// CheckEvery is how often a version that a peer has acked is compared with
	// the authority's by its checksum, or what a node itself is: of all in turn, one
	// at a time, some 12 bytes a second by default, 500 ms. Negative: only when asked
	// for.
	CheckEvery time.Duration
}

// ProxyConfig is what the core of a client is made with. Schema and Hz are those of
// its authority.
type ProxyConfig struct {
	Schema *Schema // frozen
	Hz     int     // ticks per second, 1 to 1000
	Refs   Refs    // translates entity references; nil: all null
	Log    *slog.Logger
}

// complete checks a configuration, and fills in what it leaves open.
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

// complete is the same of a client's.
func (c *ProxyConfig) complete() error {
	if err := checkBasics(c.Schema, c.Hz); err != nil {
		return err
	}
	c.Log = orDiscard(c.Log)
	return c.Schema.Freeze(c.Hz)
}

// checkBasics checks what both ends have.
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
