package nodes

// table: who drives what.

import (
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/rpl"
)

func (ns *Table) DriverOf(e *donburi.Entry) rpl.Peer {
	if n := ns.Of(e.Entity()); n != nil {
		return n.Owner
	}
	return 0
}
