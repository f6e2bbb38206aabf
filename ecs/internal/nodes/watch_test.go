package nodes

import (
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/rpl"
)

// A component has its reference to a node that is leaving until null is written into it. What compares the two, such
// as OnChange, must not take it for null before, and once it is null, for the same.
func TestHeldReferenceToANodeThatIsLeaving(t *testing.T) {
	w := donburi.NewWorld()
	table := &Table{World: w, ByID: map[rpl.Node]*Node{}, Changed: func(rpl.Node) {}}
	e := w.Create(components.Owner)
	n := table.New(e, components.NodeData{})
	n.ID = 7
	table.Add(n)
	held := Held{table}
	for _, leaving := range []bool{false, true} {
		n.Leaving = leaving
		if held.NodeOf(uint64(e)) != 7 || held.EntityOf(7) != uint64(e) {
			t.Errorf("leaving %v: node %v, entity %v", leaving, held.NodeOf(uint64(e)), held.EntityOf(7))
		}
		if got := table.NodeOf(uint64(e)) == 0; got != leaving {
			t.Errorf("leaving %v: a reference that is sent is null: %v", leaving, got)
		}
	}
	if held.NodeOf(uint64(e)+1) != 0 || held.EntityOf(8) != 0 {
		t.Error("what is not there has a node")
	}
}
