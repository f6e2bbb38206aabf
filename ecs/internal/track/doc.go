// Package track draws numbers between the states that have come. Drawn time trails the
// state, so there mostly is a state on either side; where there is none, what moved is drawn
// moving on for a while, and what that was wrong by is drawn away bit by bit.
//
// Where they stand: field.go the numbers of a struct; track.go the last states of an item;
// received.go the packets that have come, young.go those that tell of what has just arrived, and hole.go what is
// known after a line was down; began.go what is told of late; foretold.go what its velocities move; screen.go what is drawn at which time;
// thin.go which states are kept where that is far behind; apart.go what prediction, rewinding and changes of parents need.
package track
