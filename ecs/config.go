package ecs

// Config: the settings that a session is opened with.

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/reckon"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
)

// Config holds the settings of a session. The zero value is a game with 60 steps and 30
// sends a second, in which everyone sees everything.
type Config struct {
	Interest  rpl.Interest         // nil: everyone sees everything
	Steps     int                  // fixed steps a second, 1 to 240; 0 means 60. Part of the protocol: both ends must agree
	Sends     int                  // sends a second, at most Steps; 0 means 30, or Steps where those are fewer
	Budget    int                  // bytes a second for each peer, the packets' seals included, at least 1,200; 0 means 256 KiB. Over a line that carries less, less is sent (Stats.SendLimit)
	MaxPeers  int                  // machines with players, the host's own and lost ones included; further clients are refused with "full". 0 means the transport's limit, 1,024
	Limits    Limits               // what a server takes of one client; who goes beyond is kicked
	Title     string               // what lists of games on the local network (kcp.Games) call this session, at most 40 bytes; empty: it is not listed
	MaxLost   int                  // lost players whose seats are kept at once, who is lost longest leaving first; 0 means all, below 0 none. A game may also Kick a lost player in OnLost
	Dedicated bool                 // a server without a player of its own
	Times     Times                // how long connections and seats are kept
	Hello     []byte               // what the server reads with Replication.Hello(peer), at most 512 bytes: a name, a chosen colour
	Remove    func(*donburi.Entry) // removes an entity whose node the session ends, with the entity's children; nil: World.Remove
	Clock     func() time.Duration // the time of this machine, by which frames between two steps are drawn while no session is open; it never goes back. nil: the real time. For tests
	Debug     bool                 // look for the game's mistakes in every step, which costs time; they are counted, and logged once for each kind of entity

	// MaxMargin limits how much earlier a client makes its commands so that those which its line delays
	// most are in time, too. Smaller: the server acts sooner on keys, and more commands miss their tick.
	// 0 means as much as the line needs.
	MaxMargin time.Duration

	// Admit, if set, is asked about each client before it is let in: with its Config.Hello, which it may have
	// made up, and its Identity, which is proven. The client is told the error's text, at most 200 bytes of
	// it, as transport.ErrNotAdmitted. Admit is called inside Receive, must return at once, and may not call
	// the session. A yes does not promise OnJoin: the client may leave on its way in.
	Admit func(hello []byte, id transport.Identity) error

	// Rewind names the components whose fields tagged `interp` Call.Rewind sets back to what a caller saw, on
	// the server and on clients: give it on both. It is less exact for what is not updated in each send
	// (NodeData.Hz, rpl.Fading), because players see that move on between updates as it last went: at Hz 10,
	// what circles at 450 pixels a second is off by some 3.
	Rewind []donburi.IComponentType

	// RewindOnly restricts Rewind to entities that the filter takes; nil means all that have one of
	// its components. The past of each costs memory and time: name what can be shot.
	RewindOnly filter.LayoutFilter

	// Log is told where a session is hosted, and which clients have joined, are lost, are back, have left,
	// or were refused and why (the session is full, or they play another game or build): of these at most 10
	// a minute, and the next says how many were left out. A client's Log is told that it has joined, as which
	// peer, and why it is alone again. On every machine Log is told what is wrong; a fault that another
	// machine can repeat is logged the first, the second, the fourth time, and so on. nil logs nothing, or
	// to slog.Default if Debug is set.
	Log *slog.Logger
}

// Times are how long a server waits for its clients. Zero fields mean the defaults.
type Times struct {
	HalfOpen time.Duration // a client that was let in may send nothing for so long, default 3 s
	Silence  time.Duration // without a packet, then a peer is lost, and a client has lost its server; 1 s to 1 min, default 10 s
	Grace    time.Duration // a lost peer's seat is kept for so long, default 30 s
	// Join is how long a client may take to build the level and be ready, default 10 s. Where places are
	// short (MaxPeers, or 128 on their way in at once), a client that is not ready after half a second (or
	// longer, if nobody has been ready for a while) may give way to the next, and gets ErrFull.
	Join time.Duration
}

func (t Times) checked() (Times, error) {
	t.Silence, t.Grace, t.Join = cmp.Or(t.Silence, transport.SilenceTimeout), cmp.Or(t.Grace, graceTime), cmp.Or(t.Join, transport.JoinTimeout)
	switch {
	case t.Silence < minSilence || t.Silence > maxSilence:
		return t, fmt.Errorf("tendon: Config.Times.Silence is %v: give %v to %v, or 0 for %v", t.Silence, minSilence, maxSilence, transport.SilenceTimeout)
	case min(t.Grace, t.Join, t.HalfOpen) < 0:
		return t, fmt.Errorf("tendon: Config.Times has Grace %v, Join %v and HalfOpen %v: give no negative time", t.Grace, t.Join, t.HalfOpen)
	}
	return t, nil
}

// checked fills in the defaults; the error names every invalid value.
func (c Config) checked() (Config, error) {
	var mistakes []error
	c.Steps = cmp.Or(c.Steps, defaultSteps)
	c.Sends = cmp.Or(c.Sends, max(1, min(defaultSends, c.Steps)))
	c.Budget = cmp.Or(c.Budget, defaultBudget)
	most := c.Steps
	if !c.stepsAllowed() {
		most = maxSteps
		mistakes = append(mistakes, fmt.Errorf("tendon: Config.Steps is %d: give 1 to %d steps a second", c.Steps, maxSteps))
	}
	if c.Sends < 1 || c.Sends > most {
		mistakes = append(mistakes, fmt.Errorf("tendon: Config.Sends is %d: give 1 to Steps (%d) sends a second", c.Sends, most))
	}
	if c.Budget < minBudget {
		mistakes = append(mistakes, fmt.Errorf("tendon: Config.Budget is %d: give at least %d bytes a second, or 0 for the default", c.Budget, minBudget))
	}
	if c.MaxPeers < 0 || c.MaxPeers > transport.MaxPeers {
		mistakes = append(mistakes, fmt.Errorf("tendon: Config.MaxPeers is %d: give the number of players, at most %d, or 0 for that many", c.MaxPeers, transport.MaxPeers))
	}
	if len(c.Title) > transport.MaxTitle {
		mistakes = append(mistakes, fmt.Errorf("tendon: Config.Title has %d bytes, at most %d: give a short name", len(c.Title), transport.MaxTitle))
	}
	if c.MaxMargin < 0 {
		mistakes = append(mistakes, fmt.Errorf("tendon: Config.MaxMargin is %v: give the time that commands may come early, or 0 for no bound", c.MaxMargin))
	}
	times, err1 := c.Times.checked()
	limits, err2 := c.Limits.checked(times.Silence)
	hello, err3 := helloOf(c.Hello)
	c.Limits, c.Times, c.Hello, mistakes = limits, times, hello, append(mistakes, err1, err2, err3)
	if c.Remove == nil {
		c.Remove = func(e *donburi.Entry) { e.Remove() }
	}
	if c.Debug {
		c.Log = cmp.Or(c.Log, slog.Default())
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	return c, errors.Join(mistakes...)
}

// helloOf copies a hello, because the game may go on using its own.
func helloOf(b []byte) ([]byte, error) {
	if len(b) > transport.MaxHello {
		return nil, fmt.Errorf("tendon: Config.Hello is of %d bytes, at most %d: send more by an RPC on the session", len(b), transport.MaxHello)
	}
	return bytes.Clone(b), nil
}

func (c *Config) stepsAllowed() bool { return c.Steps >= 1 && c.Steps <= maxSteps }

// step is the duration of one fixed step.
func (c *Config) step() time.Duration { return time.Second / time.Duration(c.Steps) }

// silent is for how many ticks the commands of a silent player go on.
func (c *Config) silent() rpl.Tick { return rpl.Tick(silentFor / c.step()) }

// authority returns the part of the configuration that an rpl.Authority needs. Local is
// left out: this package queues the calls on this machine itself, so that the last calls
// on a node still find its entity.
func (c *Config) authority(s *rpl.Schema, t *nodes.Table) rpl.AuthorityConfig {
	return rpl.AuthorityConfig{Schema: s, Hz: c.Steps, SendHz: c.Sends, Budget: c.Budget, Interest: c.Interest, Refs: t, Reckoner: reckon.Of(t, false), Log: c.Log}
}

// proxy returns the part of the configuration that an rpl.Proxy needs.
func (c *Config) proxy(s *rpl.Schema, t *nodes.Table) rpl.ProxyConfig {
	return rpl.ProxyConfig{Schema: s, Hz: c.Steps, Refs: t, Reckoner: reckon.Of(t, true), Log: c.Log}
}
