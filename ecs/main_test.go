package ecs_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain has random worlds begin with the same seed on every run of the tests, so
// that a failure is the change's. Who asks for more checks, or gives a seed, explores
// others; each failure prints its own.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) {
		given = given || f.Name == "rapid.checks" || f.Name == "rapid.seed" || f.Name == "rapid.failfile"
	})
	if !given {
		for name, value := range map[string]string{"rapid.seed": "1", "rapid.checks": "40"} {
			if err := flag.Set(name, value); err != nil {
				panic(err)
			}
		}
	}
	os.Exit(m.Run())
}
