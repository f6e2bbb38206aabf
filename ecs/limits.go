package ecs

// Every limit and default of the package, with its reason.

import (
	"time"

	"github.com/tendonengine/tendon/transport"
)

const (
	// defaultSteps and defaultSends are what most action games run at: half of
	// the steps are sent, and interpolation shows the rest.
	defaultSteps = 60
	defaultSends = 30

	// defaultBudget in bytes a second and peer is a quarter of a slow upstream
	// with a handful of players.
	defaultBudget = 256 << 10

	// minBudget is one full packet a second: with less a session does not get going,
	// because a bucket must hold a whole packet before that packet leaves.
	minBudget = transport.MaxPacket

	// maxSteps is the highest step rate: above it a step would be shorter than operating
	// systems' timers can measure well.
	maxSteps = 240

	// maxMistakes is how many mistakes of a protocol New reports at once, in addition to
	// as many that its schema finds: nobody reads more than a screen of them.
	maxMistakes = 10

	// minSilence is several keepalives, and maxSilence the longest that a player would look at a
	// world in which nothing moves.
	minSilence = time.Second
	maxSilence = time.Minute

	// graceTime is how long the seat of a lost peer is kept: long enough to find another
	// network or to restart a router, and short enough that the others can play on with
	// the peer's nodes standing about.
	graceTime = 30 * time.Second

	// maxRefusedLogged is how many refused clients are logged in each refusedWhile: enough
	// to see who it was, and at most 1 or 2 MB of log a day from strangers.
	maxRefusedLogged = 10
	refusedWhile     = time.Minute

	// maxWaiting is how many calls on the session may wait while a client joins: a game
	// makes few then.
	maxWaiting = 64

	// epochs is how many levels in turn the byte that names one in messages tells apart.
	epochs = 1 << 8

	// defaultCalls is thirty a step at 60: what a game calls in a second is tens.
	defaultCalls = 2000

	// defaultUnanswered is as long as a silent connection lives.
	defaultUnanswered = transport.SilenceTimeout

	// silentFor is how long the commands of a silent player go on: a longer silence than
	// that of a usual line is a player who has gone.
	silentFor = 250 * time.Millisecond

	// Of more than fewTicks that a step skips, as after a standstill or a cut of the line, the way is drawn as a
	// correction is.
	fewTicks = 3
)
