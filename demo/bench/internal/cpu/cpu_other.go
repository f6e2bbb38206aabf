//go:build !unix

package cpu

import "time"

// Wall reports whether Now is only wall-clock time.
const Wall = true

var start = time.Now()

// Now is wall-clock time: this system is asked for nothing better.
func Now() time.Duration { return time.Since(start) }
