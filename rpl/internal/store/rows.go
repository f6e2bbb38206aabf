package store

import (
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/pages"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/internal/wire"
	"github.com/tendonengine/tendon/rpl/schema"
)

// The store holds the state of the authority's nodes. Each row (one part of one item of
// one node) keeps a ring of its last versions as quantised words. The world is read
// into the store once a tick; every later stage reads only the store.

// A Row is one part of one item of one node. Each of its versions is what prediction starts from: the
// state that it and its velocities predict. A new version is made only when the row
// departs from what the newest version predicts. So a straight walk is one
// version, however long it takes, and a baseline stays in the ring for as long as it is
// useful.
//
// A row is 64 bytes, one cache line, because peers ask for rows one by one.
type Row struct {
	Type    *rowtype.Type
	Vars    *rowVars // nil without variable-length props
	node    uint32   // slot of the row's node
	Block   uint32   // the row's block in the slab of its type
	History uint32   // the row's older versions in that slab
	Head    uint32   // number of the newest version; does not restart with a new tenant

	Left, Before uint32 // tick when the row last departed from its prediction, and the tick of the reference version of that

	Share    shared
	ShareVer uint8 // how many versions the base of share is behind head

	versions uint8 // how many versions of this tenant are kept; 0 until the row is first committed

	Touched bool // must be committed: it may have changed since it last was
	Moving  bool // expected to change by itself
	listed  bool // on the authority's list of moving rows
	Walked  bool // SetColumn commits it, not Schedule
	gone    bool
	Privacy Privacy
}

const noRow = ^uint32(0)

// rowVars holds the variable-length values of a row.
type rowVars struct {
	Now, head []any                   // the current values, and those of the newest version
	older     *[wire.HistoryLen][]any // nil until there is an older version
	bytes     int                     // how long the current values are as they are sent; 0: not known
}

// shared is the update of a row that was coded last. Other peers with the same baseline
// reuse it in the same send.
type shared struct {
	Key   uint32     // the send and the tables that the update was coded for: ShareKey
	Base  uint32     // says which the base is
	Codes prefix.Sym // the update, as the sender keeps it
}

func (st *Store) ShareKey(m *coder.Model) uint32 { return st.Send<<2 | uint32(m.Number) }

// item is one replicated component of a node.
type item struct {
	Type   *schema.ItemType
	shadow int       // offset of the shadow among the shadows of its type
	many   *[]uint32 // its rows, one for each part, unless there is one
	one    [1]uint32 // that
	Node   uint32
	tenant uint16 // of its slot
	Ord    uint8
}

// Rows are the item's rows, one for each part.
func (m *item) Rows() []uint32 {
	if m.many != nil {
		return *m.many
	}
	return m.one[:]
}

// NoteRate notes for a node whether it is in every send, where its Hz has changed.
func (st *Store) NoteRate(slot uint32) {
	for _, i := range st.Nodes[slot].Rows() {
		st.noteRate(&st.Rows[i], slot)
	}
}

func (st *Store) noteRate(r *Row, slot uint32) {
	s := &st.Slabs[r.Type.Index]
	switch {
	case len(r.Type.Counting) == 0:
	case st.Nodes[slot].Spawn.Hz > 0:
		s.rated.Set(r.Block)
	default:
		s.rated.Clear(r.Block)
	}
}

// newRow returns a row of a type for the node in a slot, with the words of a zero component and
// no version yet.
func (st *Store) newRow(t *rowtype.Type, slot uint32) uint32 {
	s := &st.Slabs[t.Index]
	var i uint32
	if n := len(s.Free); n > 0 {
		i = s.Free[n-1]
		s.Free = s.Free[:n-1]
		r := &st.Rows[i]
		r.node, r.gone = slot, false
		if r.Head++; r.Head > wire.MaxHead {
			r.Head = 1 // whatever was sent of those versions is long forgotten
		}
	} else {
		i = uint32(len(st.Rows))
		st.Rows = pages.Append(st.Rows, Row{Type: t, node: slot, Block: uint32(s.rows), History: NoHistory, Head: 1})
		s.rows++
		s.Owners = append(s.Owners, owner{Row: i, Item: NoSlot})
		s.Blocks = pages.Extend(s.Blocks, s.Block)
		s.sums = append(s.sums, 0)
		s.runs = append(s.runs, make([]run, len(t.Inferred))...)
		if len(t.Vars) > 0 {
			st.Rows[i].Vars = &rowVars{Now: make([]any, len(t.Vars))}
		}
	}
	r := &st.Rows[i]
	r.Share, r.versions, r.Touched, r.Moving = shared{}, 0, true, false
	st.noteRate(r, slot)
	now := st.Current(r)
	clear(now)
	for k := range t.Words {
		now[k] = t.Words[k].Default
	}
	*s.tracked(r.Block) = 0
	if s.exact != nil {
		s.exact.begin(r.Block, now, uint32(st.Tick))
	}
	if r.Vars != nil {
		for k := range r.Vars.Now {
			r.Vars.Now[k] = t.Vars[k].Type.Default()
		}
	}
	return i
}

// freeRow lets another node have a row.
func (st *Store) freeRow(i uint32) {
	r := &st.Rows[i]
	st.moveFromWalked(i)
	r.gone = true
	if r.Vars != nil { // let go of the values
		*r.Vars = rowVars{Now: r.Vars.Now}
		clear(r.Vars.Now)
	}
	s := &st.Slabs[r.Type.Index]
	s.Free = append(s.Free, i)
}

// setRow makes words and vars, those of a whole item, the current state of one of its
// rows, and reports whether that changed the row.
func (st *Store) setRow(i uint32, words []int32, vars []any) bool {
	r := &st.Rows[i]
	t := r.Type
	now := st.Current(r)
	changed := false
	if x := st.Slabs[t.Index].exact; x != nil {
		changed = x.take(t, r.Block, words, uint32(st.Tick))
	} else if t.When == nil {
		changed = t.Take(t.At(now), rowtype.WordsOf(words, len(t.Item.Words))) != 0
	} else {
		changed = takeSome(t, now, words)
	}
	for k, f := range t.FromV {
		if t.WhenV != nil && t.WhenV[k] >= 0 && words[t.WhenV[k]] == 0 {
			continue
		}
		if v := vars[f]; !t.Vars[k].Type.Equal(r.Vars.Now[k], v) && st.isBounded(r, k, v) {
			r.Vars.Now[k], r.Vars.bytes, changed = v, 0, true
		}
	}
	if changed {
		r.Touched = true
	}
	return changed
}

// takeSome makes words the current words of a row, but for those that do not follow the
// component now.
func takeSome(t *rowtype.Type, now, words []int32) (changed bool) {
	for k, f := range t.From {
		if f >= 0 && now[k] != words[f] && (t.When[k] < 0 || words[t.When[k]] != 0) {
			now[k], changed = words[f], true
		}
	}
	return changed
}

// Read is Authority.Set.
func (st *Store) Read(it itemSlot, component unsafe.Pointer) (changed bool) {
	m, h := &st.Items[it], &st.Hots[it]
	st.unwalk(it)
	sh := st.shadows[m.Type.Index]
	if m.Type.Unchanged(component, sh[m.shadow:m.shadow+m.Type.ShadowSize]) && h.Flags&(hotFresh|hotStale) == 0 {
		return false
	}
	h.Flags &^= hotStale
	words := st.scratch[:len(m.Type.Words)]
	vars := st.scratchVars[:len(m.Type.Vars)]
	if len(vars) > 0 {
		st.currentVars(m, vars)
	}
	m.Type.Extract(component, words, vars, st.refs)
	return st.set(it, words, vars)
}

// Place reads from the component of an item where its node is, before the item is read.
func (st *Store) Place(it itemSlot, component unsafe.Pointer) {
	m, h := &st.Items[it], &st.Hots[it]
	if h.Flags&hotPlace == 0 {
		return
	}
	words, vars := st.scratch[:len(m.Type.Words)], st.scratchVars[:len(m.Type.Vars)]
	st.currentVars(m, vars)
	m.Type.Extract(component, words, vars, st.refs)
	st.placeBy(it, words)
}

// currentVars fills vars with the current values of an item. Extract compares with
// them, so that a value that has not changed stays the same Go value.
func (st *Store) currentVars(m *item, vars []any) {
	for _, i := range m.Rows() {
		r := &st.Rows[i]
		for k, f := range r.Type.FromV {
			vars[f] = r.Vars.Now[k]
		}
	}
}

// SetWords is Authority.SetWords.
func (st *Store) SetWords(it itemSlot, words []int32) (changed bool) {
	st.unwalk(it)
	return st.set(it, words, nil)
}

// Begin begins a tick.
func (st *Store) Begin(t ids.Tick) {
	st.Tick = t
	st.Space.Unstamped = false
	for i := range st.Slabs {
		if s := &st.Slabs[i]; s.compared {
			s.turn(uint32(t))
			st.Turned = max(st.Turned, s.turned)
		}
	}
	for _, c := range st.Columns {
		if c != nil {
			c.given = false
		}
	}
}

// set makes words and vars the state of an item.
func (st *Store) set(it itemSlot, words []int32, vars []any) (changed bool) {
	m, h := &st.Items[it], &st.Hots[it]
	for _, i := range m.Rows() {
		if st.setRow(i, words, vars) {
			changed = true
		}
	}
	if changed {
		st.activate(m.Node)
	}
	if (changed || h.Flags&hotFresh != 0) && h.Flags&hotPlace != 0 && !st.catching {
		st.placeBy(it, words)
	}
	if h.Flags&hotFresh != 0 {
		h.Flags &^= hotFresh
		st.classify(h)
	}
	return changed
}

// placeBy has a node be where the words of its item say.
func (st *Store) placeBy(it itemSlot, words []int32) {
	m, h := &st.Items[it], &st.Hots[it]
	x, y := float64(words[m.Type.Pos[0]])*m.Type.PosStep, float64(words[m.Type.Pos[1]])*m.Type.PosStep
	if s := &st.Space.Positions[m.Node]; h.Flags&hotFresh != 0 || x != s.X || y != s.Y {
		st.setPosition(m.Node, x, y)
		st.unplace(h)
	}
}

// isBounded is whether a new value of a row's variable-length prop takes no more than its
// type allows: a game's own codec may write any number of bytes. A longer value is counted,
// and the first one of each field is logged.
func (st *Store) isBounded(r *Row, k int, v any) bool {
	prop := &r.Type.Vars[k]
	if prop.Codec().Sized() {
		return true
	}
	st.rooms.bytes = prop.Type.Append(st.rooms.bytes[:0], v)
	n, most := len(st.rooms.bytes), prop.MaxBytes()
	if n <= most {
		return true
	}
	st.Long.Count++
	if !st.Long.logged[prop] {
		if st.Long.logged == nil {
			st.Long.logged = make(map[*schema.Var]bool)
		}
		st.Long.logged[prop] = true
		st.Log.Warn("a value is not sent: its codec writes more than its MaxBytes; raise that, or spread the value over several fields",
			"node", st.Nodes[r.node].ID, "component", r.Type.Item.Name, "field", r.Type.Item.Props[prop.Prop].Name, "bytes", n, "most bytes", most)
	}
	return false
}

// setPosition sets where a node with a `pos` prop is, whenever that has changed, and notes that
// the node may be elsewhere in the grid, too.
func (st *Store) setPosition(slot uint32, x, y float64) {
	s := &st.Space.Positions[slot]
	s.X, s.Y = x, y
	st.Displaced = append(st.Displaced, slot)
}

// Words is Authority.Words.
func (st *Store) Words(item Item, dst []int32) []int32 {
	it, ok := st.Item(item)
	if !ok {
		return dst
	}
	m := &st.Items[it]
	at := len(dst)
	dst = append(dst, make([]int32, len(m.Type.Words))...)
	for _, i := range m.Rows() {
		r := &st.Rows[i]
		now := st.Current(r)
		for k, f := range r.Type.From {
			if f >= 0 {
				dst[at+f] = now[k]
			}
		}
	}
	return dst
}
