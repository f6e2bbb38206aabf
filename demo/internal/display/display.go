// Package display ends the program with a one-sentence message where no window can
// open. A program imports it for its init function.
//
// Ebitengine panics in its own init function where it finds no display, before main can
// check for one. So this package checks in its init function, which runs first: Go
// initialises packages in the order of their import paths once their imports are
// initialised. This package imports next to nothing, while Ebitengine waits for most of
// the standard library. The tests of the demo start the program without a display, and
// would see the panic if that order ever changed.
package display

import "os"

func init() {
	if why := missing(os.Getenv); why != "" {
		os.Stderr.WriteString("demo: " + why + Instead + "\n")
		os.Exit(1)
	}
}

// Instead ends the message: what a player without a display can do.
const Instead = " To play in text, type: CGO_ENABLED=0 go run ./demo/server -seconds 20 -clients 2 -rtt 80ms -loss 0.02"
