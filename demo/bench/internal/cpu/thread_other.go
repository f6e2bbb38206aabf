//go:build !linux

package cpu

import "time"

// Thread returns the process's time, because this system tells no thread's.
func Thread() time.Duration { return Now() }
