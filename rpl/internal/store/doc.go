// Package store holds the state of the authority's nodes: their tree, items and owners, and
// for each row (one part of one item) its last versions as quantised words. Components are
// read into it once a tick; what is sent reads only the store. It calls nobody: it reports
// the nodes of which a row has departed from its prediction (CommitAll), and the nodes that
// may be elsewhere (Displaced).
//
// The files in the order of the data:
//
//	store.go                    what there is, by name
//	node.go, tree.go            nodes, their parents and owners; streaming.go: how they are sent;
//	                            holder.go: the peers to which they are relevant;
//	                            nodelists.go: some of them, by name;
//	                            secret.go: who may know; few.go: short lists; audience.go: whether anybody has one;
//	                            spare.go: what free slots give back
//	item.go, layout.go          items, and which of them a node has
//	rows.go, versions.go        rows: Set; their versions: commit, what peers will know
//	length.go                   how long an arrival is, roughly
//	lastrow.go                  what rows of removed nodes were in the end
//	tolerance.go, reckon.go     what is near enough to what peers have, or to what a function makes of that
//	slab.go, history.go         where rows and their older versions lie
//	hot.go                      what a tick reads of an item
//	column.go, explicit.go      many components at once
//	walk.go, walkplan.go        reading them: place.go: where nodes are; steer.go: which rows have departed;
//	                            blockorder.go: the order of memory; ahead.go: reading ahead
//	fraction.go, infer.go, pays.go, borrow.go
//	                            fractions of a step, and velocities that no component has;
//	                            compare.go: whether these pay for a type as a whole
package store
