//go:build race

package ecs_test

const raceEnabled = true

func some[T any](cases []T) []T { return cases[:1] }

// someRuns is how many of n runs with other seeds are played.
func someRuns[T int | uint64](n T) T { return max(1, n/5) }
