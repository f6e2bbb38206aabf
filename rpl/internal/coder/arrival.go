package coder

// An arrival gives a peer a node: its handle and Node, its layout (prefab and items),
// its owner, its parent, and the state that the peer may see. The layout's definition
// is included until the peer is known to have it.
//
//	what it says, handle, gen 8, id slot, id tenant,
//	layout number, defined? [prefab+1, items, item+1 …],
//	owner? [peer 32], parent? [handle], name? [bytes], args? [bytes],
//	per row: visible? (absent if everyone may see the row), words, values

// Owners as arrivals and changes of owner code them.
const (
	OwnerNobody = iota
	OwnerYou
	OwnerOther
	ownerValues
)
