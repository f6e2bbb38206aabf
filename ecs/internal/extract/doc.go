// Package extract reads the authority's world, once a step for all peers: which entities are
// nodes, and what they hold. It hands both to the core.
//
//	extract.go  components to the core, and what new nodes are told
//	plan.go     which node and which item each row of an archetype is
//	life.go     how nodes begin and end
//	extents.go  how far they reach
package extract
