package ecs

// sight: what a game says of single peers and nodes, beside NodeData and Config.Interest.

import (
	"math"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/rpl"
)

// Show makes a node, with the whole tree that it is in, visible to a peer wherever it is,
// whatever NodeData and Config.Interest say. It counts from the next send, until Hide or ByRule says
// otherwise of the node, the peer leaves (not while it is lost or builds a level), or the node is
// removed. Call it on the authority, for peers that have joined; elsewhere, and for what is no
// node, it is ignored and counted ("stale show"). A machine with a player has every node in any case.
func Show(e *donburi.Entry, to rpl.Peer) { setShowing("Show", e, to, rpl.Shown) }

// Hide hides a node from a peer, as Show shows it, with the whole tree that it is in, whatever else is shown
// there: what a hidden spy boards goes out of sight with it. A peer that owns a node of the tree has the tree
// all the same.
func Hide(e *donburi.Entry, from rpl.Peer) { setShowing("Hide", e, from, rpl.Hidden) }

// ByRule takes Show and Hide back: NodeData and Config.Interest decide again.
func ByRule(e *donburi.Entry, p rpl.Peer) { setShowing("ByRule", e, p, rpl.ByRule) }

func setShowing(what string, e *donburi.Entry, p rpl.Peer, s rpl.Showing) {
	r := of(e)
	if r == nil {
		return
	}
	n := r.nodes.Of(e.Entity())
	if n == nil || r.shared.Auth == nil || n == r.nodes.Session {
		r.shared.ScoldOf("stale show", what+", a node of", e, "Show, Hide and ByRule are for nodes on the authority, except the session's: ask rep.IsAuthority, and tendon.ID whether it is one")
		return
	}
	if (p == 0 || p != r.shared.Me) && r.shared.Auth.SetShowing(p, n.ID, s) != nil {
		r.shared.ScoldOf("stale show", what+" for a peer that is not here, of", e, "call it from OnJoin of that peer on", "peer", p)
	}
}

// Preload also shows a peer what is round a point, for a time, so that it is there when the player is taken
// there; Preloaded says whether it is. The point sees as an observer of scale 1 does (see components.Observer). Call it on the authority;
// elsewhere, for a peer that is not here, and without a Config.Interest it has no effect. An error wraps
// rpl.ErrRange for a time that is not above 0 or a place that is not finite, and rpl.ErrLimit while
// rpl.MaxPreloads (8) of the peer's are not over.
func (r *Replication) Preload(p rpl.Peer, at gmath.Vec, d time.Duration) error {
	mustBeMade("Preload", r)
	if r.shared.Auth == nil || p == r.shared.Me || r.shared.config.Interest == nil {
		return nil
	}
	err := r.shared.Auth.Preload(p, rpl.Observer{X: at.X, Y: at.Y}, r.line.Now(), d)
	if s := r.seats.seatOf(p); s != nil && s.in && err == nil {
		s.preloads.Ask(at, r.line.Now()+min(d, math.MaxInt64-r.line.Now()), r.seats.sends)
	}
	return err
}

// Preloaded reports, until the time of its Preload is over, whether a peer has what was in sight from a place
// when that was preloaded: the peer has said so, so it is a round trip and some after Preload, and later on
// lines that lose packets or carry little. Take the player there then, or when it takes too long. It is true
// where Preload has no effect, and false for a place that is not being preloaded.
func (r *Replication) Preloaded(p rpl.Peer, at gmath.Vec) bool {
	mustBeMade("Preloaded", r)
	if r.shared.Auth == nil || p == r.shared.Me || r.shared.config.Interest == nil {
		return true
	}
	s := r.seats.seatOf(p)
	return s == nil || !s.in || s.preloads.Here(at)
}

// AskAgain makes the next send ask Config.Interest anew about a node (nil: all nodes) for a
// peer (0: all peers): a door has opened, a faction has changed sides. Without it a
// rpl.Policy is asked again when the node or who looks at it has moved, and what it refuses
// stays for half a second after it has come; what is refused now goes in that send, also for a peer that
// is silent, and neither calls on it from now on nor its last state, if it is removed, reach the peer.
func (r *Replication) AskAgain(p rpl.Peer, e *donburi.Entry) {
	mustBeMade("AskAgain", r)
	if r.shared.Auth == nil {
		return
	}
	var id rpl.Node
	if e != nil {
		if id = ID(e); id == 0 {
			return
		}
	}
	r.shared.Auth.AskAgain(p, id)
}
