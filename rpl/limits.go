package rpl

import "time"

// Every limit of the core, with its reason. Those that a peer could push
// against are checked where its bytes are read; those that a game could reach
// fail with an error that names the thing and the remedy.
const (
	// PacketRoom is the datagram bytes that fit one packet: 1,200 bytes of UDP
	// payload pass every path in use (IPv6's minimum MTU of 1,280 less headers),
	// less 29 of the seal.
	PacketRoom = 1171

	// PacketOverhead is what the seal adds to a packet; budgets count it.
	PacketOverhead = 29

	// MaxTick is the last tick of a session: at 60 a second after 414 days, at 240
	// after 103. It is half of what 32 bits tell, so that which of two ticks is the
	// later one is never in doubt, and what counts ticks or sends does not come round.
	// In its last 16th (at 60 a second 26 days) Step warns of it, once.
	MaxTick    Tick = 1 << 31
	lateInLife      = MaxTick - MaxTick/16

	// maxLead is how far a packet's tick may be ahead of what is due by a proxy's time, and
	// by how long it has heard nothing more: as long as a connection lives without a word.
	// What says more was damaged or forged; were it believed, nothing that is true would
	// be new any more.
	maxLead = 10 * time.Second

	// MaxWeight is the most that a node can weigh against others: beyond it the ticks
	// that those have waited would be lost in the rounding of 24 bits.
	MaxWeight = 1 << 20

	// historyLen is the versions kept of a row on the authority: half a second
	// of changes at 60 sends a second, which covers a round trip of 400 ms with
	// a resend. An older base means a keyframe.
	historyLen = 32

	// maxHead is the number of a row's version beyond which its next tenant begins at 1
	// again: one tenant makes a version a tick, and there are as many ticks.
	maxHead = 1 << 31

	// baseLen is the versions that a proxy keeps of a row at most: twice those of
	// the authority, so that a base that the authority still has is never missing.
	baseLen = 64

	// firstVersions is the room for versions that a row on a proxy begins with: a
	// change in every tick of a round trip of 200 ms at 60 Hz. It is doubled as
	// needed. Both are powers of two.
	firstVersions = 16

	// lateVersions is how many versions a proxy keeps at least that are older than
	// the base named now, for packets that were overtaken; after each base that was
	// missing twice as many, up to mostLate. Few keep memory dense.
	lateVersions = 2
	mostLate     = 8

	// recordLen is the packets whose contents are remembered until acked: a
	// second of 17 packets a tick at 60 Hz. A power of two of at most 16 bits: what
	// is echoed of a number tells its place.
	recordLen = 1024

	// maxLate is how much older than the newest one a packet may be that a proxy takes:
	// by as many again the authority may be ahead of that, and still know what was in it.
	maxLate = recordLen / 2

	// fewRecords is how many that are at first, a power of two: half a second of
	// one packet a send at 60 Hz.
	fewRecords = 32

	// ackWindow is the packets that one ack header can speak of: all of those.
	ackWindow = recordLen

	// maxBurst is the bits of arrivals in one send without a budget: a fifth of
	// the records, so that a join does not push out what is not acked.
	maxBurst = recordLen / 5 * PacketRoom * 8

	// maxAcks bounds the acks of a peer that wait for the next Schedule; more are
	// taken at once.
	maxAcks = 256

	// maxRefusals is the rows that one packet of a peer can refuse: more than
	// that is a new join.
	maxRefusals = 64

	// unreadable is how many packets in a row that cannot be read make a proxy ask
	// for all anew (rule 11): one may be damaged by itself. Those of which it can name
	// the node or the row that is wrong do not count, for what is named is mended in a
	// round trip. But if more than one in readable cannot be read for longer than
	// hopeless, it asks as well: no network damages so many.
	unreadable = 3
	readable   = 16
	hopeless   = time.Second

	// doubtTries is how often a keyframe is asked for before its node is, and a node
	// before all is: as often goes unanswered once in 60 times where three in ten
	// packets are lost each way.
	doubtTries = 6

	// maxSkipped is the packets with skipped guesses that a proxy tells of at once: a
	// round trip of 200 ms of ten a tick, and few enough to fit a packet beside the
	// acks. More are refused whole.
	maxSkipped = 128

	// maxHandles bounds the nodes that one peer holds: what a handle's 16 bits
	// on the wire can name.
	maxHandles = 1 << 16

	// generations is how many nodes a handle has before one has the gen of an earlier
	// one: a byte's.
	generations = 1 << 8

	// MaxNodes bounds the authority's table. Twice the largest world we
	// measure; a proxy refuses higher slots.
	MaxNodes = 1 << 20

	// MaxItems bounds the items of one node (an ordinal's byte), MaxLayouts the different
	// sets of items that nodes have at a time, each in its order: peers keep them all.
	MaxItems   = 64
	MaxLayouts = 1 << 14

	// maxRows bounds the rows of one node, one for each item and who may see that part
	// of it: a row's number is a byte.
	maxRows = 255

	// MaxArgs is the bytes of a prefab's arguments: they must fit a datagram
	// beside the rest of an arrival.
	MaxArgs = 256

	// MaxName is the bytes of a load-time node's name.
	MaxName = 64

	// maxVar is the bytes of one variable-length value on the wire: what a block
	// carries.
	maxVar = 64 << 10

	// maxPart is the most of a reliable message that is given to the lane at once, longer
	// ones in parts: a bucket of 64 KB a second. maxLong is the longest there is: as many
	// values of maxVar as a node has items.
	maxPart = 16 << 10
	maxLong = MaxItems * maxVar

	// RPC argument limits in bytes, by lane: an unreliable call must fit a
	// datagram, a reliable one KCP's window.
	MaxUnreliableArgs = 1024
	MaxReliableArgs   = 4096

	// maxHeld bounds the reliable calls that wait for their nodes at a peer;
	// the authority holds back the rest.
	maxHeld = 64

	// maxCalls bounds the unreliable calls queued for one peer's next send.
	maxCalls = 256

	// maxWaiting bounds the reliable calls that wait at the authority for one
	// peer's nodes, and the messages that wait for its lane: some for each node of a
	// join. Calls beyond it are dropped and counted.
	maxWaiting = 4096

	// maxHandedOn is how many bytes may wait for a peer's lane when a reliable call of
	// another peer is handed on to it: about a second of the usual budget. With more of
	// them this machine's own calls and long values would come later and later.
	maxHandedOn = 256 << 10

	// maxDue bounds the calls that one peer may have run in one tick: at 60
	// ticks a second that is far above any game's input. More unreliable ones are
	// dropped and counted; reliable ones wait for the next tick, maxLater bytes of
	// them: ten seconds of two small ones a tick, which a lane may have held up.
	maxDue   = 64
	maxLater = 256 << 10

	// fenceAge is how long a removal may wait for a reliable message about its
	// node (protocol rule 3).
	fenceAge = 2 * time.Second

	// silence is how long a peer may ack nothing before its stream is frozen,
	// probeEvery how often it is then probed (protocol rule 36).
	silence    = time.Second
	probeEvery = 250 * time.Millisecond

	// heartbeat is the longest time without a state packet: clocks need ticks.
	heartbeat = 250 * time.Millisecond

	// movingBeat is the same while something moves by itself at the peer, as it
	// was told: it moves there by the newest tick that has come, and three ticks at
	// 60 Hz are less than what is drawn lags behind. Where packets are lost none leaves
	// out a send.
	movingBeat = 50 * time.Millisecond

	// reorderTime is how much later than another a packet must have been sent
	// and acked for the other to be judged lost (protocol rule 12).
	reorderTime = 15 * time.Millisecond

	// copyUnit spaces the copies of arrivals and removals: copy n is due
	// 16·(2ⁿ-1) ms after the first, which is 1, 3 and 7 sends at 60 Hz, where a
	// tick is a little longer (protocol §5).
	copyUnit = 16 * time.Millisecond

	// tablesGrace is how long new code tables wait for a peer that does not say that it
	// has the newest ones, or has acked nothing that was coded with them: as long as a
	// connection lives without a word.
	tablesGrace = 10 * time.Second

	// maxCounted is how much of what is coded is counted before counts fade without new
	// tables having paid: they have 32 bits, and are looked at once a minute, in which
	// the rest of these lasts for 50 million a second.
	maxCounted = 1 << 30

	// bucketTime is how much unused budget a peer may save up (rule 26).
	bucketTime = 250 * time.Millisecond

	// leastSend is the bytes of budget below which a peer is not sent anything:
	// a packet's headers take 40. A starved peer gets fewer and fuller packets.
	leastSend = 200

	// minStay is how long a node that streamed in by distance stays at least.
	minStay = 500 * time.Millisecond
)
