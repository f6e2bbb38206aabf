package rpl_test

import (
	"math/rand/v2"
	"reflect"
	"sync"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// How random worlds pass their components to the authority, and packets that arrive
// again.

// makeColumns makes columns for most item types.
func (w *randomWorld) makeColumns() {
	for _, types := range [][]*rpl.ItemType{w.sch.first, w.sch.extra} {
		for _, t := range types {
			if t.Name == "once" || t.Name == "bag" {
				continue // always passed with Set
			}
			w.columns[t] = w.net.A.NewColumn(t, func(row int) unsafe.Pointer { return w.rows[t][row] })
		}
	}
}

// extract passes all items to the authority: with SetColumn at ticks that send, or with
// Set.
func (w *randomWorld) extract() {
	sends := w.net.Sends()
	for t := range w.columns {
		w.rows[t] = w.rows[t][:0]
	}
	for _, n := range w.nodes {
		for _, p := range n.parts {
			switch {
			case p == nil:
			case w.columns[p.t] == nil || p.lone:
				w.net.A.Set(p.item, p.ptr())
				p.reported = nil
			case sends:
				w.rows[p.t] = append(w.rows[p.t], p.ptr())
			}
		}
	}
	if !sends {
		return
	}
	for _, types := range [][]*rpl.ItemType{w.sch.first, w.sch.extra} {
		for _, t := range types {
			if c := w.columns[t]; c != nil {
				w.fillColumn(c, t)
				w.net.A.SetColumn(c, w.rows[t])
			}
		}
	}
}

// fillColumn puts items into the rows of a column, and bumps the explicit items that
// have changed.
func (w *randomWorld) fillColumn(c *rpl.Column, t *rpl.ItemType) {
	c.Resize(len(w.rows[t]))
	row := 0
	for _, n := range w.nodes {
		for _, p := range n.parts {
			if p != nil && p.t == t && !p.lone {
				c.Put(row, p.item)
				if now := reflect.ValueOf(p.v).Elem(); t.Explicit && now.Interface() != p.reported {
					p.reported = now.Interface()
					c.Bump(row)
				}
				row++
			}
		}
	}
}

// A hoard keeps packets that were sent between a client and the authority. haunt
// delivers some of them long after, again or for the first time.
type hoard struct {
	r        *rand.Rand
	down, up []letter
}

// keep keeps a packet; once there are 100, it may replace a random one.
func (h *hoard) keep(letters *[]letter, seq uint64, b []byte) {
	const most = 100
	l := letter{seq, append([]byte(nil), b...)}
	if len(*letters) < most {
		*letters = append(*letters, l)
	} else if k := h.r.IntN(3 * most); k < most {
		(*letters)[k] = l
	}
}

// haunt delivers old packets of a client, in both directions.
func (w *randomWorld) haunt(c *rpltest.Client) {
	h := w.hoards[c.Peer]
	for range min(len(h.down), 20) {
		l := h.down[h.r.IntN(len(h.down))]
		c.P.Receive(l.seq, w.net.Now, l.b)
	}
	for range min(len(h.up), 5) {
		l := h.up[h.r.IntN(len(h.up))]
		_ = w.net.A.Receive(c.Peer, l.seq, w.net.Now, l.b)
	}
}

// recordedTables returns two code tables, learnt from two different crowds of nodes.
// They are the same each time.
var recordedTables = sync.OnceValue(func() [2][]byte { return [2][]byte{recordTables(1), recordTables(2)} })

func recordTables(seed uint64) []byte {
	sch := newRandomSchema()
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: sch.s, Hz: 60}, 1, netsim.Conditions{})
	if err != nil {
		panic(err)
	}
	r := rand.New(rand.NewPCG(seed, 2))
	var parts []*part
	w := &randomWorld{sch: sch}
	for k := range 90 {
		n, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{sch.first[k%5], sch.extra[4+k%2]}})
		if err != nil {
			panic(err)
		}
		for ord, t := range []*rpl.ItemType{sch.first[k%5], sch.extra[4+k%2]} {
			p := w.newPart(t)
			p.item, _ = net.A.Item(n, ord)
			parts = append(parts, p)
		}
	}
	if _, err := net.Join(2); err != nil {
		panic(err)
	}
	paces := make([]xy, len(parts))
	for net.A.Tables() == nil {
		net.Tick(func(rpl.Tick) {
			for k, p := range parts {
				if r.IntN(20) == 0 {
					paces[k] = xy{float64(r.IntN(int(100*seed)) - 50), float64(r.IntN(20) - 10)}
				}
				p.step(paces[k], nil)
				switch v := p.v.(type) {
				case *hulkItem:
					v.Rate = paces[k].Y
				case *plateItem:
					v.A = int32(r.IntN(4))
				case *craftItem:
					v.Kind = uint8(k % 4)
				}
				net.A.Set(p.item, p.ptr())
			}
		})
	}
	return net.A.Tables()
}
