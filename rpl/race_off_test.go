//go:build !race

package rpl_test

// raceEnabled tells that the race detector is at work, which allocates.
const raceEnabled = false
