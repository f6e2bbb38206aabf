//go:build !race

package ecs_test

const raceEnabled = false

// some is all of the cases, and the first alone under the race detector: for tests of figures
// that play minutes on one goroutine and come to the same with it, at ten times the time.
func some[T any](cases []T) []T { return cases }

func someRuns[T int | uint64](n T) T { return n }
