package proxy

import (
	"github.com/tendonengine/tendon/rpl/schema"
)

// A writ holds the values of variable length that were last written into the component
// of an item.
type writ struct {
	item *schema.ItemType
	vars []any
}

// written returns the values of variable length of an item as they were last written,
// nil elements at first; the caller keeps them up to date. It returns nil if the item's
// values need not be remembered.
func (h *holdings) written(r *Replica, ordinal int, t *schema.ItemType) []any {
	if !t.HasRefs || len(t.Vars) == 0 {
		return nil
	}
	ws := h.writs[r]
	if ordinal >= len(ws) {
		if r.gone { // the entry would never be deleted
			return nil
		}
		if h.writs == nil {
			h.writs = make(map[*Replica][]writ)
		}
		ws = append(ws, make([]writ, ordinal+1-len(ws))...)
		h.writs[r] = ws
	}
	if w := &ws[ordinal]; w.item != t {
		*w = writ{item: t, vars: make([]any, len(t.Vars))}
	}
	return ws[ordinal].vars
}
