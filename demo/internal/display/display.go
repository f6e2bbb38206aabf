// Package display ends the program with one sentence where no window can open.
//
// Ebitengine panics in an init function of its own where it finds no display,
// before main can look for one. So this package looks in its init function,
// which runs first: Go initialises packages in order of their import paths once
// what they import is ready, and this one imports next to nothing, while
// Ebitengine waits for most of the standard library. The demo's tests start the
// program without a display and would see a panic if that ever changed.
package display

import "os"

func init() {
	if why := missing(os.Getenv); why != "" {
		os.Stderr.WriteString("demo: " + why + Instead + "\n")
		os.Exit(1)
	}
}

// Instead is what a player without a display can do.
const Instead = " To play in text, type: CGO_ENABLED=0 go run ./demo/server -seconds 20 -clients 2 -rtt 80ms -loss 0.02"
