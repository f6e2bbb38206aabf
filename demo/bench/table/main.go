// Command table runs the bench on every workload and prints the project's figures
// beside its targets and beside the figures of Teeworlds. The workloads are simulated
// from seeds, so it needs no files.
//
//	go run ./demo/bench/table            everything, some minutes
//	go run ./demo/bench/table -only near rows whose name contains "near"
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/tendonengine/tendon/demo/bench/internal/arena"
	"github.com/tendonengine/tendon/demo/bench/internal/othersim"
	"github.com/tendonengine/tendon/demo/bench/internal/play"
	"github.com/tendonengine/tendon/demo/bench/trace"
)

// Seeds of the recordings that are measured, and of those that only warm up the code
// tables.
const (
	measuredSeed = 1
	warmSeed     = 2
)

func main() {
	only := flag.String("only", "", "run the rows whose name contains this")
	flag.Parse()
	if err := run(*only, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "table: %v\n", err)
		os.Exit(1)
	}
}

func run(only string, stdout io.Writer) error {
	const line = "%-34s %-27s %10s %10s %10s%s\n"
	fmt.Fprintf(stdout, line, "workload", "figure", "project", "target", "Teeworlds", "")
	lib := library{}
	reached, targets := 0, 0
	var above []string
	for _, r := range rows() {
		if !strings.Contains(r.name, only) {
			continue
		}
		report, err := r.play(lib)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		for _, f := range r.figures {
			v, verdict := f.of(report), ""
			if f.target != none {
				targets++
				if v <= f.target {
					reached++
				} else {
					verdict = "  above"
					above = append(above, r.name+": "+f.name)
				}
			}
			fmt.Fprintf(stdout, line, r.name, f.name, f.show(v), f.show(f.target), f.show(f.peer), verdict)
		}
	}
	if len(above) > 0 {
		fmt.Fprintf(stdout, "above their targets: %s\n", strings.Join(above, "; "))
	}
	fmt.Fprintf(stdout, "%d of %d targets reached, 60 Hz, RTT 100 ms unless said, %s, %s/%s\n", reached, targets, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}

// show formats a number for the table: a dash for none.
func (f figure) show(v float64) string {
	if v == none {
		return "–"
	}
	return fmt.Sprintf(f.format, v)
}

// play runs a row r.runs times, and returns the report with the median processor time.
func (r row) play(lib library) (play.Report, error) {
	o := play.Options{Clients: 1, RTT: 100 * time.Millisecond, Workers: 1}
	var err error
	if o.Trace, err = lib.get(r.trace, measuredSeed); err != nil {
		return play.Report{}, err
	}
	if r.warm {
		if o.Warm, err = lib.get(r.trace, warmSeed); err != nil {
			return play.Report{}, err
		}
	}
	o.Send = o.Trace.Hz
	var reports []play.Report
	for i := range max(r.runs, 1) {
		run := o
		run.Seed = uint64(i + 1)
		if r.options != nil {
			r.options(&run)
		}
		debug.FreeOSMemory() // so that a run does not pay for the garbage of the run before
		report, err := play.Run(run)
		if err != nil {
			return report, err
		}
		reports = append(reports, report)
	}
	slices.SortFunc(reports, func(a, b play.Report) int { return cmp.Compare(a.ServerMs, b.ServerMs) })
	return reports[len(reports)/2], nil
}

// A library caches recordings by name and seed, because a large one takes a second to
// simulate.
type library map[string]*trace.Trace

func (l library) get(name string, seed uint64) (*trace.Trace, error) {
	key := fmt.Sprint(name, " ", seed)
	if t := l[key]; t != nil {
		return t, nil
	}
	t, err := record(name, seed)
	if err != nil {
		return nil, err
	}
	l[key] = t
	return t, nil
}

// record simulates a workload. The cave is recorded longer than in testdata, because
// that recording is over before the code tables are learnt.
func record(name string, seed uint64) (*trace.Trace, error) {
	if name == "cave" {
		return othersim.Record(othersim.Slots, 10*othersim.Ticks, seed)
	}
	m, err := arena.Named(name)
	if err != nil {
		return nil, err
	}
	return arena.Record(m, seed)
}
