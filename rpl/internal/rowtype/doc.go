// Package rowtype is one part of an item type as the stream has it: the words of a row, and
// how they go on by themselves. Both ends compute that alike, to the bit, from words alone.
//
//	rowtype.go  the type of a row: which of its words move, and what is shown
//	words.go    the words of one row
//	motion.go   how a word is expected to move: the one place of the formula
//	fraction.go where a moving value is between two steps
//	line.go     values along the line through two versions
//	heading.go  angles that follow from the velocity
//	infer.go    velocities that no component has
//	borrow.go   velocities that another component has
//	reckon.go   items that a function of the game moves
//	class.go    which word says of what context class a row is
package rowtype
