package rpl

import (
	"slices"
	"time"
)

// A look finds what comes into and goes out of a peer's sight, for any Interest
// and any number of observers: all that is in reach where an observer has moved,
// else what has moved itself. A peer with one observer and a Grid keeps watch
// instead (watch.go).

func (a *Authority) look(p *peer, now time.Duration) {
	p.endWatch(a)
	a.looks = true
	all := p.lookAgain || !p.looked || a.unstamped
	if !all && a.grid.moved != a.moves && len(p.lingering) == 0 {
		return
	}
	p.lookAgain, p.looked = false, true
	p.lingering, p.lingered = p.lingered[:0], p.lingering
	for _, slot := range p.lingered {
		a.checkOut(p, slot, now)
	}
	if all || a.grid.moved == a.moves {
		for _, o := range p.points {
			a.lookAround(p, o, all, now)
		}
	}
	if !all {
		for _, slot := range a.grid.crossed {
			a.checkOut(p, slot, now)
		}
		return
	}
	a.touchSpots(p.near)
	for i := 0; i < len(p.near); {
		slot := p.near[i]
		a.checkOut(p, slot, now)
		if i < len(p.near) && p.near[i] == slot {
			i++
		}
	}
}

// lookAround looks at the cells round one observer: those where something moved,
// unless it looks at all.
func (a *Authority) lookAround(p *peer, o [2]float64, all bool, now time.Duration) {
	g, reach := a.grid, a.cfg.Interest.Reach(p.id)
	x0, x1 := g.span(o[0], reach)
	y0, y1 := g.span(o[1], reach)
	for cy := y0; cy <= y1; cy++ {
		for cx := x0; cx <= x1; cx++ {
			i := g.bucketAt(cx, cy)
			if !all && g.stamps[i] != a.moves {
				continue
			}
			for k := range g.buckets[i] {
				if slot := g.buckets[i][k].slot; p.wanted.has(slot) {
					a.checkOut(p, slot, now)
				} else if a.wants(p, slot, false) {
					a.decide(p, slot, true)
				}
			}
		}
	}
}

// checkOut takes a node from a peer that has it by distance, if it is out of its
// sight.
func (a *Authority) checkOut(p *peer, slot uint32, now time.Duration) {
	switch {
	case a.spots[slot].cell < 0 || !p.wanted.has(slot) || a.wants(p, slot, true):
	case a.ownsAny(p, slot) || slices.Contains(p.lingering, slot):
	case a.lingers(p, slot, now):
		p.lingering = append(p.lingering, slot)
	default:
		a.decide(p, slot, false)
	}
}

// lingers is whether a node out of sight has not stayed for its least time.
func (a *Authority) lingers(p *peer, slot uint32, now time.Duration) bool {
	h := a.nodes[slot].holder(p.index)
	return h != nil && now < h.since+minStay
}
