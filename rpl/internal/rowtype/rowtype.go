package rowtype

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/schema"
)

// A Type is one part of an item type as the stream sees it: words in the
// order in which they are coded (velocities before what they predict), and
// variable-length values. Both ends derive it from the schema alone.
type Type struct {
	Index    int
	Item     *schema.ItemType
	Account  int // index of the item type in the bits that are counted by type
	part     int
	Audience ids.Audience

	Words []schema.Word // Velocity is an index in this order
	From  []int         // words[i] is item.Words[from[i]], or isInferred (infer.go), isBorrowed (borrow.go), isStated, isHeld (reckon.go)
	shown []show        // the words that are the item's, not hidden, in the item's order
	Vars  []schema.Var
	FromV []int

	Unsized []int // vars of which a difference may take more bytes than a value may

	Still []int // words that nothing predicts, except `once` ones

	Velocities []int // words that predict others, or say that a function moves them
	Predicted  []int // predicted words, each behind those that its prediction needs
	angles     []int // wrapping words, for heading prediction
	Pos        [2]int

	Stated, Held int   // hidden words of a reckoned item (reckon.go), else -1 …
	Tolerant     []int // … and its words that have a tolerance

	Inferred   []int // words that an inferred velocity predicts
	Borrowed   []Borrowed
	ClassWords []int // words whose values may distinguish classes of rows (class.go)

	Heading            int // the angle that may follow from the velocity, -1 none (heading.go)
	HeadingX, HeadingY int // that velocity

	// Fractions (fraction.go): how many words a row has with its hidden ones, the hidden word of
	// each word (-1 none), and the words that have one.
	Width      int
	Fraction   []int
	Fractional []int
	Motions    []Motion // of each word
	Driven     []Driven // of the predicted words
	Counting   []Driven // of these, the words that count

	// `once`: words and values that only keyframes carry; nil without any.
	Once, OnceV []bool
	// `if=`: the item word that must be true for a word or a value to follow
	// the component, -1 none; nil without any.
	When, WhenV []int

	// For each word, the word that is the presence of the rpl.Opt around it, -1 none:
	// while that is 0, what a keyframe says of the word has no effect; nil without any.
	Within []int
}

// What a hidden word is, in Type.From.
const (
	isInferred = -1 - iota // an inferred velocity
	isBorrowed             // another item's word
	isStated               // the tick at which a reckoned item was told (reckon.go) …
	isHeld                 // … and which of its words keep their values
)

// A show is a copy to be made: word from of a row to word to of its item.
type show struct{ from, to uint32 }

// Show sets an item's words to those of a row, or to their defaults if row is nil.
func (t *Type) Show(item, row []int32) {
	shown := t.shown
	if row == nil {
		for k := range shown {
			item[shown[k].to] = t.Words[shown[k].from].Default
		}
		return
	}
	from, to := t.At(row), WordsOf(item, len(t.Item.Words))
	for k := range shown {
		*to.Word(int(shown[k].to)) = *from.Word(int(shown[k].from))
	}
}

// TypesOf compiles every part of every item of a frozen schema.
func TypesOf(s *schema.Schema) (all []*Type, byItem [][]*Type) {
	byItem = make([][]*Type, len(s.Items()))
	for i, it := range s.Items() {
		for p := range it.Parts {
			t := newRowType(s, it, p)
			t.Index = len(all)
			all = append(all, t)
			byItem[i] = append(byItem[i], t)
		}
	}
	for _, t := range all {
		t.placeBorrowed(byItem)
	}
	return all, byItem
}

// largeVar is the bytes of a value above which a difference of it may take more than the 64 KiB that
// peers accept. A game's own codec may write any number of bytes; of a list that changes
// throughout a difference takes up to 2 KiB more than the list.
const largeVar = 60 << 10

// newRowType compiles one part of an item.
func newRowType(s *schema.Schema, it *schema.ItemType, part int) *Type {
	p := &it.Parts[part]
	t := &Type{Item: it, Account: it.Index, part: part, Audience: p.Audience, Pos: [2]int{-1, -1}, Stated: -1, Held: -1}
	at := t.placeWords(s, p.Words)
	t.sortWords()
	for i, w := range it.Pos {
		if k, ok := at[w]; ok && w >= 0 {
			t.Pos[i] = k
		}
	}
	for _, v := range p.Vars {
		t.Vars = append(t.Vars, it.Vars[v])
		t.FromV = append(t.FromV, v)
		if c := it.Vars[v]; !c.Codec().Sized() || c.MaxBytes() > largeVar {
			t.Unsized = append(t.Unsized, len(t.Vars)-1)
		}
	}
	t.conditions()
	t.placeFractions()
	t.placeMotions()
	t.options(at)
	for i := range t.Words {
		if t.Words[i].Velocity < 0 && (t.Once == nil || !t.Once[i]) {
			t.Still = append(t.Still, i)
		}
	}
	t.ClassWords = t.classWords()
	t.Heading, t.HeadingX, t.HeadingY = t.headingWords()
	return t
}

// placeWords gives the row its words: those of the part, each behind the velocity that
// predicts it, and the hidden velocities, borrowed and inferred. It returns the words' places
// by their indices in the item.
func (t *Type) placeWords(s *schema.Schema, words []int) (at map[int]int) {
	it := t.Item
	at = make(map[int]int, len(words))
	var place func(w int)
	place = func(w int) {
		if _, done := at[w]; done {
			return
		}
		word := it.Words[w]
		from, v := t.borrows(s, it, w)
		switch {
		case word.Velocity >= 0: // of this part: Freeze refuses one of another audience, and rings
			place(word.Velocity)
			word.Velocity = at[word.Velocity]
		case from != nil:
			word.Velocity = t.borrow(s, from, v, word.Prop)
		case infers(it, w):
			word.Velocity, word.Rate = len(t.Words), inferRate
			t.Words, t.From = append(t.Words, inferredVelocity(word.Prop)), append(t.From, isInferred)
			t.Inferred = append(t.Inferred, len(t.Words))
		}
		at[w] = len(t.Words)
		t.Words, t.From = append(t.Words, word), append(t.From, w)
	}
	for _, w := range words {
		place(w)
	}
	for w := range it.Words {
		if i, ok := at[w]; ok {
			t.shown = append(t.shown, show{uint32(i), uint32(w)})
		}
	}
	if it.Reckoned {
		t.placeReckoned()
	}
	return at
}

// sortWords lists the words by what they do: velocities, predicted words, angles. Words
// with an inferred velocity are the first of the predicted ones.
func (t *Type) sortWords() {
	isVelocity := make([]bool, len(t.Words))
	t.Predicted = slices.Clone(t.Inferred)
	for i := range t.Words {
		w := &t.Words[i]
		if w.Velocity >= 0 {
			isVelocity[w.Velocity] = true
			if !slices.Contains(t.Inferred, i) {
				t.Predicted = append(t.Predicted, i)
			}
		}
		if w.Wrap {
			t.angles = append(t.angles, i)
		}
	}
	if t.Stated >= 0 { // what was told is moving until it was told to rest
		isVelocity[t.Stated] = true
	}
	for i, is := range isVelocity {
		if is {
			t.Velocities = append(t.Velocities, i)
		}
	}
}

// options fills within. A predicted word, or one with a tolerance, need not be at its
// default while the value around it is absent, so it is coded like any other.
func (t *Type) options(at map[int]int) {
	any, within := false, make([]int, len(t.Words))
	for i := range t.Words {
		w := &t.Words[i]
		within[i] = -1
		p, ok := at[t.Item.Props[w.Prop].Present]
		if ok && p < i && w.Velocity < 0 && w.Tol == 0 {
			any, within[i] = true, p
		}
	}
	if any {
		t.Within = within
	}
}

// conditions notes which words and values only keyframes carry, and which follow the
// component only while another is true.
func (t *Type) conditions() {
	once, when := false, false
	words, values := make([]bool, len(t.Words)), make([]bool, len(t.Vars))
	ifs, ifsV := make([]int, len(t.Words)), make([]int, len(t.Vars))
	note := func(prop int, o *bool, w *int) {
		p := &t.Item.Props[prop]
		*o, *w = p.Once, p.If
		once, when = once || p.Once, when || p.If >= 0
	}
	for i := range t.Words {
		note(t.Words[i].Prop, &words[i], &ifs[i])
	}
	for i := range t.Vars {
		note(t.Vars[i].Prop, &values[i], &ifsV[i])
	}
	if once {
		t.Once, t.OnceV = words, values
	}
	if when {
		t.When, t.WhenV = ifs, ifsV
	}
}

// Absent reports whether a word says nothing, because the rpl.Opt around it is
// empty.
func (t *Type) Absent(i int, now []int32) bool {
	return t.Within != nil && t.Within[i] >= 0 && now[t.Within[i]] == 0
}

// IsMoving reports whether the words are expected to change by themselves: whether any
// velocity is not 0.
func (t *Type) IsMoving(words Words) bool {
	any := int32(0)
	for _, v := range t.Velocities {
		any |= *words.Word(v)
	}
	return any != 0
}

// Advance sets now to what base is expected to be n ticks later. It uses integers
// only, which wrap on overflow, so that both ends agree to the bit.
func (t *Type) Advance(now, base Words, n uint32) {
	base.CopyTo(now, t.Width)
	if n == 0 {
		return
	}
	advance(t.Driven, now, base, n)
}

// AdvanceCounts is Advance for the words that count alone, of which now has what they are expected to
// be at another tick.
func (t *Type) AdvanceCounts(now, base Words, n uint32) {
	for k := range t.Counting {
		*now.Word(t.Counting[k].Word) = *base.Word(t.Counting[k].Word)
	}
	if n > 0 {
		advance(t.Counting, now, base, n)
	}
}

func advance(driven []Driven, now, base Words, n uint32) {
	for k := range driven {
		c := &driven[k]
		if c.Fraction < 0 {
			*now.Word(c.Word) = c.Expect(base, now, c.Word, n)
			continue
		}
		v := *now.Word(int(c.Velocity))
		x, fraction := c.Reached(*base.Word(c.Word), *base.Word(int(c.Fraction)), Travel(*base.Word(int(c.Velocity)), v, int64(n), c.Rate, FractionBits))
		if c.IsWhole(v) { // at the top of a throw: an update at that tick would carry none
			fraction = 0
		}
		*now.Word(c.Word), *now.Word(int(c.Fraction)) = x, fraction
	}
}

// IsAsPredicted is whether now is what base has become by itself, n ticks later.
func (t *Type) IsAsPredicted(base, now Words, n uint32) bool {
	return t.Stands(base, now) && t.Follows(base, now, n)
}

// Stands is whether the words that nothing predicts are equal to those of base; follows
// is whether the predicted ones are what base has become by itself, n ticks later.
func (t *Type) Stands(base, now Words) bool {
	for _, i := range t.Still {
		if *base.Word(i) != *now.Word(i) {
			return false
		}
	}
	return true
}

func (t *Type) Follows(base, now Words, n uint32) bool {
	for k := range t.Driven {
		c := &t.Driven[k]
		x, v := *now.Word(c.Word), int(c.Velocity)
		if *base.Word(v)|*now.Word(v) == 0 { // it stands, which most do
			if x != *base.Word(c.Word) && !c.Once {
				return false
			}
		} else if c.Expect(base, now, c.Word, n) != x && !c.Once {
			return false
		}
	}
	return true
}

func EqualWords(a, b []int32) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// IsOnce is whether only keyframes carry a word, and isPlain whether an update codes it
// as the difference from its base.
func (t *Type) IsOnce(i int) bool { return t.Once != nil && t.Once[i] }
