//go:build race

package kcp

// games is how many games TestARQSaysWhatKCPSays plays. Each runs on one goroutine.
const games = 20
