package rowtype

// Context classes. What a row does often depends on what it is: a walker turns, a projectile does
// not. If an enumerated word of the row distinguishes such classes, each class has code
// tables of its own. The value of the word in the base, which both ends have, chooses
// the tables. The authority finds the word by counting: for some of the updates it
// counts, by the value of each word that qualifies, what the other words do.

// maxClasses is the most values of a word that gives the class. Each class has counters on the
// authority, some 85 KiB, and tables of its own.
const maxClasses = 16

// ClassWordBits is the size of a class word's index in a set of tables; only words with
// smaller indices qualify.
const ClassWordBits = 8

// classWords returns the words that may give the class: words of few values that do not
// wrap, that updates carry, that nothing predicts, and that are no velocities.
func (t *Type) classWords() (at []int) {
	velocity := make(map[int]bool)
	for _, v := range t.Velocities {
		velocity[v] = true
	}
	for _, i := range t.Still {
		w := &t.Words[i]
		span := int64(w.Max) - int64(w.Min)
		if span > 0 && span < maxClasses && !w.Wrap && !velocity[i] && i < 1<<ClassWordBits {
			at = append(at, i)
		}
	}
	return at
}

// ClassesOf is how many classes word w gives.
func (t *Type) ClassesOf(w int) int { return int(t.Words[w].Max-t.Words[w].Min) + 1 }

// ClassOf is the index of a row's tables in rowModel.updates: 0 is for rows of any class,
// which is all if w is -1; the classes of word w follow.
func (t *Type) ClassOf(w int, base Words) int {
	if w < 0 {
		return 0
	}
	return 1 + int(*base.Word(w)-t.Motions[w].Min)
}
