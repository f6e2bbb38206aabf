//go:build !race

package rpltest

const raceEnabled = false
