// Package interest decides which peer shall have which node: by the node's own rule, by who
// owns a node of its tree, by groups, and by distance. Its decisions are a list that others
// carry out. Its cost goes with the nodes that have moved, appeared or changed their rules,
// not with nodes × peers.
//
// The files in the order of the data:
//
//	manager.go    what there is, by name; viewer.go: what is known of one peer
//	relevancy.go  the decisions of one send; called.go, going.go: those before it, for calls and removals;
//	              groups.go: sets of peers
//	cells.go      nodes come into the grid, move in it and go; report.go: whose lists hear of that
//	observers.go  where a peer sees from, and for how long; showing.go: what it is shown against the rules;
//	              lead.go: where it will see from, and what is worth sending first therefore
//	neighbourlist.go
//	              peers with a few observers: for each a list of the nodes near the boundary of its sight;
//	              boundary.go: those nodes; reach.go: the cells in which it finds them;
//	              neighbourlists.go: those of one peer; companions.go: observers that stand together
//	fullscan.go   any other peer: everything in reach is scanned
//	silent.go     peers of which nothing has come for long
//	large.go      nodes that are seen by their edge
//	slotlist.go   the nodes that a peer has for their distance
//	ahead.go      reading ahead
package interest
