// Package differ says in what two machines of one process, a server and a client of it,
// have a node otherwise: for a game's own tests.
package differ

import (
	"fmt"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/predict"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/schema"
)

// A Side is one of the two machines.
type Side struct {
	*nodes.Base
	Nodes *nodes.Table
}

// Items reports each tagged field that the client may see and has otherwise than the server,
// as it travels. field is empty where the whole component is missing.
func Items(server, client Side, a, b *nodes.Node, report func(component, field, text string)) {
	for ord := range a.Items {
		c := a.Items[ord].Comp
		ea, pa := server.Component(&a.Items[ord])
		if pa == nil {
			continue
		}
		if ord >= len(b.Items) || b.Items[ord].Comp != c {
			report(c.Name, "", "the client does not have the component")
			continue
		}
		eb, pb := client.Component(&b.Items[ord])
		if pb == nil {
			report(c.Name, "", "the client does not have the component")
			continue
		}
		it := c.Item
		wa, wb := make([]int32, len(it.Words)), make([]int32, len(it.Words))
		va, vb := make([]any, len(it.Vars)), make([]any, len(it.Vars))
		it.Extract(server.Tagged(c, ea, pa), wa, va, server.Nodes)
		it.Extract(client.Tagged(c, eb, pb), wb, vb, client.Nodes)
		for i := range it.Props {
			p := &it.Props[i]
			if !seen(p, wa, b.Owner == client.Me) {
				continue
			}
			for w := p.Words[0]; w < p.Words[1]; w++ {
				if wa[w] != wb[w] && (b.Predicted == nil || predict.Apart(p, &it.Words[w], wb[w], wa[w], 1) != 0) {
					report(c.Name, p.Name, fmt.Sprintf("%v steps on the server, %v on the client", wa[w], wb[w]))
					break
				}
			}
			for v := p.Vars[0]; v < p.Vars[1]; v++ {
				if !it.Vars[v].Type.Equal(va[v], vb[v]) {
					report(c.Name, p.Name, fmt.Sprintf("%v on the server, %v on the client", va[v], vb[v]))
				}
			}
		}
	}
}

// seen reports whether a client should have a field as the server has it now.
func seen(p *schema.Prop, server []int32, owns bool) bool {
	return !p.Once && (p.If < 0 || server[p.If] != 0) && (p.Audience == rpl.Everyone || p.Audience == rpl.OwnerSees && owns)
}
