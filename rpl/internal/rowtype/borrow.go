package rowtype

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/schema"
)

// Borrowed velocities. The velocity of a word may be a word of another item of the node
// (`predict=item.Field`). Versions are per row, and a peer may have those of two rows from
// different ticks. So the word's row has a hidden copy of that velocity, and of what predicts
// it in turn, and is predicted from its own versions alone. The authority copies the velocity
// when the row's reference version proves wrong. To the coder the copy is a word of the row
// like any other; no component sees it.

// A Borrowed is a hidden word that has the value of a word of another item.
type Borrowed struct {
	Word     int              // its index in the row
	Item     *schema.ItemType // the other item …
	Part, At int              // … and the part and the index in that part's row of the word
	Of       int              // the word in Item.Words: its value, or …
	Slope    bool             // … its inferred velocity
}

// borrows returns the word of another item that predicts word w of an item for the peers that
// see the part, nil if there is none or not all of them may see it.
func (t *Type) borrows(s *schema.Schema, of *schema.ItemType, w int) (from *schema.ItemType, v int) {
	if p := &of.Props[of.Words[w].Prop]; of == t.Item && (p.Once || p.Present >= 0) {
		return nil, -1
	}
	from, v = s.VelocityOf(of, w)
	if from == nil {
		return nil, -1
	}
	if a := from.Props[from.Words[v].Prop].Audience; a != ids.Everyone && a != t.Audience {
		return nil, -1
	}
	return from, v
}

// borrow returns the place of the hidden word that has the value of word w of another item,
// behind what predicts it. prop is that of the word for which it is borrowed.
func (t *Type) borrow(s *schema.Schema, from *schema.ItemType, w, prop int) (at int) {
	if k := slices.IndexFunc(t.Borrowed, func(b Borrowed) bool { return b.Item == from && b.Of == w && !b.Slope }); k >= 0 {
		return t.Borrowed[k].Word
	}
	word := from.Words[w]
	word.Prop, word.Velocity, word.Tol = prop, -1, 0
	if next, v := t.borrows(s, from, w); next != nil {
		word.Velocity = t.borrow(s, next, v, prop)
	} else if infers(from, w) {
		word.Velocity, word.Rate = t.hide(inferredVelocity(prop), Borrowed{Item: from, Of: w, Slope: true}), inferRate
	}
	return t.hide(word, Borrowed{Item: from, Of: w})
}

// hide appends a borrowed word to the row, and returns its place.
func (t *Type) hide(word schema.Word, b Borrowed) (at int) {
	b.Word = len(t.Words)
	t.Words, t.From, t.Borrowed = append(t.Words, word), append(t.From, isBorrowed), append(t.Borrowed, b)
	return b.Word
}

// placeBorrowed finds the words that are borrowed in the rows that they are borrowed from.
func (t *Type) placeBorrowed(byItem [][]*Type) {
	for k := range t.Borrowed {
		b := &t.Borrowed[k]
		for part, of := range byItem[b.Item.Index] {
			if at := slices.Index(of.From, b.Of); at >= 0 {
				if b.Part, b.At = part, at; b.Slope {
					b.At--
				}
			}
		}
	}
}

// A Said is the value that a row before it in its update has said of a word.
type Said struct {
	Word  int
	Value int32
}
