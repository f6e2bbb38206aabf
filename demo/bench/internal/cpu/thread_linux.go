package cpu

import (
	"time"

	"golang.org/x/sys/unix"
)

// Thread returns the processor time that the calling thread has used. Call
// runtime.LockOSThread first: the garbage collector's threads, and what else the program
// does beside, are then left out.
func Thread() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		panic("the thread has no clock of its own: " + err.Error())
	}
	return time.Duration(ts.Nano())
}
