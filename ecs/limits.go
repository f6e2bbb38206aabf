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

	// minBudget is one full packet a second: with less a session does not get
	// going, as a bucket has to hold a packet before it leaves.
	minBudget = transport.MaxPacket

	// maxSteps is where a step gets shorter than the operating systems' timers
	// are exact.
	maxSteps = 240

	// maxMistakes is how many mistakes of a protocol New tells of at once, beside as many
	// that its schema finds: more than a screen of them is read by nobody.
	maxMistakes = 10

	// keySize is the bytes of a client's key: as many as nobody guesses.
	keySize = 16

	// maxHello is the bytes that one machine says of itself: they travel in the
	// handshake, beside its key, in one packet.
	maxHello = transport.MaxHello - keySize

	// graceTime is how long the seat of a lost peer is kept: time to find another
	// network or to start a router again, and short enough that the others play
	// on with what stands about.
	graceTime = 30 * time.Second

	// maxRefusedTold is how many clients that are refused in a refusedWhile the log
	// is told of: enough to see who it was, and 1 or 2 MB a day of strangers' doing.
	maxRefusedTold = 10
	refusedWhile   = time.Minute

	// maxReported is how many mistakes debug mode tells apart: a game has tens, and
	// entities of ever other components would have it keep a name of each.
	maxReported = 1000

	// maxWaiting is the calls on the session that wait while a client joins: a
	// game says a few things then, not many.
	maxWaiting = 64

	// maxLevelName bounds the name of a level on the wire.
	maxLevelName = 255

	// maxNameBytes bounds what a joining peer is told of load-time nodes, half
	// of what its lane holds, and maxNameChunk one message of it. What was
	// destroyed beyond it stays hidden there.
	maxNameBytes = transport.MaxQueued / 2
	maxNameChunk = 32 << 10

	// leastGuess is the share of packets that a client misses from which on it takes
	// as many of its own to be lost: it may be wrong, so it says nothing twice on a
	// network that loses a packet now and then. leastMissed is the packets that it
	// must have had before: of fewer, a number that was not used looks like so much.
	leastGuess  = 0.04
	leastMissed = 40

	// maxCatchUp is the steps that Run makes up for after a pause; older time is
	// given up, or a machine that is too slow would never be done.
	maxCatchUp = 8

	// maxRounds is how often one step looks for nodes that its own callbacks
	// have made; what comes after it has its callbacks in the next step.
	maxRounds = 8

	// viewMargin is added to two send intervals: the jitter that a proxy is
	// drawn smoothly through.
	viewMargin = 20 * time.Millisecond

	// heardTicks is the ticks remembered of the newest packets, for telling what
	// stood still from what was lost: more than are ever reordered.
	heardTicks = 8

	// maxSamples is the samples kept of what is drawn between them: the delay
	// holds four at any send rate, and the rest is for jitter.
	maxSamples = 16

	// A sample is a teleport, and not glided to, when it is farther from the one
	// before than jumpRatio times the fastest that the thing was seen to move,
	// and by more than jumpUnits units or jumpQuanta steps of its quantiser a
	// tick, whichever is less: nothing that eyes follow starts that fast.
	jumpRatio  = 4
	jumpUnits  = 32
	jumpQuanta = 1024

	// slew is the share of time by which a client's clock may run fast or slow
	// to meet the server's; above jumpClock it jumps, or stands still.
	slew      = 0.05
	jumpClock = 250 * time.Millisecond

	// clockWindow is how long the quickest of the packets says what the way
	// takes: long enough to meet one without jitter, short enough to follow a
	// new route.
	clockWindow = time.Second
)
