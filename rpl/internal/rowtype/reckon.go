package rowtype

import (
	"math"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/schema"
)

// Reckoned items are moved by a function of the game, on every machine. Their rows are what was
// told: the words at a tick, which nothing predicts, that tick, and which of the words the
// function has no say in any more. Both are hidden words. So versions, deltas, acks and
// checksums know nothing of the function: what it makes of a row is only shown.

const (
	// MaxReckoned is how many seconds a function goes on from what was told: then the authority
	// tells anew. So what a machine that has just come computes at once is bounded.
	MaxReckoned = 30

	// maxHeld is how many words of an item may have a tolerance: the bits of a word.
	maxHeld = schema.MaxReckonedWords
)

// IsReckoned is whether a function of the game moves the item.
func (t *Type) IsReckoned() bool { return t.Item.Reckoned }

// placeReckoned gives a row the tick at which it was stated, 0 if it rests, and the set of its
// words that keep their values.
func (t *Type) placeReckoned() {
	for i := range t.Words {
		if t.Words[i].Tol > 0 {
			t.Tolerant = append(t.Tolerant, i)
		}
	}
	t.Stated, t.Held = len(t.Words), len(t.Words)+1
	prop := t.Words[0].Prop
	t.Words = append(t.Words, schema.Word{Prop: prop, Max: math.MaxInt32, Velocity: -1},
		schema.Word{Prop: prop, Max: 1<<min(len(t.Tolerant), maxHeld) - 1, Velocity: -1})
	t.From = append(t.From, isStated, isHeld)
}

// A Reckoning reckons the rows of one machine.
type Reckoning struct {
	By   schema.Reckoner
	most uint32 // ticks
	item []int32
}

// NewReckoning makes a machine's reckoning. by may be nil where no item of the schema is
// reckoned.
func NewReckoning(by schema.Reckoner, s *schema.Schema, hz int) Reckoning {
	g := Reckoning{By: by, most: uint32(hz) * MaxReckoned}
	for _, t := range s.Items() {
		if t.Reckoned {
			g.item = append(g.item, make([]int32, max(0, len(t.Words)-len(g.item)))...)
		}
	}
	return g
}

// Ends is whether the function has gone on from a row long enough at a tick.
func (g *Reckoning) Ends(t *Type, stated []int32, tick uint32) bool {
	return stated[t.Stated] != 0 && tick-uint32(stated[t.Stated]) >= g.most
}

// Reach sets to to what the function makes of a row of a node at a tick.
func (g *Reckoning) Reach(t *Type, node ids.Node, stated, to []int32, tick uint32) {
	copy(to, stated)
	from := uint32(stated[t.Stated])
	if from == 0 || tick <= from || g.By == nil {
		return
	}
	item := g.item[:len(t.Item.Words)]
	t.Show(item, stated)
	g.By.Reckon(node, t.Item, item, ids.Tick(from), ids.Tick(min(tick, from+g.most)))
	t.Take(t.At(to), WordsOf(item, len(item)))
	for k, i := range t.Tolerant {
		if stated[t.Held]>>k&1 != 0 {
			to[i] = stated[i]
		}
	}
}
