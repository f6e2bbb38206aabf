//go:build unix && !linux

package cpu

import (
	"syscall"
	"time"
)

// Wall reports whether Now is wall-clock time instead of processor time.
const Wall = false

// Now returns the processor time that the process has used, to the microsecond.
func Now() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic("getrusage: " + err.Error())
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
