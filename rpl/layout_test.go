package rpl_test

import (
	"testing"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// Until a client has acked a layout, every arrival defines it again; the client's nodes
// share one layout all the same.
func TestArrivalsOfOneLayoutShareIt(t *testing.T) {
	c := newCrowd(t, 300, 1)
	proxy := c.ends[0].proxy
	for range 4 {
		c.step()
		c.send()
		c.deliver(c.ends[0])
	}
	layouts, nodes := map[**rpl.ItemType]bool{}, 0
	for r := range proxy.Replicas {
		if r.ID != rpl.SessionNode {
			layouts[unsafe.SliceData(r.Items)] = true
			nodes++
		}
	}
	if nodes != 300 || len(layouts) != 1 {
		t.Errorf("%d nodes have %d layouts, want 300 and 1", nodes, len(layouts))
	}
}
