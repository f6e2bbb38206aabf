//go:build race

package rpltest

const raceEnabled = true
