package wire

import (
	"time"

	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// Every limit of the core, with its reason. A limit that a peer could push against is
// checked where its bytes are read. A limit that a game could reach fails with an error
// that names the thing and the remedy.
const (
	// MaxLastBits is how much of a node's last state goes with its removal: small things do
	// entirely, and every removal fits any packet.
	MaxLastBits = 4096

	// PacketRoom is the bytes of datagrams that fit one packet: 1,200 bytes of UDP
	// payload, which pass every path in use (IPv6's minimum MTU of 1,280 less headers),
	// less the seal's, which are 21 on the way to the authority; 8 are left over.
	PacketRoom = 1171

	// PacketOverhead is the bytes that the seal adds to a packet of the authority's.
	// Budgets count it.
	PacketOverhead = 19

	// MaxTick is the last tick of a session, reached after 414 days at 60 ticks a
	// second or 103 at 240. It is half of what 32 bits can hold, so the later of two
	// ticks is always certain, and no counter of ticks or sends wraps around. In the
	// last 16th of a session (26 days at 60 a second) Step logs a warning, once.
	MaxTick    ids.Tick = 1<<31 - 1
	LateInLife          = MaxTick - MaxTick/16

	// MaxLead is how far a packet's tick may be ahead of the tick that a proxy's clock
	// makes due; the time for which the proxy has heard nothing is added. It is as long
	// as a silent connection lives. A packet that claims more is damaged or forged:
	// were it believed, every true one would look old.
	MaxLead = 10 * time.Second

	// MaxWeight is the most that a node can weigh against others. Beyond it the ticks
	// that others have waited would be lost to a float32's 24-bit rounding.
	MaxWeight = 1 << 20

	// HistoryLen is how many versions the authority keeps of a row: half a second of
	// changes at 60 sends a second, which covers a round trip of 400 ms with a resend.
	// An update whose base is older becomes a keyframe.
	HistoryLen = 32

	// MaxHead is the version number after which a row's next tenant starts at 1 again.
	// Numbers cannot run out within one tenant: it makes at most one version a tick,
	// and there are as many ticks.
	MaxHead = 1 << 31

	// BaseLen is how many versions a proxy keeps of a row at most: twice as many as the
	// authority. But a version may come in several packets, as of what the peer predicts, and
	// is kept as of each, and it may be a base for as long as nothing newer is acked, which
	// takes a second and a round trip where the peer stands still (Silence). So after SafeBases
	// sends without an ack an update becomes a keyframe: then a proxy never lacks a base that
	// the authority names, nor the version before it, of lines.
	BaseLen   = 64
	SafeBases = BaseLen - LateVersions

	// FirstVersions is the room for versions that a row on a proxy starts with: a
	// change in every tick of a round trip of 200 ms at 60 Hz. It is doubled when
	// needed. Both are powers of two.
	FirstVersions = 16

	// LineSends is the most sends below the base packet's from which lines may start. More
	// would be of little use: what has not moved for three sends goes along no line. Of
	// fewer a header has the number, in LineBits.
	LineSends = 3
	LineBits  = 2

	// LateVersions is how many versions a proxy keeps, at least, that are older than
	// the base in use, for packets that were overtaken. Each time a base is missing the
	// number doubles, up to mostLate. Few versions keep memory dense.
	LateVersions = 2
	MostLate     = 8

	// RecordLen is how many packets are remembered with their contents until they are
	// acked: a second of 17 packets a tick at 60 Hz. It must be a power of two of at
	// most 16 bits, because packet numbers are echoed in 16 bits, and those must distinguish a
	// record's place.
	RecordLen = 1024

	// NewSends is for how many sends a packet says that it is not complete where a node that its peer owns or
	// has owned since, and has perhaps made itself by a command, waits for room: so that the peer does not take it for refused.
	NewSends = 64

	// MaxLate is how much older than the newest one a packet may be for a proxy to
	// apply it. The authority may be another MaxLate packets ahead of that newest one,
	// and still know what such a packet carried.
	MaxLate = RecordLen / 2

	// FewRecords is how many records a peer starts with, a power of two: an eighth of a second
	// of one packet a send at 60 Hz.
	FewRecords = 8

	// AckWindow is how many packets one ack header covers: as many as have records.
	AckWindow = RecordLen

	// MaxFlight is how many packets may be under way to a peer: sent since the newest one
	// that has arrived. Beyond it nothing is sent but probes. It is three quarters of the
	// records, so that none is pushed out that may yet be acked: what it carried would be
	// sent again, and push out more. The last quarter is for probes, which take a minute
	// to fill it, and for what no room is kept: ends of packets, calls, the reliable lane.
	MaxFlight = RecordLen * 3 / 4

	// FlightTime is how long packets may take before no more may be under way than arrived
	// in that time, measured over FlightPeriod: longer than round trips by satellite and
	// short disturbances take, short enough for a game to hear of. LeastFlight may be
	// under way on any line: with round trips of 300 ms that does not limit a game.
	FlightTime   = 2 * time.Second
	FlightPeriod = time.Second
	LeastFlight  = 16

	// MaxBurst is how many bits of arrivals one send may have: a fifth of the records.
	MaxBurst = RecordLen / 5 * PacketRoom * 8

	// MaxBursts is how many bits of first arrivals one send may have for all peers
	// together, beside a packet for each. A full burst takes some 5 ms to plan; if all
	// players come in one step, as after a new level, those of a full server would hold
	// it up for a third of a second.
	MaxBursts = 2 * MaxBurst

	// MaxArrivals is how many nodes may be sent for the first time in one send to all peers
	// together, beside LeastArrivals for each: some 0.7 ms. So a join is cut into slices
	// that no tick is the longer for, at 60 sends a second 90,000 nodes a second.
	MaxArrivals   = 1500
	LeastArrivals = 32

	// MaxWanted is how many nodes may be decided on in one send for all peers together that have
	// just come, beside their own: some 0.5 ms. It is a multiple of MaxArrivals, so that what
	// is worth most is mostly known before it is sent.
	MaxWanted = 4 * MaxArrivals

	// LeastCohort is how many updates a peer must have for others to be looked for that
	// are in the same state (cohort.go). With fewer the search costs more than it may save.
	LeastCohort = 64

	// LeastShared is the same for updates of nodes that the peer has by the handles of others
	// (sharedhandles.go): what is known of those nodes is mostly the same, too.
	LeastShared = 20

	// LeastSharers is how many peers must have a node by the same handle for it to be
	// marked once for all of them (sharedhandles.go). For fewer that saves nothing.
	LeastSharers = 4

	// OldestCohort is the age in ticks of the oldest baseline at which peers are told
	// in a cohort: a second at 60 Hz. Peers that are further behind are seldom together.
	OldestCohort = 60

	// MaxCohorts is how many baselines have cohorts in one send. What is kept
	// for each takes 80 bytes an update.
	MaxCohorts = 8

	// MaxAcks is how many acks of one peer may wait for the next Schedule; when one
	// more comes they are processed at once.
	MaxAcks = 256

	// MaxNacks is how many rows one packet of a peer can refuse; more would amount
	// to a new join.
	MaxNacks = 64

	// Unreadable is how many unreadable packets in a row make a proxy ask for
	// everything anew (rule 11): a single one may be damaged by chance. Packets whose
	// faulty node or row the proxy can name do not count, because what is named is
	// mended within a round trip. But a proxy also asks when more than one in readable
	// packets cannot be read for longer than hopeless: no network damages so many.
	Unreadable = 3
	Readable   = 16
	Hopeless   = time.Second

	// KeyframeTries is how often a proxy asks for a keyframe of a row before it asks for
	// the node, and how often for the node before it asks for everything. With three in
	// ten packets lost each way, so many tries stay unanswered once in 60 times.
	KeyframeTries = 6

	// MaxSkipped is how many packets with skipped speculative updates a proxy can report at once: a
	// round trip of 200 ms at ten a tick, few enough to fit a packet beside the acks.
	// Further packets with speculative updates to skip are refused whole.
	MaxSkipped = 128

	// MaxHandles is how many nodes one peer can hold: as many as a handle's 16 bits on
	// the wire can name.
	MaxHandles = 1 << 16

	// Generations is how many nodes can have a handle in turn before a generation,
	// which is a byte, repeats.
	Generations = 1 << 8

	// MaxNodes is the size of the authority's table: twice the largest world that we
	// measure. A proxy refuses higher slots.
	MaxNodes = 1 << 20

	// MaxItems is how many items one node may have (an ordinal is sent as a byte).
	// MaxLayouts is how many different ordered sets of items nodes may have at a time;
	// peers keep all of them.
	MaxItems   = 64
	MaxLayouts = 1 << 14

	// MaxRows is how many rows one node may have, one for each item and audience: a
	// row's number is a byte.
	MaxRows = 255

	// MaxArgs is how many bytes a prefab's arguments may take: they must fit a datagram
	// beside the rest of an arrival.
	MaxArgs = 256

	// MaxName is how many bytes a load-time node's name may have.
	MaxName = 64

	// MaxVar is how many bytes one variable-length value may take on the wire: what a
	// block can carry.
	MaxVar = 64 << 10

	// MaxPart is how many bytes of a reliable message that is no call the lane is given at
	// once: a tenth of a second at 20 KB a second, for which calls wait. Longer messages than
	// MaxWhole go in parts: where a budget pays for one part after the other, packets with
	// newer state overtake the rest, and a block of which the base has gone is for nothing.
	// MaxLong is the longest message: a value of MaxVar for each item that a node can have.
	MaxPart  = 2 << 10
	MaxWhole = 4 << 10
	MaxLong  = MaxItems * MaxVar

	// CopiesLeave is how many bytes of what may be under way copies of arrivals leave to updates of what has
	// arrived, a packet and a half: without these that stands until its arrival is acked.
	CopiesLeave = 1800

	// MaxInPacket bounds the arrivals, and the removals, in one packet: a datagram holds
	// fewer than 1,200 of the smallest.
	MaxInPacket = 4096

	// MaxTreeBits is how much of a tree arrives in one message, less a kilobyte for what
	// stands around it.
	MaxTreeBits = 8 * (MaxLong - 1<<10)

	// The bytes of an RPC's arguments, by lane: an unreliable call must fit a datagram,
	// a reliable one KCP's window.
	MaxUnreliableArgs = 1024
	MaxReliableArgs   = 4096

	// MaxUnreliable is the bytes of an unreliable call: what AppendCall puts before its
	// arguments takes at most 16.
	MaxUnreliable = MaxUnreliableArgs + 16

	// MaxHeld is how many reliable calls may wait at a peer for their nodes; the
	// authority holds back the rest.
	MaxHeld = 64

	// MaxCalls is how many unreliable calls may be queued for one peer's next send.
	MaxCalls = 256

	// MaxParts is how many packets of a send may be complete together for what their peer
	// predicts: some 70 KB of it.
	MaxParts = 64

	// MaxWaiting is how many reliable calls may wait at the authority for one peer's
	// nodes, and how many messages for its lane: some for each node of a join. Calls
	// beyond it are dropped and counted.
	MaxWaiting = 4096

	// MaxHandedOn is how many bytes may wait for a peer's lane before other peers'
	// reliable calls are no longer passed on to it: about a second of the usual budget.
	// With more, this machine's own calls and long values would come ever later.
	MaxHandedOn = 256 << 10

	// MaxCallsUp is how many calls a packet of a client has at most: far above any game's input.
	MaxCallsUp = 64

	// MaxDue is how many calls of one peer may run in one tick: what comes in a second at 240
	// ticks a second, in which the authority may have stood still, and some. Unreliable calls beyond
	// it are dropped and counted. Reliable ones wait for the next tick, up to MaxLater bytes of them,
	// and are then dropped and counted too. MaxLater is ten seconds of two small calls a tick, which
	// a stalled lane may have held up.
	MaxDue   = 256
	MaxLater = 256 << 10

	// FenceAge is how long a removal may wait for a reliable message about its node
	// (protocol rule 3).
	FenceAge = 2 * time.Second

	// Silence is how long a peer may be silent before its stream is frozen; ProbeEvery
	// is how often a frozen peer is probed (protocol rule 36).
	Silence    = time.Second
	ProbeEvery = 250 * time.Millisecond

	// Heartbeat is the longest time without a state packet: proxies' clocks need ticks.
	Heartbeat = 250 * time.Millisecond

	// MovingBeat is the heartbeat while something at the peer moves by itself,
	// predicted from what it was sent. It moves there up to the newest tick received,
	// and three ticks at 60 Hz are less than the view delay. With packet loss no send
	// is left out (beat).
	MovingBeat = 50 * time.Millisecond

	// ReorderTime is how much later than a packet another must have been sent, and
	// acked, for the first to be judged lost (protocol rule 12).
	ReorderTime = 15 * time.Millisecond

	// LongArrival is how many bytes an arrival may have, roughly, of which there are as many copies as the loss asks
	// for, up to five; of a longer one there are LongFewer fewer, but two. Copies pay for what is small, as most things
	// are: a world of pieces of 900 bytes took three times as many bytes at a loss of 5 %, and four times at 15 %.
	LongArrival = 256
	LongFewer   = 2

	// CopyUnit spaces the copies of arrivals and removals: copy n is due 16·(2ⁿ-1) ms
	// after the first. At 60 Hz, where a tick is a little longer, that is 1, 3 and 7
	// sends (protocol §5).
	CopyUnit = 16 * time.Millisecond

	// SpareShare is how full a budget's bucket must be before a send for copies of
	// changes to leave with it: so they take only what a peer would not use.
	SpareShare = 0.75

	// TablesGrace is how long new code tables wait for a peer that still uses the
	// tables they would replace, or that has acked no packet coded with later ones. It
	// is as long as a silent connection lives.
	TablesGrace = 10 * time.Second

	// MaxCounted is how much coded data is counted before the counts fade, if no new
	// tables have paid by then. Counts have 32 bits and are checked once a minute; the
	// bits left above MaxCounted then last for 50 million a second.
	MaxCounted = 1 << 30

	// BucketTime is how much unused budget a peer may save up (protocol rule 26).
	BucketTime = 250 * time.Millisecond

	// LineBucketTime is the same on a line that carries less than the budget: what waits on
	// the line is late by as much.
	LineBucketTime = 100 * time.Millisecond

	// LongestHold is the longest time in milliseconds that an ack can say it was kept for;
	// it stands for all longer ones, too.
	LongestHold = 255

	// LeastSend is the bytes of budget below which nothing is sent to a peer: a
	// packet's headers take 40. A starved peer gets fewer, fuller packets.
	LeastSend = 200

	// MinStay is how long a node that streamed in by distance stays at least.
	MinStay = 500 * time.Millisecond
)
