package trace

// A Life is one entity: the stretch of ticks, Born … Died-1, for which it is alive in a
// slot.
type Life struct {
	Slot       int
	Born, Died int
}

// Lives has all entities of a trace, ordered by slot and then by time.
type Lives struct {
	All   []Life
	first []int // index in All of each slot's first entity, and one more: len(All)
}

// NewLives finds every entity of a trace. A slot that goes from dead to alive holds a
// new entity.
func NewLives(t *Trace) *Lives {
	l := &Lives{first: make([]int, 0, t.Slots+1)}
	for slot := range t.Slots {
		l.first = append(l.first, len(l.All))
		alive := false
		for tick := range t.Ticks {
			now := t.Alive(tick, slot)
			switch {
			case now && !alive:
				l.All = append(l.All, Life{slot, tick, t.Ticks})
			case !now && alive:
				l.All[len(l.All)-1].Died = tick
			}
			alive = now
		}
	}
	l.first = append(l.first, len(l.All))
	return l
}

// At returns the index in All of the entity that a slot holds at a tick, or -1.
func (l *Lives) At(slot, tick int) int {
	for i := l.first[slot]; i < l.first[slot+1]; i++ {
		if l.All[i].Born > tick {
			break
		}
		if tick < l.All[i].Died {
			return i
		}
	}
	return -1
}
