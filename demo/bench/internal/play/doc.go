// Package play plays a workload trace through the whole library but sockets, in
// virtual time: an authority, and proxies that receive bytes only, joined by a
// simulated network. It reports bytes, time, and whether every proxy had what
// the trace says.
//
// A tick runs in this order, and so do the files: the trace's row is written
// into the world, the server receives, extracts, streams, schedules and
// encodes (server), the clients receive and apply (client), what they hold is
// judged (judge, relevancy, visits), and figures are kept (tally, report).
package play
