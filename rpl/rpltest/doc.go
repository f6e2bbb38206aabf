// Package rpltest runs replication cores against each other on a virtual clock
// and a simulated network: what a test of the core, or of an adapter without a
// transport, needs.
//
//	net.go       cores on a simulated network; main.go: the TestMain of random tests
//	recorder.go  what was reported to a client's adapter
package rpltest
