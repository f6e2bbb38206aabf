package ecs_test

// The conditions under which a field is sent to a peer.

import (
	"testing"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// VaultData has a field for each condition.
type VaultData struct {
	All    uint8 `rpl:""`
	Mine   uint8 `rpl:"to=owner,notify"`
	Theirs uint8 `rpl:"to=others,notify"`
	Open   bool  `rpl:""`
	Inside uint8 `rpl:"if=Open"`
	Near   uint8 `rpl:"to=near vault"`
}

var (
	NearVault = tendon.NewGroup(proto, "near vault")
	Vault     = tendon.Replicate(proto, "vault", donburi.NewComponentType[VaultData]())
)

// Each condition (owner, others, the item's own state, a function of the viewer) hides
// its field from peers that may not see it. A peer that gains the right while it has the
// node is sent the field, and a peer that loses the right forgets the field.
func TestConditions(t *testing.T) {
	for name, c := range map[string]netsim.Conditions{"lan": lan, "lossy": {Delay: 40e6, Jitter: 20e6, Loss: 0.2}} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, c)
			server, ann, bob := l.server(tendon.Config{}), l.client(tendon.Config{}), l.client(tendon.Config{})
			l.joined()
			near := rpl.Peer(0)
			NearVault.While(server.Replication, func(p rpl.Peer) bool { return p == near })
			e := server.Create(Vault)
			id := tendon.ID(e)
			set := func(fn func(v *VaultData)) { fn(Vault.Get(server.find(id))) }
			set(func(v *VaultData) { *v = VaultData{All: 1, Mine: 2, Theirs: 3, Inside: 4, Near: 5} })
			tendon.Give(e, ann.Me())
			sees := func(what string, a, b VaultData) {
				t.Helper()
				l.steps(120) // lost packets have been sent again by then
				l.until(what, func() bool { return ann.has(id) && bob.has(id) })
				check(t, what+": ann", *Vault.Get(ann.find(id)), a)
				check(t, what+": bob", *Vault.Get(bob.find(id)), b)
			}
			sees("at first", VaultData{All: 1, Mine: 2}, VaultData{All: 1, Theirs: 3})

			tendon.Give(server.find(id), bob.Me())
			sees("given to bob", VaultData{All: 1, Theirs: 3}, VaultData{All: 1, Mine: 2})
			set(func(v *VaultData) { v.Mine, v.Theirs = 20, 30 })
			sees("changed", VaultData{All: 1, Theirs: 30}, VaultData{All: 1, Mine: 20})
			tendon.Give(server.find(id), 0)
			sees("nobody's", VaultData{All: 1, Theirs: 30}, VaultData{All: 1, Theirs: 30})

			set(func(v *VaultData) { v.Open = true })
			open := VaultData{All: 1, Theirs: 30, Open: true, Inside: 4}
			sees("open", open, open)
			set(func(v *VaultData) { v.Open, v.Inside = false, 40 })
			l.steps(120)
			for _, m := range []*machine{ann, bob} {
				if v := Vault.Get(m.find(id)); v.Open || v.Inside == 40 {
					t.Errorf("%s sees into what is shut: %+v", m.name, *v)
				}
			}
			set(func(v *VaultData) { v.Open = true })
			open.Inside = 40
			sees("open again", open, open)

			near = bob.Me()
			by := open
			by.Near = 5
			sees("bob is near", open, by)
			near = ann.Me()
			sees("ann is near", by, open)
			set(func(v *VaultData) { v.Near = 50 })
			by.Near = 50
			sees("ann is near still", by, open)
		})
	}
}
