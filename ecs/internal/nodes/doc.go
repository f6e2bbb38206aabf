// Package nodes is what a machine knows of its nodes: which entities and components they
// are, what hangs below what, and the tables that lead there. It tells nobody of changes;
// those who change it do.
//
//	base.go      what the parts of a session work on
//	kinds.go     component types; prefab.go: prefabs; args.go: references in calls
//	node.go      a node and its items; table.go: what leads to nodes
//	former.go    where a node that is drawn hung before, what it slips by, where it stands; reason.go: why one ends
//	assembly.go  what a node of several entities consists of; repoint.go: what references become
//	items.go     items by ordinal; part.go: entities that share a node; tree.go: parents and children;
//	             place.go: where an item says that it is, and places below one another
//	watch.go     an item as it was seen last; session.go: what the session's own node carries
package nodes
