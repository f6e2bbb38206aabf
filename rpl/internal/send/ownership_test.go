package send

import (
	"slices"
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/link"
	"github.com/tendonengine/tendon/rpl/internal/store"
)

// An update with a new owner says a forget again while that is under way, and then no more: of a row that
// the peer never had, or is known to have forgotten, and of one that all see, it says nothing.
func TestAForgetIsSaidAgainWhileItIsUnderWay(t *testing.T) {
	var p Peer
	var r receiver
	p.lives.prepare()
	p.States = []handleState{{State: HandleIn, nrows: 3}}
	p.rows.all = make([]peerRow, 3)
	e := &p.States[0]
	const everyones, nevers, formers = 0, 1, 2
	p.row(e, everyones).acked, p.row(e, everyones).ackedTick = 1, 5
	p.row(e, everyones).flight, p.row(e, everyones).flightTick = 1, 5
	p.row(e, nevers).hide(true)
	forget := []link.Entry{{Kind: recForget, Row: formers}}
	actions := func() []int {
		u := updates{actions: []int{coder.RowSame, coder.RowSame, coder.RowSame}}
		if rare := u.addUnderway(&p, 0, e, &store.Node{}); rare != slices.Contains(u.actions, coder.RowForget) {
			t.Errorf("rare is %t with the actions %v", rare, u.actions)
		}
		return u.actions
	}
	again, not := []int{coder.RowSame, coder.RowSame, coder.RowForget}, []int{coder.RowSame, coder.RowSame, coder.RowSame}
	p.sent(forget, 10, 0)
	p.sent(forget, 12, 0)
	if got := actions(); !slices.Equal(got, again) {
		t.Errorf("while both are under way: %v", got)
	}
	r.lostEntries(&p, forget, 10)
	if !p.row(e, formers).hidden() {
		t.Error("the first was lost and the second is under way: it is sent a third time")
	}
	if got := actions(); !slices.Equal(got, again) {
		t.Errorf("once the first was lost: %v", got)
	}
	r.arrivedEntries(&p, forget, 12, false)
	if got := actions(); !slices.Equal(got, not) {
		t.Errorf("once the second was acked: %v", got)
	}
	p.sent(forget, 20, 0)
	r.lostEntries(&p, forget, 20)
	if p.row(e, formers).hidden() {
		t.Error("the only one was lost: it is not sent again")
	}
}
