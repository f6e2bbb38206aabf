//go:build !race

package windowtest

const raceDetector = false
