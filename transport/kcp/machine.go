package kcp

import (
	"time"

	"github.com/tendonengine/tendon/transport/lane"
	"github.com/xtaci/kcp-go/v5"
)

// The settings of KCP. Congestion control is off, because with it the delay grows
// without bound at 5 % loss. Two other limits replace it: the lane gives the machine
// at most lane.MaxWaiting segments (up to lane.MaxBehind short ones behind a lost
// one), and the sender keeps both lanes within a budget.
const (
	noDelay    = 1  // retransmit after 30 ms at the earliest
	interval   = 10 // ms between updates that emit
	fastResend = 2  // acks of later segments after which a segment counts as lost
	noCongest  = 1
)

// A machine is the raw KCP state machine as a lane.Machine. KCP reads the clock of
// the process, so the machine ignores the time passed to it.
type machine struct{ k *kcp.KCP }

func newMachine(out func(segments []byte)) lane.Machine {
	k := kcp.NewKCP(lane.Conversation, func(buf []byte, size int) { out(buf[:size]) })
	k.NoDelay(noDelay, interval, fastResend, noCongest)
	k.WndSize(lane.Window, lane.Window)
	k.SetMtu(lane.MTU) // above 1,500 KCP panics later, in its buffers
	return machine{k}
}

// Send cannot fail: a chunk is not empty and fits in one segment.
func (m machine) Send(chunk []byte) { m.k.Send(chunk) }

// Input cannot fail: lane.Check has already checked everything that KCP checks.
func (m machine) Input(_ time.Duration, segments []byte) {
	m.k.Input(segments, kcp.IKCP_PACKET_REGULAR, false)
}

func (m machine) Recv(b []byte) int    { return m.k.Recv(b) }
func (m machine) Update(time.Duration) { m.k.Update() }
func (m machine) Waiting() int         { return m.k.WaitSnd() }
