package proxy

import (
	"log/slog"

	"github.com/tendonengine/tendon/rpl/internal/wire"
	"github.com/tendonengine/tendon/rpl/schema"
)

// ProxyConfig configures the core of a client. Schema and Hz must be those of its
// authority.
type ProxyConfig struct {
	Schema   *schema.Schema  // NewProxy freezes it
	Hz       int             // ticks per second, 1 to 1000
	Refs     schema.Refs     // translates entity references; nil: all are null
	Reckoner schema.Reckoner // moves reckoned items; nil: they stay where they were told
	Log      *slog.Logger    // nil: nothing is logged

	// Missing is how many packets with a number above from, up to to, have not come: what counts is not
	// counted on beyond what is missing. nil: nobody knows, and all that has come is taken for all there is.
	Missing func(from, to uint64) int

	// Former is the proxy of the level before, over the same connection: the round trip that it has measured
	// is known from the start. nil: there is none.
	Former *Proxy
}

// complete checks a client's configuration, fills in defaults and freezes the schema.
func (c *ProxyConfig) complete() error {
	if err := wire.CheckBasics(c.Schema, c.Hz); err != nil {
		return err
	}
	c.Log = wire.OrDiscard(c.Log)
	return c.Schema.Freeze(c.Hz)
}
