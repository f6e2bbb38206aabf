//go:build !unix

package cpu

import "time"

// Wall reports whether Now is wall-clock time instead of processor time.
const Wall = true

var start = time.Now()

// Now returns wall-clock time, because the bench reads no better clock on this system.
func Now() time.Duration { return time.Since(start) }
