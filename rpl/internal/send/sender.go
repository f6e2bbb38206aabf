package send

import (
	"time"

	"github.com/tendonengine/tendon/rpl/internal/budget"
	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/figures"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/interest"
	"github.com/tendonengine/tendon/rpl/internal/link"
	"github.com/tendonengine/tendon/rpl/internal/marks"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// A Sender sends the peers the nodes that they shall have, and hears what they answer.
type Sender struct {
	store    *store.Store
	interest *interest.Manager

	Setup         Setup
	All           []*Peer
	ByID          ids.Roster[Peer]
	OnDecide      func(ids.Peer, ids.Node, bool)
	SharedHandles sharedHandles
	Tables        tables
	Updates       updates
	Planner       planner
	Calls         calls
	Receiver      receiver
	Accounts      accounts
	peaks         peaks
}

// NewSender makes a Sender without peers.
func NewSender(c Setup, k *coder.Coding, st *store.Store, in *interest.Manager) *Sender {
	s := &Sender{store: st, interest: in, Setup: c, ByID: ids.NewRoster[Peer]()}
	s.Tables = newTables(s, k, c.Hz)
	s.Updates = updates{store: st, sender: s}
	s.Planner = planner{store: st, sender: s, sendPeriod: time.Second / time.Duration(c.SendHz), budget: budget.NewBudget(c.Budget)}
	s.Calls = calls{store: st, sender: s}
	s.Receiver = receiver{store: st, sender: s}
	s.Setup.LeastCohort, s.Setup.LeastSharers = wire.LeastCohort, wire.LeastSharers
	s.Setup.LeastAgain = againLeast
	s.Accounts.Bits = make([]figures.Bits, len(st.Schema.Items()))
	return s
}

func newTables(s *Sender, k *coder.Coding, hz int) tables {
	t := tables{
		store: s.store, sender: s, Defaults: k.Defaults, Model: k.Defaults,
		Learner: coder.NewLearner(k.Types, hz), deaf: coder.NewLearner(k.Types, hz),
	}
	t.models[0] = k.Defaults
	t.Learner.Serve(t.Model)
	return t
}

// A Setup is what a Sender must know of the session.
type Setup struct {
	Hz, SendHz int
	Budget     int
	CheckEvery time.Duration
	Local      ids.Peer

	// From how many updates, or holders, on it pays to do something once for several peers:
	// NewSender sets them by the limits of package wire, tests lower them.
	LeastCohort, LeastSharers int

	LeastAgain int // from how many updates of a send on their names may go by runs; tests raise it
}

// tables are the code tables in use, and those being learned.
type tables struct {
	store  *store.Store
	sender *Sender

	Model    *coder.Model
	models   [4]*coder.Model
	modelMsg []byte // model as it is sent to peers; nil for the default tables
	Learner  *coder.Learner
	deaf     *coder.Learner // counts what must not be learned from (secret.go); never fitted
	secret   coded          // of what the counters count, what is of secret rows
	Fitting  *coder.Fitting // the fit under way, or nil
	fitted   coder.Counted  // when the last fit began, or ended in new tables
	Defaults *coder.Model   // the tables known from the schema alone; peers' own packets always use them
}

// coded counts updates of rows, and those of them that were coded for another peer before.
type coded struct{ records, shared uint64 }

// updates plan and code what peers are sent of the nodes that they hold or are to hold, as
// bundles.
type updates struct {
	store  *store.Store
	sender *Sender

	syms       []prefix.Sym // symbols of the bundles
	recs       []link.Entry // what the bundles carry, for the records of packets
	bundles    bundles      // all that was planned
	Cohorts    cohorts
	Agains     uint64         // sends whose updates were named by runs
	second     rowtype.Second // from which the lines of the update being coded start
	said       []rowtype.Said // what rows before the one being coded say of its words
	head       []prefix.Sym   // of the arrival being planned: scratch
	actions    []int          // what the update being planned does to each row of its node
	priorities priorities
	buf        []byte
	ahead      uint32           // sum of what was read ahead, so that the compiler keeps the reads
	ends       []*store.LastRow // scratch: what the rows of a node that is removed were
}

// A planner decides what each peer is sent.
type planner struct {
	store  *store.Store
	sender *Sender

	budget     budget.Budget
	sendPeriod time.Duration
	batches    [store.AheadPeers]marks.Batch
	group      []uint32    // handles of the nodes in one bundle of arrivals
	queueing   []contender // one peer's queue while it is sorted
	carrying   []uint32    // what own nodes in it hang on
	leaving    ids.NodeSet // nodes whose removal that peer has not acked
	order      []ranked    // one peer's updates by urgency
	burst      float64     // what is left of MaxBursts
	arrivals   int         // what is left of MaxArrivals
	joining    int         // peers that nodes wait for in this send, as far as was seen …
	joined     int         // … and in the send before
}

// calls are the calls that wait to be sent or to run.
type calls struct {
	store  *store.Store
	sender *Sender

	queue     wire.CallQueue
	early     []earlyCall
	round     uint32   // counts the ticks in which calls were run
	roundTick ids.Tick // the newest such tick
	heaped    bool     // some peer sent more reliable calls than one tick may run
}

// A receiver reads what peers send, and what that means for what they have.
type receiver struct {
	store  *store.Store
	sender *Sender

	packet      clientPacket
	packetBytes []byte
	losses      []*link.Record // scratch: packets that were just judged lost
}

// accounts count what was sent and what it cost.
type accounts struct {
	Counters    figures.Counters
	tooLong     ids.Node       // the last node that was logged as too long
	Bits        []figures.Bits // by item type
	OtherBits   figures.Bits
	RemovalBits uint64
}
