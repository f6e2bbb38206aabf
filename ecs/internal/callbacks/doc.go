// Package callbacks is how a game is told what has happened to nodes, and in which order:
// callbacks wait until all state of a batch is in place. They then run node by node, parents
// first: OnStreamIn, OnParent, OnOwner, then OnChange in order of registration.
//
//	queue.go   what waits, and in which order it runs
//	change.go  what OnChange compares, and the old value that it is given
package callbacks
