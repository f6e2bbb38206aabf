package rpltest

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// Main is the TestMain of packages with random tests: each test plays so many games
// (checks), from the same seed in every run, so that a new failure is due to the change
// under test. With -rapid.checks, as in `make soak`, or -rapid.seed other games are
// played. A failure prints its seed. Under the race detector, which takes ten times as
// long, the first tenth of the games is played: each runs on one goroutine.
func Main(m *testing.M, checks int) {
	if raceEnabled {
		checks = max(1, checks/10)
	}
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) {
		given = given || f.Name == "rapid.checks" || f.Name == "rapid.seed" || f.Name == "rapid.failfile"
	})
	if !given {
		for name, value := range map[string]string{"rapid.seed": "1", "rapid.checks": strconv.Itoa(checks)} {
			if err := flag.Set(name, value); err != nil {
				panic(err)
			}
		}
	}
	os.Exit(m.Run())
}
