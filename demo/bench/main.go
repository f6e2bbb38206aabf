// Command bench plays a workload trace through the whole library except its sockets, in
// virtual time. It reports bytes, processor time, and whether every client's state
// equals the trace.
//
//	go run ./demo/bench -trace FILE [-warm FILE] [-clients 1] [-radius 0] [-send HZ]
//	    [-rtt 100ms] [-jitter 0] [-loss 0] [-budget 0] [-workers 1] [-seed 1] [-json] [-udp] [-explicit]
//
// The last line of its output is one JSON object. It exits 2 on a bad trace or
// arguments that make no sense, and 1 when a run could not be measured. README.md
// explains the figures.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"time"

	"github.com/tendonengine/tendon/demo/bench/internal/cpu"
	"github.com/tendonengine/tendon/demo/bench/internal/play"
	"github.com/tendonengine/tendon/demo/bench/trace"
)

const (
	exitFailed = 1 // the run failed, or its figures are worth little
	exitUsage  = 2 // the trace or the arguments make no sense
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// arguments is the command line: play.Options in o, and what only this command needs.
type arguments struct {
	o                      play.Options
	trace, warm            string
	json                   bool
	rate                   bool // -send was given
	packets                string
	cpuProfile, memProfile string
}

func run(args []string, stdout, stderr io.Writer) int {
	a, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err == nil {
		err = a.load()
	}
	if err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		return exitUsage
	}
	if cpu.Wall {
		fmt.Fprintln(stderr, "bench: this system tells no processor time to the nanosecond: times are by the wall clock")
	}
	stop, err := profile(a.cpuProfile)
	if err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		return exitUsage
	}
	if a.cpuProfile != "" {
		fmt.Fprintln(stderr, "bench: while a profile is taken the system tells processor time in steps of milliseconds: the times of this run mean little")
	}
	closePackets, err := a.tracePackets()
	if err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		return exitUsage
	}
	report, err := play.Run(a.o)
	stop()
	if err := closePackets(); err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		return exitFailed
	}
	if err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		if errors.Is(err, play.ErrTrace) {
			return exitUsage
		}
		return exitFailed
	}
	if err := writeHeap(a.memProfile); err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		return exitFailed
	}
	if !a.json {
		report.Print(stdout)
	}
	fmt.Fprintln(stdout, report.JSON())
	if report.Short > 0 {
		fmt.Fprintf(stderr, "bench: %d of %d clients joined too late to be measured on half of the trace's sends\n", report.Short, report.Clients)
		return exitFailed
	}
	return 0
}

// parse reads the command line. An error is one sentence, which the caller prints;
// package flag prints only the help.
func parse(args []string, stderr io.Writer) (*arguments, error) {
	a := &arguments{}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&a.trace, "trace", "", "the `file` that is measured")
	f.StringVar(&a.warm, "warm", "", "a `file` of the same fields that is played once before, to learn code tables")
	f.IntVar(&a.o.Clients, "clients", 1, "clients; client i follows slot i")
	f.Float64Var(&a.o.Radius, "radius", 0, "how far a client sees, in the trace's unit; 0 is the whole world")
	f.IntVar(&a.o.Send, "send", 0, "sends per second (default: the trace's rate)")
	f.DurationVar(&a.o.RTT, "rtt", 100*time.Millisecond, "round trip, half of it each way")
	f.DurationVar(&a.o.Jitter, "jitter", 0, "added to each packet's delay, from 0 to this, each way")
	f.Float64Var(&a.o.Loss, "loss", 0, "share of packets lost, each way")
	f.IntVar(&a.o.Budget, "budget", 0, "bytes per second and client; 0 is none")
	f.IntVar(&a.o.Workers, "workers", 1, "goroutines that encode")
	f.Uint64Var(&a.o.Seed, "seed", 1, "of the network")
	f.BoolVar(&a.o.UDP, "udp", false, "over real KCP on 127.0.0.1, in real time")
	f.BoolVar(&a.o.Explicit, "explicit", false, "the game says which components have changed, in place of all being compared")
	f.BoolVar(&a.json, "json", false, "print the JSON line alone")
	f.StringVar(&a.packets, "packets", "", "write every packet that the first client opens to this `file`, as JSON lines")
	f.StringVar(&a.cpuProfile, "cpuprofile", "", "write a processor profile to this `file`")
	f.StringVar(&a.memProfile, "memprofile", "", "write a heap profile to this `file`")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			f.SetOutput(stderr)
			f.Usage()
		}
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("%q is not an argument: every one has a name that begins with -", f.Arg(0))
	}
	f.Visit(func(f *flag.Flag) { a.rate = a.rate || f.Name == "send" })
	return a, nil
}

// load reads the traces and checks all options.
func (a *arguments) load() (err error) {
	if a.trace == "" {
		return errors.New("there is no trace to play: give one with -trace FILE")
	}
	if a.o.Trace, err = trace.Open(a.trace); err != nil {
		return err
	}
	if !a.rate {
		a.o.Send = a.o.Trace.Hz
	}
	if a.warm != "" {
		if a.o.Warm, err = trace.Open(a.warm); err != nil {
			return err
		}
	}
	return a.o.Check()
}

func profile(path string) (stop func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("the profile cannot be written: %w", err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("the profile cannot be taken: %w", err)
	}
	return func() {
		pprof.StopCPUProfile()
		f.Close()
	}, nil
}

func writeHeap(path string) error {
	if path == "" {
		return nil
	}
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("the profile cannot be written: %w", err)
	}
	defer f.Close()
	runtime.GC()
	return pprof.Lookup("allocs").WriteTo(f, 0)
}

// tracePackets opens the file of -packets and sets the option that writes the first
// client's packets to it.
func (a *arguments) tracePackets() (closeFile func() error, err error) {
	if a.packets == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(a.packets)
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriter(f)
	a.o.Packets = func(line []byte) {
		w.Write(line) // the writer keeps an error for Flush
		w.WriteByte('\n')
	}
	return func() error { return errors.Join(w.Flush(), f.Close()) }, nil
}
