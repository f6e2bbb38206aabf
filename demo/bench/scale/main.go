// Command scale measures what a world of many nodes and many peers costs the server: the
// processor time of Receive and Send, joins, memory, and the queries of space. Everything
// but row i runs in virtual time over the simulated network, with the real clients in the
// same process between the server's steps, so that the caches are as cold as on a busy
// machine.
//
//	go run ./demo/bench/scale [-only a,b,…] [-seed 1] [-json] [-curves FILE]
//
// The rows are those of rows.go, each in a process of its own. The last line of the output is one
// JSON object. Quote the minimum on a busy machine, the median on a quiet one. It exits 1 where a
// row could not be measured.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/tendonengine/tendon/demo/bench/internal/cpu"
)

const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == botsFlag {
		os.Exit(runBots(os.Args[2:]))
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("scale", flag.ContinueOnError)
	flags.SetOutput(stderr)
	only := flags.String("only", "", "the rows to run, by their names, with commas between; empty: all")
	seed := flags.Uint64("seed", 1, "of the world, the movements and the network")
	curves := flags.String("curves", "", "draw how the time of a step grows with nodes, peers and density to this SVG file, and run no row")
	plain := flags.Bool("json", false, "print nothing but the JSON object")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return exitUsage
	}
	chosen, err := choose(*only)
	if err != nil {
		fmt.Fprintf(stderr, "scale: %v\n", err)
		return exitUsage
	}
	if cpu.Wall {
		fmt.Fprintln(stderr, "scale: this system tells no processor time to the nanosecond: times are by the wall clock")
	}
	runtime.LockOSThread() // times are those of this thread
	if *curves != "" {
		if err := drawCurves(*curves, *seed, stderr); err != nil {
			fmt.Fprintf(stderr, "scale: %v\n", err)
			return exitFailed
		}
		return 0
	}
	results, status := map[string]json.RawMessage{}, 0
	for _, r := range chosen {
		run := alone
		if len(chosen) == 1 {
			run = here
		}
		result, err := run(r, *seed, stderr)
		if err != nil {
			fmt.Fprintf(stderr, "scale: row %s: %v\n", r.name, err)
			status = exitFailed
			continue
		}
		results[r.name] = result
		if !*plain {
			fmt.Fprintf(stdout, "%-11s %s: %s\n", r.name, r.about, result)
		}
	}
	line, err := json.Marshal(results)
	if err != nil {
		fmt.Fprintf(stderr, "scale: %v\n", err)
		return exitFailed
	}
	fmt.Fprintln(stdout, string(line))
	return status
}

// here runs a row in this process.
func here(r row, seed uint64, _ io.Writer) (json.RawMessage, error) {
	result, err := r.run(seed)
	if err != nil {
		return nil, err
	}
	return json.Marshal(result)
}

// alone runs a row in a process of its own: in the heap that other rows' worlds have left, the
// memory of this one lies farther apart, which costs it up to a tenth of its time.
func alone(r row, seed uint64, stderr io.Writer) (json.RawMessage, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "-json", "-only", r.name, "-seed", strconv.FormatUint(seed, 10))
	cmd.Stderr = stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var results map[string]json.RawMessage
	if err := json.Unmarshal(out, &results); err != nil {
		return nil, err
	}
	return results[r.name], nil
}

// choose returns the rows that a list of names stands for.
func choose(only string) ([]row, error) {
	if only == "" {
		return rows, nil
	}
	var chosen []row
	for _, name := range strings.Split(only, ",") {
		i := slices.IndexFunc(rows, func(r row) bool { return r.name == strings.TrimSpace(name) })
		if i < 0 {
			var names []string
			for _, r := range rows {
				names = append(names, r.name)
			}
			return nil, fmt.Errorf("there is no row %q: there are %s", name, strings.Join(names, ", "))
		}
		chosen = append(chosen, rows[i])
	}
	return chosen, nil
}
