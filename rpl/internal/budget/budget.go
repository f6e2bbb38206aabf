package budget

import (
	"math"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// BundlesCost is what n chunks cost, with their names and their share of the packets'
// headers.
func BundlesCost(bits, n int) float64 {
	return float64(bits+n*wire.NameBits) * (1 + wire.HeaderBits/float64(8*wire.PacketRoom-wire.HeaderBits))
}

func BundleCost(bits int) float64 { return BundlesCost(bits, 1) }

// A Budget is what each peer may be sent.
type Budget struct {
	Rate int     // bytes a second; 0: no limit but that of what may be under way
	Size float64 // bytes of it that a peer may save up
}

// NewBudget makes a budget of so many bytes a second.
func NewBudget(rate int) Budget {
	return Budget{rate, max(float64(rate)*wire.BucketTime.Seconds(), wire.PacketRoom+wire.PacketOverhead)}
}

// A Bucket is what one peer may be sent: what its budget pays for, if it has one, and no more
// than may be under way.
type Bucket struct {
	Tokens    float64 // bytes in the bucket …
	Size      float64 // … which holds so many
	at        time.Duration
	Lane      float64 // bytes reserved for messages that wait for the reliable lane
	Room      float64 // bytes in the bucket beside those; negative: debt. Without a budget: bytes that may leave
	Left      float64 // bits not yet planned for, of room and of what may be under way
	Calls     float64 // bytes that unreliable calls have saved up
	paid      float32 // bytes charged for what the reliable lane holds or was given since Charge
	saved     float32 // bytes saved up for the lane's next message; 0: it does not save
	drains    float32 // bytes that the lane gets rid of from one send to the next, at most and lately
	atOnce    float32 // bytes that the lane has had without saving
	Short     bool    // it was not full after the last Refill
	corrected bool    // Charge reports what the lane sends
}

// Refill adds what the budget has given since the last send, or what the peer's line carries
// if that is less: carries is bytes a second, 0 for no limit. Reserve follows.
func (u *Bucket) Refill(b Budget, carries float64, now time.Duration) {
	pays := float64(b.Rate)
	u.Size = b.Size
	if carries > 0 {
		pays, u.Size = min(pays, carries), lineBucket(carries)
	}
	if u.at != 0 {
		more := pays * (now - u.at).Seconds()
		u.Short = u.Tokens+more < u.Size
		u.Tokens, u.Calls = min(u.Size, u.Tokens+more), min(u.Size/2, u.Calls+more/2)
		u.save(float32(more / 2))
	} else {
		u.Tokens, u.Calls = u.Size, u.Size/2
	}
	u.at = max(now, 1)
	u.Lane, u.Left = 0, 0
}

// save gives the reliable lane its half of what the budget gives. A debt of the lane's is paid first, or
// nothing else would leave between two long messages.
func (u *Bucket) save(half float32) {
	switch {
	case u.Tokens <= 0:
	case u.saved > 0:
		u.saved += half
	default:
		u.atOnce = max(0, u.atOnce-half)
	}
}

// lineBucket is the bytes that a peer may save up whose line carries so many a second: they
// all leave at once, and wait on the line.
func lineBucket(carries float64) float64 {
	return max(carries*wire.LineBucketTime.Seconds(), wire.PacketRoom+wire.PacketOverhead)
}

// Reserve sets aside bytes for the reliable lane. The rest is the room.
func (u *Bucket) Reserve(lane float64) {
	u.Lane = lane
	u.Room = u.Tokens - u.Lane
}

// SpendAll is Reserve where nothing waits for the lane.
func (u *Bucket) SpendAll() {
	u.Reserve(0)
	u.saved = 0
}

// Open starts planning with what there is, if that is worth a packet. flight is for how many
// packets there is room on the way. Without a budget that is all there is, and calls may
// have half of it.
func (u *Bucket) Open(b Budget, flight int) bool {
	bits := float64(flight * wire.PacketRoom * 8)
	if b.Rate == 0 {
		u.Room, u.Left, u.Calls = bits/8, bits, bits/16
		return true
	}
	if u.Room < wire.LeastSend {
		return false
	}
	u.Left = min(u.Room*8, bits) - wire.HeaderBits
	return true
}

// Hold holds back what is beyond so many bytes, and returns what Release gives back, in bits.
func (u *Bucket) Hold(bytes float64) (held float64) {
	held = max(0, u.Left-8*bytes)
	u.Release(-held)
	return held
}

// Release gives back what Hold has held back.
func (u *Bucket) Release(held float64) {
	u.Left += held
	u.Room += held / 8
}

// Afford charges a bundle to the room and reports whether the room pays for it. If nothing is
// planned yet (first) the room may be overdrawn once, so that a bundle larger than one send's
// share is not put off for ever (protocol rule 26).
func (u *Bucket) Afford(bits int, first bool) bool {
	cost := BundleCost(bits)
	if u.Left < cost && !(u.Room > 0 && first) {
		return false
	}
	u.Left -= cost
	return true
}

// ForLane is what is to be reserved, besides share, for the next message that waits for the reliable
// lane, and whether that pays for the whole message. What there is pays at once for one message, or several that
// cost half a bucket. Then, and where there is less than a message costs, it saves up half of what the
// budget gives, until the bucket is full: then nothing else wants the rest. So neither waits for ever: a
// message while other things leave as soon as there is enough for a small packet, nor these while there is a
// message in every send. One that costs more than the bucket holds leaves once the bucket is full.
// long is whether it is no call: see LaneTakes.
func (u *Bucket) ForLane(share, cost float64, long bool) (reserve float64, whole bool) {
	if !u.LaneTakes(share, cost, long) {
		return 0, false
	}
	most := min(cost, u.Size)
	switch need, pays := float32(most), u.Tokens-share >= most; { // rounded, it may be more than a full bucket has
	case pays && u.saved == 0 && (u.atOnce == 0 || u.atOnce+need <= float32(u.Size/2)):
		u.atOnce += need
		return cost, true
	case pays && u.saved >= need, share == 0 && u.Tokens >= u.Size: // beyond a full bucket nothing is saved
		u.saved = 0
		return cost, true
	}
	u.saved = min(max(u.saved, 1), float32(most))
	return min(float64(u.saved), cost-1), false
}

// Charge takes from the bucket what was given to the reliable lane.
func (u *Bucket) Charge(cost float64) {
	u.Tokens -= cost
	u.paid += float32(cost)
	u.saved = max(0, u.saved-float32(cost)) // what other things leave over pays for messages, too
}

// Correct corrects what was charged for the reliable lane by what it has sent since the last
// time, and what it still holds.
func (u *Bucket) Correct(sent, held int) {
	u.Tokens += float64(u.paid) - float64(sent+held)
	u.paid, u.corrected = float32(held), true
	u.drains = max(float32(sent), u.drains*0.9)
}

// LaneTakes is whether the reliable lane may be given so many more bytes now, besides share. A stalled
// lane holds at most a bucket of them: otherwise all would leave at once when it goes on. Of what is long it
// is given no more than it gets rid of until the next send: calls that come after that wait behind it.
func (u *Bucket) LaneTakes(share, bytes float64, long bool) bool {
	held := float64(u.paid) + share
	return !u.corrected || u.paid == 0 && share == 0 || held+bytes <= u.Size && (!long || held < max(float64(u.drains), wire.PacketRoom))
}

// LaneCost is what so many bytes of a reliable message are charged when they are given
// to the lane: its segments, and with packet loss a copy of the last, as transport/lane
// then repeats that. Correct mends that by what they did cost.
func LaneCost(bytes int, lossy bool) float64 {
	cost := bytes + (bytes/laneChunk+1)*laneOverhead
	if lossy {
		cost += bytes%laneChunk + laneOverhead
	}
	return float64(cost)
}

// What the reliable lane adds to a message, roughly: for each chunk a segment's header,
// its ack's, and a share of the packet's.
const (
	laneChunk    = 1100
	laneOverhead = 24 + wire.PacketOverhead
)

// LaneAhead is how many bytes of what is long may wait for the lane: so much that it is never without, and no more,
// since what comes first is decided when it gets in line.
func (u *Bucket) LaneAhead(b Budget) int {
	if b.Rate == 0 {
		return math.MaxInt32
	}
	return int(3 * max(u.drains, wire.PacketRoom))
}
