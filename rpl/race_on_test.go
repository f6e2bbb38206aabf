//go:build race

package rpl_test

const raceEnabled = true

func some[T any](cases []T) []T { return cases[:1] }
