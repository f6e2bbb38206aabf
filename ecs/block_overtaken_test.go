package ecs_test

// Large components, of which one change is sent as a block on the reliable lane and the next in a packet.

import (
	"strings"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type bookData struct {
	Text  string `rpl:"max=20000"`
	Notes string `rpl:"max=200,to=owner"`
	Page  int64  `rpl:""`
}

// A block that packets have overtaken is late, and nothing is wrong: its base, which those have replaced, is not
// missed, and nothing is sent whole for it.
func TestOvertakenBlocks(t *testing.T) {
	refused := uint64(0)
	for seed := range uint64(12) {
		p := tendon.NewProtocol("library")
		book := tendon.Replicate(p, "book", donburi.NewComponentType[bookData]())
		lab := tendontest.NewLab(t, tendontest.Game{Protocol: p, Seed: seed + 1, Step: func(*tendontest.Machine) {}}, netsim.Conditions{Delay: 150 * time.Millisecond, Loss: 0.2})
		server, client := lab.Host(), lab.Join()
		e := server.Create(book)
		letters := func(n int) string {
			b := make([]byte, n)
			for i := range b {
				b[i] = byte('!' + server.Rand.IntN(90))
			}
			return string(b)
		}
		lab.Steps(60)
		for i := range 900 {
			is := book.Get(e)
			switch {
			case i%20 < 8 && len(is.Text) < 15000:
				is.Text += letters(1400)
			case len(is.Text) >= 15000:
				is.Text = is.Text[:1000]
			default:
				is.Text = strings.ToUpper(is.Text[:1]) + is.Text[1:]
				is.Page++
			}
			if i%100 == 0 {
				tendon.Give(e, client.Me()*rpl.Peer(i/100%2))
				is.Notes = letters(20)
			}
			lab.Steps(1)
		}
		lab.Steps(400)
		lab.CheckEqual()
		for what, n := range client.Counters() {
			if what == "packet refused" {
				refused += n
			}
		}
	}
	if t.Logf("%d blocks refused", refused); refused > 14 { // 6 on average, those that may have had news; 28 if all are
		t.Errorf("%d blocks were refused", refused)
	}
}
