// Command server is the island's dedicated server: no window, no cgo.
//
//	server                       hosts on :7777 until it is stopped, and prints its join string
//	server -clients 3 -seconds 10 [-loss 0.2 -rtt 150ms -jitter 30ms] [-json]
//	                             with bots over UDP in the same process, and a
//	                             report: does every bot see what it should?
//	server -join STRING -clients 8
//	                             bots alone, against a server elsewhere
//
// Where to look: flags.go has the command line; session.go runs server and bots in one
// loop; judge.go compares what every client holds with what it should hold; report.go
// prints the result.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/tendonengine/tendon/demo/internal/stop"
)

func main() {
	ctx, cancel := stop.Context()
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	cancel()
	os.Exit(code)
}

// run is main without the process: it returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "server: %v\n", err)
		return 2
	}
	say := stdout
	if o.json {
		say = io.Discard // only the last line, for programs
	}
	s, err := open(o, say)
	if err != nil {
		fmt.Fprintf(stderr, "server: %v\n", err)
		return 1
	}
	r, err := s.run(ctx)
	if err != nil {
		fmt.Fprintf(stderr, "server: %v\n", err)
		return 1
	}
	if o.json {
		err = r.writeJSON(stdout)
	} else {
		err = r.tell(stdout)
	}
	if err != nil {
		fmt.Fprintf(stderr, "server: %v\n", err)
		return 1
	}
	if o.join != "" && r.Clients == 0 {
		fmt.Fprintf(stderr, "server: no bot has joined %s, or none is there any more\n", o.join)
		return 1
	}
	if r.Mismatches > 0 {
		fmt.Fprintf(stderr, "server: %d differences between the server and its clients; the first: %s\n", r.Mismatches, r.first)
		return 1
	}
	return 0
}
