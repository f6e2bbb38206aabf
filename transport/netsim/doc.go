// Package netsim simulates a network, in virtual time and by seed: loss, loss
// in bursts, delay, jitter (and so reordering), duplication, a limited rate
// with a queue before it, and a largest packet.
//
// Path is one direction; Pair is both. A Path starts nothing and reads no
// clock: every call is told the time. The same seed and the same calls give
// the same packets at the same times, so a failing test is rerun by its seed.
//
// A packet draws the same number of random values whatever the conditions are:
// two runs that differ in their loss alone see the same jitter.
//
// A Path is not safe for concurrent use.
package netsim
