// Package cpu reads the processor time of this process, all threads together,
// so that a figure does not depend on what else the machine does.
package cpu

import "time"

// A Stopwatch adds up the processor time of one stage.
type Stopwatch struct {
	started time.Duration
	Total   time.Duration
}

// Start begins a lap.
func (s *Stopwatch) Start() { s.started = Now() }

// Stop ends the lap that Start began and returns its time.
func (s *Stopwatch) Stop() time.Duration {
	lap := Now() - s.started
	s.Total += lap
	return lap
}
