package netsim

import (
	"fmt"
	"math"
	"time"
)

// DefaultQueue is the bytes that may wait for a limited rate when Conditions.Queue
// is 0: about the queue of a home router.
const DefaultQueue = 64 << 10

// maxDelay is the longest Delay, and Jitter: with much longer ones the time at which a
// packet is due could exceed a Duration, and the packet would be there at once.
const maxDelay = 24 * time.Hour

// Conditions are how one direction of a network behaves. The zero value is a
// perfect network: everything arrives at once, in order.
type Conditions struct {
	Loss float64 // share of packets lost, 0…1
	// Burst is the mean length of a run of lost packets; at most 1 means that
	// each packet is lost independently. The share lost stays Loss.
	Burst     float64
	Delay     time.Duration // one way; at most a day
	Jitter    time.Duration // a uniform 0…Jitter is added to each packet's delay, so packets overtake each other; at most a day
	Late      float64       // share of packets that come LateBy later than the others, 0…1
	LateBy    time.Duration // at most a day
	Duplicate float64       // share of packets that arrive twice, each copy with a jitter of its own, 0…1
	Rate      int           // bytes per second; 0: no limit
	Queue     int           // bytes that may wait for a limited Rate; 0: DefaultQueue
	MaxSize   int           // in bytes: longer packets are dropped and counted; 0: no limit
}

// Check returns an error that names the first value that is out of range.
func (c Conditions) Check() error {
	switch {
	case !share(c.Loss):
		return fmt.Errorf("netsim: loss is %v; it is a share from 0 to 1", c.Loss)
	case !share(c.Late):
		return fmt.Errorf("netsim: %v of the packets are late; it is a share from 0 to 1", c.Late)
	case !share(c.Duplicate):
		return fmt.Errorf("netsim: duplication is %v; it is a share from 0 to 1", c.Duplicate)
	case math.IsNaN(c.Burst) || c.Burst < 0 || math.IsInf(c.Burst, 0):
		return fmt.Errorf("netsim: mean burst is %v packets; it is a finite number, at least 0", c.Burst)
	case c.LateBy < 0 || c.LateBy > maxDelay:
		return fmt.Errorf("netsim: late packets are late by %v; it is from 0 to %v", c.LateBy, maxDelay)
	case c.Delay < 0 || c.Jitter < 0 || c.Delay > maxDelay || c.Jitter > maxDelay:
		return fmt.Errorf("netsim: delay is %v, jitter %v; each is from 0 to %v", c.Delay, c.Jitter, maxDelay)
	case c.Rate < 0 || c.Queue < 0 || c.MaxSize < 0:
		return fmt.Errorf("netsim: rate is %d, queue %d, largest packet %d; none is below 0", c.Rate, c.Queue, c.MaxSize)
	}
	return nil
}

func share(v float64) bool { return v >= 0 && v <= 1 }

func (c Conditions) queue() int {
	if c.Queue == 0 {
		return DefaultQueue
	}
	return c.Queue
}

// burst is the mean length of a run of losses. At least one packet arrives between
// two runs, so a share of Loss needs runs of at least Loss/(1-Loss), even if Burst
// is less.
func (c Conditions) burst() float64 { return max(c.Burst, c.Loss/(1-c.Loss)) }

// begins is the chance that a run of losses begins at a packet that follows a
// received one; it is chosen so that the share of lost packets is Loss.
func (c Conditions) begins() float64 { return c.Loss / (c.burst() * (1 - c.Loss)) }
