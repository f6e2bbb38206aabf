// Package netsim simulates a network in virtual time, from a seed: loss, loss
// in bursts, delay, jitter (and so reordering), duplication, a limited rate
// with a queue before it, and a largest packet.
//
// Path is one direction; Pair is both. A Path starts no goroutine and reads no
// clock: its callers pass the time. The same seed and the same calls give the
// same packets at the same times, so a failing test can be repeated from its seed.
//
// Each packet draws the same number of random values whatever the conditions are,
// so two runs that differ only in their loss see the same jitter.
//
// A Path is not safe for concurrent use.
package netsim
