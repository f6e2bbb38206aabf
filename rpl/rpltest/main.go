package rpltest

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// Main is a TestMain of packages with random tests: each plays so many games, which
// begin with the same seed on every run, so that a failure is the change's. `make soak`,
// which asks for more checks, and whoever gives a seed, explore others; each failure
// prints its own.
func Main(m *testing.M, checks int) {
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
