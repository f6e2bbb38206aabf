//go:build race

package rpl_test

const raceEnabled = true
