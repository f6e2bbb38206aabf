package kcp

import (
	"time"

	"github.com/tendonengine/tendon/transport/lane"
	"github.com/xtaci/kcp-go/v5"
)

// Stock KCP, with which the lane's own machine must be able to speak. Its congestion control
// is off, as the machine has none: with it the delay grows without bound at 5 % loss.
const (
	noDelay    = 1  // retransmit after 30 ms at the earliest
	interval   = 10 // ms between updates that emit
	fastResend = 2  // acks of later segments after which a segment counts as lost
	noCongest  = 1
)

// A stock is the raw KCP state machine as a lane.Machine. KCP reads the clock of the
// process, so it ignores the time passed to it.
type stock struct{ k *kcp.KCP }

func newStock(out func(segments []byte)) lane.Machine {
	k := kcp.NewKCP(lane.Conversation, func(buf []byte, size int) { out(buf[:size]) })
	k.NoDelay(noDelay, interval, fastResend, noCongest)
	k.WndSize(lane.Window, lane.Window)
	k.SetMtu(lane.MTU) // above 1,500 KCP panics later, in its buffers
	return stock{k}
}

// Send cannot fail: a chunk is not empty and fits in one segment.
func (m stock) Send(chunk []byte) { m.k.Send(chunk) }

// Input cannot fail: lane.Check has already checked everything that KCP checks.
func (m stock) Input(_ time.Duration, segments []byte) {
	m.k.Input(segments, kcp.IKCP_PACKET_REGULAR, false)
}

func (m stock) Recv(b []byte) int      { return m.k.Recv(b) }
func (m stock) Update(time.Duration)   { m.k.Update() }
func (m stock) Waiting() int           { return m.k.WaitSnd() }
func (m stock) Bound(int)              {}
func (m stock) Carries(int)            {}
func (m stock) Most(time.Duration) int { return lane.MaxWaiting }
