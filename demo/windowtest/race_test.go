//go:build race

package windowtest

// raceDetector says that the tests run under the race detector; then the programs under
// test are built with it too.
const raceDetector = true
