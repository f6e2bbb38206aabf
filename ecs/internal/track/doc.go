// Package track draws numbers between the states that have come. Drawn time trails the
// state, so there mostly is a state on either side; where there is none, what moved is drawn
// moving on for a while, and what that was wrong by is drawn away bit by bit.
//
//	field.go     the numbers of a struct
//	track.go     the last states of an item
//	thin.go      which of them are kept where drawn time is far behind
//	received.go  the packets that have come
//	young.go     those that tell of what has just arrived
//	hole.go      what is known after a line was down
//	screen.go    what is drawn at which time
//	paced.go     what is told of less often than in each send
//	push.go      what a state that comes changes in that
//	began.go     what began to move, and is told of late
//	foretold.go  what goes where its velocities take it
//	apart.go     what prediction, rewinding and changes of parents need
package track
