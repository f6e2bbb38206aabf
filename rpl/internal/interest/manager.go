package interest

import (
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/spatial"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
	"github.com/tendonengine/tendon/rpl/schema"
)

// A Manager decides which peer shall have which node.
type Manager struct {
	store *store.Store
	space *spatial.Space

	Rule       spatial.Interest
	Viewers    []*Viewer
	viewOf     ids.Roster[Viewer]
	views      *views             // observers of the peer that is looking now
	Judged     []uint32           // slots of trees whose relevance Stream must judge again
	called     []uint32           // … and of those that were judged for a call meanwhile
	calling    bool               // a tree is being judged for a call
	sightless  map[sightless]bool // see there, until the next Stream; nil: none, as nearly always
	asked      uint32             // the newest of the viewers' asked
	askedAbout map[uint32]bool    // slots that AskAgain has named since the last Stream, and their roots; nil: none
	grouped    wire.Bitset        // slots of nodes whose Relevance is Grouped
	outside    wire.Bitset        // slots of the roots that are not in the grid, and maybe of others
	numbered   int32              // how many numbers lists have had …
	freeLists  []int32            // … and those that are free again
	coming     []*Viewer          // peers for whom not all nodes are decided on yet
	wanting    int                // how many nodes may yet be decided on for them until the next Stream is over …
	MaxWanted  int                // … of so many
	showings   showings
	larges     larges
	preloading int              // preloads of all viewers
	preloaded  []*Viewer        // to see from those that came while nodes were decided on
	streaming  bool             // nodes are being decided on
	favours    spatial.Favourer // nil if the Rule has none
	Rates      spatial.Rater    // nil if the Rule has none
	concerned  wire.Bitset      // peers that hold or own a node of the tree that is being judged
	marks      wire.Bitset      // slots that are marked for a moment, while one peer is looked at …
	news       wire.Bitset      // … and those that were reported to it

	conditions  [schema.MaxGroups]func(ids.Peer) bool
	conditional bool

	Decisions      []decision   // not carried out yet
	Regrouped      []membership // not handled yet
	DistanceChecks uint64       // comparisons of a node's distance with a peer's observers
	FarOut         uint64       // times a node came to a place too far out for the grid's float32s
	touched        uint32       // sum of what was read ahead, so that the compiler keeps the reads
}

// NewManager makes a Manager without viewers. With no rule every node is relevant to everyone.
func NewManager(rule spatial.Interest, st *store.Store, space *spatial.Space) *Manager {
	favours, _ := rule.(spatial.Favourer)
	rates, _ := rule.(spatial.Rater)
	return &Manager{store: st, space: space, Rule: rule, favours: favours, Rates: rates, viewOf: ids.NewRoster[Viewer](), wanting: wire.MaxWanted, MaxWanted: wire.MaxWanted, showings: newShowings(st)}
}
