// Package play plays a workload trace through the whole library except its sockets, in
// virtual time: an authority and its proxies, which receive only bytes, connected by a
// simulated network. It reports bytes, processor time, and whether every proxy's state
// equals the trace.
//
// A tick runs in this order, with the files that do it: the trace's row is written into
// the world (world); the server receives, extracts, streams, schedules and encodes
// (server); the clients receive and apply (client); their state is compared with the
// trace (judge, relevancy, visits); the figures are kept (tally, report). session and
// measure run the ticks.
package play
