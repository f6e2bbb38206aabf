package play

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/tendonengine/tendon/demo/bench/trace"
)

// Options say what is played and how.
type Options struct {
	Trace *trace.Trace
	// Warm is played once before Trace, to learn code tables; with nil they are learnt
	// during Trace only.
	Warm *trace.Trace

	Clients int
	Radius  float64 // in the trace's unit; 0 is the whole world
	Send    int     // sends per second
	RTT     time.Duration
	Jitter  time.Duration
	Loss    float64 // 0…1, each way
	Budget  int     // bytes per second and client; 0 is none
	Workers int     // goroutines that encode
	Seed    uint64
	UDP     bool // over real KCP on 127.0.0.1, in real time
	// Explicit makes the game say which components have changed; without it the library
	// compares all of them.
	Explicit bool

	// Packets is called with a JSON line for every packet that the first client opens;
	// nil for none. The times of a run with Packets mean little.
	Packets func(line []byte)
}

// Limits of the options, and why.
const (
	maxClients = 1024             // what an endpoint accepts
	maxWorkers = 256              // more than any machine's cores
	maxDelay   = 10 * time.Second // beyond it a connection would have timed out
	maxSend    = 10_000           // a typing error: a rate above the trace's means the trace's rate anyway
	minBudget  = 21 + 64          // less than one small packet a second says nothing
)

// Check returns one sentence about the first argument that makes no sense.
func (o *Options) Check() error {
	switch {
	case o.Trace == nil:
		return errors.New("there is no trace to play: give one with -trace FILE")
	case o.Clients < 1 || o.Clients > maxClients:
		return fmt.Errorf("-clients is %d and must be 1 to %d", o.Clients, maxClients)
	case math.IsNaN(o.Radius) || math.IsInf(o.Radius, 0) || o.Radius < 0:
		return fmt.Errorf("-radius is %v and must be 0 for the whole world or a length in the trace's unit", o.Radius)
	case o.Send < 1 || o.Send > maxSend:
		return fmt.Errorf("-send is %d and must be 1 to %d sends per second", o.Send, maxSend)
	case o.RTT < 0 || o.RTT > maxDelay:
		return fmt.Errorf("-rtt is %v and must be 0 to %v", o.RTT, maxDelay)
	case o.Jitter < 0 || o.Jitter > maxDelay:
		return fmt.Errorf("-jitter is %v and must be 0 to %v", o.Jitter, maxDelay)
	case math.IsNaN(o.Loss) || o.Loss < 0 || o.Loss >= 1:
		return fmt.Errorf("-loss is %v and must be at least 0 and below 1", o.Loss)
	case o.Budget < 0 || o.Budget > 0 && o.Budget < minBudget:
		return fmt.Errorf("-budget is %d and must be 0 for none or at least %d bytes per second", o.Budget, minBudget)
	case o.Workers < 1 || o.Workers > maxWorkers:
		return fmt.Errorf("-workers is %d and must be 1 to %d", o.Workers, maxWorkers)
	case o.Radius > 0 && o.Trace.Column(trace.PosX) < 0:
		return errors.New("-radius needs a trace with a position, and this one has no field with the role pos.x")
	case o.Explicit && !isGenerated(o.Trace):
		return errors.New("-explicit needs a trace with the generator's fields: any other is no component")
	case o.Warm != nil && !o.Warm.SameFields(o.Trace):
		return errors.New("-warm needs a trace with the same fields at the same rate as the one that is measured")
	}
	return nil
}

// clean reports whether every packet arrives in order and no data waits for a budget.
// Then each value that a client holds must be right at each tick.
func (o *Options) clean() bool { return o.Loss == 0 && o.Jitter == 0 && o.Budget == 0 && !o.UDP }
