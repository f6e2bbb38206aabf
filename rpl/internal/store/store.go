package store

import (
	"log/slog"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/internal/spatial"
	"github.com/tendonengine/tendon/rpl/internal/wire"
	"github.com/tendonengine/tendon/rpl/schema"
)

// A Store holds the nodes and their state.
type Store struct {
	Log    *slog.Logger
	Schema *schema.Schema
	refs   schema.Refs
	hz     int

	Tick ids.Tick
	Send uint32   // counts the sends
	Sent ids.Tick // of the newest send
	Now  time.Duration

	Turned ids.Tick // when rows of a type were last given velocities, or lost them, because of what they take (compare.go)

	Space *spatial.Space

	Types   []*rowtype.Type
	typesOf [][]*rowtype.Type // by item type

	Nodes     []Node
	FreeSlots []uint32
	owned     map[ids.Peer][]uint32 // slots of nodes by their owners
	Layouts   layoutTable
	Items     []item
	Hots      []hot // by item
	spare     spareSlots
	shadows   [][]byte // by item type
	Rows      []Row
	Slabs     []slab // by row type

	round     uint32   // marks nodes as on the active list; counted up by settleAll
	active    []uint32 // slots of nodes that changed since the last send
	off       []uint32 // rows that are not what the game has, within a tolerance
	moving    []uint32 // rows that change by themselves, as their velocity is not zero
	dirty     []uint32 // slots of nodes of which a row has departed from its prediction since the last CommitAll
	Displaced []uint32 // slots of nodes that may be elsewhere than the grid has them

	Columns  []*Column
	places   []place       // by item type
	departed []departedRow // rows that the walk found to have departed from their prediction
	catching bool          // catchUp is running

	scratch     []int32 // one item's words …
	scratchVars []any   // … and its variable-length values
	rooms       rooms
	sum         uint32 // of what was read ahead, so that the compiler keeps the reads

	audience audience
	reckons  rowtype.Reckoning

	Long    longValues
	Secrets bool // there has been a secret row
}

// rooms hold rows that methods return, until their next call, and what methods need meanwhile.
type rooms struct {
	bytes     []byte
	predicted []int32 // of VersionAt, and scratch of reckon
	known     []int32 // of Known
	before    []int32 // of SecondAt
}

// A longValues counts the values that are longer than their codec's bound.
type longValues struct {
	Count  uint64
	logged map[*schema.Var]bool // props of which one was logged
}

// A layoutTable holds the layouts of nodes.
type layoutTable struct {
	ByKey       map[string]*wire.NodeLayout
	Numbered    []*wire.NodeLayout // by number: the newest layout that has it
	Renumbered  []uint32           // numbers that another layout has now
	freeNumbers []uint32           // to use again, the lowest last
	editions    uint32             // how many layouts there have been
}

// NewStore makes a store without nodes. stride is the ticks from one send to the next, at most.
func NewStore(k *coder.Coding, c *schema.Schema, refs schema.Refs, by schema.Reckoner, hz int, stride uint32, log *slog.Logger, space *spatial.Space) *Store {
	items := c.Items()
	s := &Store{
		Log: log, Schema: c, refs: refs, hz: hz, round: 1, Space: space,
		owned: make(map[ids.Peer][]uint32), reckons: rowtype.NewReckoning(by, c, hz),
		Types: k.Types, typesOf: k.ByItem, Layouts: layoutTable{ByKey: make(map[string]*wire.NodeLayout)},
		spare: spareSlots{items: make([][]itemSlot, len(items))}, shadows: make([][]byte, len(items)),
	}
	words, vars, width := 0, 0, 0
	for _, t := range items {
		words, vars = max(words, len(t.Words)), max(vars, len(t.Vars))
		s.places = append(s.places, newPlace(t))
	}
	for _, t := range s.Types {
		s.Slabs = append(s.Slabs, newSlab(t))
		s.Slabs[len(s.Slabs)-1].Stride = stride
		width = max(width, t.Width)
	}
	s.scratch, s.scratchVars = make([]int32, words), make([]any, vars)
	s.rooms.predicted, s.rooms.known, s.rooms.before = make([]int32, width), make([]int32, width), make([]int32, width)
	return s
}
