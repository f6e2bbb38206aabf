//go:build !race

package kcp

// games is how many games TestARQSaysWhatKCPSays plays.
const games = 100
