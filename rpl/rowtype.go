package rpl

import "slices"

// A rowType is one part of an item type as the stream sees it: words in the
// order in which they are coded (velocities before what they predict), and
// variable-length values. Both ends derive it from the schema alone.
type rowType struct {
	index    int
	item     *ItemType
	account  int // index of the item type in Authority.bits
	part     int
	audience Audience

	words []Word // Velocity is an index in this order
	from  []int  // words[i] is item.Words[from[i]]; -1: an inferred velocity (infer.go)
	shown []show // the words that are the item's, not inferred, in the item's order
	vars  []Var
	fromV []int

	unsized []int // vars of which a game's own codec may write any number of bytes

	walks bool // SetColumn walks it (walk.go)
	walk  walkPlan
	still []int // words that nothing predicts, except `once` ones

	velocities []int // words that predict others
	predicted  []int // predicted words, each behind those that its prediction needs
	angles     []int // wrapping words, for heading prediction
	pos        [2]int

	inferred []int // words that an inferred velocity predicts
	kinds    []int // words whose values may tell kinds of rows apart (kind.go)

	heading            int // the angle that may follow from the velocity, -1 none (heading.go)
	headingX, headingY int // that velocity

	// Phases (phase.go): how many words a row has with its hidden ones, the hidden word of
	// each word (-1 none), and the words that have one.
	width   int
	phase   []int
	phased  []int
	courses []course // of each word
	driven  []drift  // of the predicted words

	chunks []rowChunk // the words in chunks, as they are coded

	// `once`: words and values that only keyframes tell; nil without any.
	once, onceV []bool
	// `if=`: the item word that must be true for a word or a value to follow
	// the component, -1 none; nil without any.
	when, whenV []int

	// For each word, the word that is the presence of the rpl.Opt around it, -1 none:
	// while that is 0, what a keyframe tells of the word has no effect; nil without any.
	within []int
}

// A show is a copy to be made: word from of a row to word to of its item.
type show struct{ from, to uint32 }

// show sets an item's words to those of a row, or to their defaults if row is nil.
func (t *rowType) show(item, row []int32) {
	shown := t.shown
	if row == nil {
		for k := range shown {
			item[shown[k].to] = t.words[shown[k].from].Default
		}
		return
	}
	from, to := t.at(row), wordsOf(item, len(t.item.Words))
	for k := range shown {
		*to.word(int(shown[k].to)) = *from.word(int(shown[k].from))
	}
}

// rowTypesOf compiles every part of every item of a frozen schema.
func rowTypesOf(s *Schema) (all []*rowType, byItem [][]*rowType) {
	byItem = make([][]*rowType, len(s.Items()))
	for i, it := range s.Items() {
		for p := range it.Parts {
			t := newRowType(it, p)
			t.index = len(all)
			all = append(all, t)
			byItem[i] = append(byItem[i], t)
		}
	}
	return all, byItem
}

// newRowType compiles one part of an item.
func newRowType(it *ItemType, part int) *rowType {
	p := &it.Parts[part]
	t := &rowType{item: it, account: it.Index, part: part, audience: p.Audience, pos: [2]int{-1, -1}}
	at := t.placeWords(p.Words)
	t.sortWords()
	for i, w := range it.Pos {
		if k, ok := at[w]; ok && w >= 0 {
			t.pos[i] = k
		}
	}
	for _, v := range p.Vars {
		t.vars = append(t.vars, it.Vars[v])
		t.fromV = append(t.fromV, v)
		if !it.Vars[v].codec().sized() {
			t.unsized = append(t.unsized, len(t.vars)-1)
		}
	}
	t.conditions()
	t.phases()
	t.charted()
	t.inChunks()
	t.options(at)
	for i := range t.words {
		if t.words[i].Velocity < 0 && (t.once == nil || !t.once[i]) {
			t.still = append(t.still, i)
		}
	}
	t.walkable()
	t.kinds = t.kindWords()
	t.heading, t.headingX, t.headingY = t.headingWords()
	return t
}

// placeWords gives the row its words: those of the part, each behind the velocity that
// predicts it, and inferred velocities. It returns the words' places by their indices in
// the item.
func (t *rowType) placeWords(words []int) (at map[int]int) {
	it := t.item
	at = make(map[int]int, len(words))
	var place func(w int)
	place = func(w int) {
		if _, done := at[w]; done {
			return
		}
		word := it.Words[w]
		switch v := word.Velocity; {
		case v >= 0: // of this part: Freeze refuses one of another audience, and rings
			place(v)
			word.Velocity = at[v]
		case it.infers(w):
			word.Velocity, word.Rate = len(t.words), inferRate
			t.words, t.from = append(t.words, inferredVelocity(word.Prop)), append(t.from, -1)
			t.inferred = append(t.inferred, len(t.words))
		}
		at[w] = len(t.words)
		t.words, t.from = append(t.words, word), append(t.from, w)
	}
	for _, w := range words {
		place(w)
	}
	for w := range it.Words {
		if i, ok := at[w]; ok {
			t.shown = append(t.shown, show{uint32(i), uint32(w)})
		}
	}
	return at
}

// sortWords lists the words by what they do: velocities, predicted words, angles. Words
// with an inferred velocity are the first of the predicted ones.
func (t *rowType) sortWords() {
	isVelocity := make([]bool, len(t.words))
	t.predicted = slices.Clone(t.inferred)
	for i := range t.words {
		w := &t.words[i]
		if w.Velocity >= 0 {
			isVelocity[w.Velocity] = true
			if !slices.Contains(t.inferred, i) {
				t.predicted = append(t.predicted, i)
			}
		}
		if w.Wrap {
			t.angles = append(t.angles, i)
		}
	}
	for i, is := range isVelocity {
		if is {
			t.velocities = append(t.velocities, i)
		}
	}
}

// options fills within. A predicted word, or one with a tolerance, need not be at its
// default while the value around it is absent, so it is told like any other.
func (t *rowType) options(at map[int]int) {
	any, within := false, make([]int, len(t.words))
	for i := range t.words {
		w := &t.words[i]
		within[i] = -1
		p, ok := at[t.item.Props[w.Prop].Present]
		if ok && p < i && w.Velocity < 0 && w.Tol == 0 {
			any, within[i] = true, p
		}
	}
	if any {
		t.within = within
	}
}

// conditions notes which words and values only keyframes tell, and which follow the
// component only while another is true.
func (t *rowType) conditions() {
	once, when := false, false
	words, values := make([]bool, len(t.words)), make([]bool, len(t.vars))
	ifs, ifsV := make([]int, len(t.words)), make([]int, len(t.vars))
	note := func(prop int, o *bool, w *int) {
		p := &t.item.Props[prop]
		*o, *w = p.Once, p.If
		once, when = once || p.Once, when || p.If >= 0
	}
	for i := range t.words {
		note(t.words[i].Prop, &words[i], &ifs[i])
	}
	for i := range t.vars {
		note(t.vars[i].Prop, &values[i], &ifsV[i])
	}
	if once {
		t.once, t.onceV = words, values
	}
	if when {
		t.when, t.whenV = ifs, ifsV
	}
}

// absent reports whether a word says nothing, because the rpl.Opt around it is
// empty.
func (t *rowType) absent(i int, now []int32) bool {
	return t.within != nil && t.within[i] >= 0 && now[t.within[i]] == 0
}

// drifts reports whether the words are expected to change by themselves: whether any
// velocity is not 0.
func (t *rowType) drifts(words rowWords) bool {
	any := int32(0)
	for _, v := range t.velocities {
		any |= *words.word(v)
	}
	return any != 0
}

// advance sets now to what base is expected to be n ticks later. It uses integers
// only, which wrap on overflow, so that both ends agree to the bit.
func (t *rowType) advance(now, base rowWords, n uint32) {
	base.copyTo(now, t.width)
	if n == 0 {
		return
	}
	for k := range t.driven {
		c := &t.driven[k]
		if c.phase < 0 {
			*now.word(c.word) = c.expect(base, now, c.word, n)
			continue
		}
		way := travel(*base.word(int(c.velocity)), *now.word(int(c.velocity)), int64(n), c.rate, phaseBits)
		*now.word(c.word), *now.word(int(c.phase)) = c.reached(*base.word(c.word), *base.word(int(c.phase)), way)
	}
}

// onCourse is whether now is what base has become by itself, n ticks later.
func (t *rowType) onCourse(base, now rowWords, n uint32) bool {
	return t.stands(base, now) && t.follows(base, now, n)
}

// stands is whether the words that nothing predicts are equal to those of base; follows
// is whether the predicted ones are what base has become by itself, n ticks later.
func (t *rowType) stands(base, now rowWords) bool {
	for _, i := range t.still {
		if *base.word(i) != *now.word(i) {
			return false
		}
	}
	return true
}

func (t *rowType) follows(base, now rowWords, n uint32) bool {
	for k := range t.driven {
		c := &t.driven[k]
		if c.expect(base, now, c.word, n) != *now.word(c.word) && !c.once {
			return false
		}
	}
	return true
}

func equalWords(a, b []int32) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
