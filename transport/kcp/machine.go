package kcp

import (
	"time"

	"github.com/tendonengine/tendon/transport/lane"
	"github.com/xtaci/kcp-go/v5"
)

// The settings of KCP. Congestion control is off: it lets the delay grow
// without bound at 5 % loss. In its place no more than lane.MaxWaiting segments
// are given to the machine (a few short ones more where one is lost), and a budget
// stands above both lanes.
const (
	noDelay    = 1  // least time before a repeat 30 ms
	interval   = 10 // ms between updates that emit
	fastResend = 2  // acknowledgements of later segments that mean lost
	noCongest  = 1
)

// A machine is the raw KCP state machine as a lane.Machine. It reads the clock
// of its process and ignores the time that it is told.
type machine struct{ k *kcp.KCP }

func newMachine(out func(segments []byte)) lane.Machine {
	k := kcp.NewKCP(lane.Conversation, func(buf []byte, size int) { out(buf[:size]) })
	k.NoDelay(noDelay, interval, fastResend, noCongest)
	k.WndSize(lane.Window, lane.Window)
	k.SetMtu(lane.MTU) // above 1,500 it panics later, in its buffers
	return machine{k}
}

// Send cannot fail: a chunk is neither empty nor longer than a segment.
func (m machine) Send(chunk []byte) { m.k.Send(chunk) }

// Input cannot fail: lane.Check has looked at all that it looks at.
func (m machine) Input(_ time.Duration, segments []byte) {
	m.k.Input(segments, kcp.IKCP_PACKET_REGULAR, false)
}

func (m machine) Recv(b []byte) int    { return m.k.Recv(b) }
func (m machine) Update(time.Duration) { m.k.Update() }
func (m machine) Waiting() int         { return m.k.WaitSnd() }
