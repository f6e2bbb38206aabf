// Package ids names what the core speaks of: peers, ticks, nodes, lanes and audiences. All
// other packages of the core stand on it.
//
//	ids.go     the names, and who may be meant by an audience
//	roster.go  peers found by their ids
//	nodeset.go sets of nodes that are made anew often
//	errors.go  the errors of the core, which callers distinguish
package ids
