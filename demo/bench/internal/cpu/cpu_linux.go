package cpu

import (
	"time"

	"golang.org/x/sys/unix"
)

// Wall reports whether Now is wall-clock time instead of processor time.
const Wall = false

// Now returns the processor time that the process has used, to the nanosecond.
// getrusage counts in microseconds, which is as long as a stage.
func Now() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts); err != nil {
		panic("the process has no clock of its own: " + err.Error())
	}
	return time.Duration(ts.Nano())
}
