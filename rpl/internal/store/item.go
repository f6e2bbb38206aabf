package store

// Item names one item of one node on an authority, until the item or its node is removed.
// Like a Node it says which of the items that have had its slot it is, so that a name that
// was kept for too long reaches no other item. The zero Item is none.
type Item uint64

// NoItem is no item: an empty row of a Column.
const NoItem = ^Item(0)

// itemSlot is an item's index in the authority's table; later items use it again.
type itemSlot uint32

const NoSlot = ^itemSlot(0)

// NameOf returns the name of the item in a slot.
func (st *Store) NameOf(it itemSlot) Item {
	return Item(st.Items[it].tenant)<<32 | Item(it)
}

// Item returns the slot of an item that exists.
func (st *Store) Item(item Item) (itemSlot, bool) {
	it := itemSlot(item)
	return it, uint(it) < uint(len(st.Items)) && item>>32 == Item(st.Items[it].tenant)
}
