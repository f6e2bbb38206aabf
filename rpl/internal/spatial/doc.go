// Package spatial keeps where nodes are: the exact place of each, and a grid that has it
// right within a slack, so that most moves write nothing but the place. The neighbour lists of
// peers that cover a cell of the grid hear of the nodes that leave their place there. It knows
// nodes by their slots and peers by their indices, and decides nothing.
//
// The files in the order of the data:
//
//	space.go        places, the grid over them, and what a tick notes of both
//	grid.go         cells, and the nodes in them
//	subscribers.go  whose lists cover which cell, and what is reported to them
//	watched.go      nodes that nobody is near
//	rings.go        the distances by which a list decides, as integers
//	interest.go     the rule of who sees what: Interest, and the usual one, Grid
package spatial
