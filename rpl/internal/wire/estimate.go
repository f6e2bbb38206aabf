package wire

import (
	"time"
)

// An Estimate is the mean of a time that is measured again and again, and how far
// measurements are from it, both smoothed as in RFC 6298, in microseconds. A mean of 0:
// not measured yet.
type Estimate struct{ Mean, deviation int32 }

// Sample takes a measurement into the estimate.
func (e *Estimate) Sample(d time.Duration) {
	t := int32(min(max(d, 0), time.Minute) / time.Microsecond)
	if e.Mean == 0 {
		e.Mean, e.deviation = max(t, 1), t/2
		return
	}
	off := t - e.Mean
	e.Mean = max(e.Mean+off/8, 1)
	e.deviation += (max(off, -off) - e.deviation) / 4
}

// Time is the mean.
func (e *Estimate) Time() time.Duration { return time.Duration(e.Mean) * time.Microsecond }

// Spread is how far measurements are from the mean, on average.
func (e *Estimate) Spread() time.Duration { return time.Duration(e.deviation) * time.Microsecond }

// Most is what a measurement hardly exceeds (RFC 6298).
func (e *Estimate) Most() time.Duration { return e.Time() + 4*e.Spread() }

// The packets over which the loss is averaged, at first and later.
const (
	LossFirst  = 20
	LossWindow = 200
)
