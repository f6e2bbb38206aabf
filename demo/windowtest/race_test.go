//go:build race

package windowtest

// raceDetector: the programs under test are built with it as well.
const raceDetector = true
