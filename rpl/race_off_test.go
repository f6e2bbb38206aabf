//go:build !race

package rpl_test

// raceEnabled says whether the race detector is on. It allocates, so tests of
// allocations are skipped then.
const raceEnabled = false
