package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/tendonengine/tendon/transport/netsim"
)

// options are the checked settings of the command line.
type options struct {
	addr    string
	join    string
	clients int
	seconds float64 // 0: until stopped
	rtt     time.Duration
	jitter  time.Duration
	loss    float64
	json    bool
	seed    int64
	animals int
}

const (
	defaultAddr = ":7777"
	maxClients  = 63 // in one process with the server; island.Config has 64 seats
)

// parse reads the arguments. Its error is one sentence; it prints the usage to out if
// asked to.
func parse(args []string, out io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("server", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.addr, "addr", defaultAddr, "`HOST:PORT` to host on; with -clients and -seconds any free port")
	f.StringVar(&o.join, "join", "", "host nothing: let the bots join the server of a join string, or at `HOST:PORT`")
	f.IntVar(&o.clients, "clients", 0, "bots that play along, over UDP on loopback")
	f.Float64Var(&o.seconds, "seconds", 0, "how long to play; 0 is until it is stopped")
	f.DurationVar(&o.rtt, "rtt", 0, "simulated round trip of the bots, as in 80ms")
	f.DurationVar(&o.jitter, "jitter", 0, "up to so much more for each packet, as in 30ms")
	f.Float64Var(&o.loss, "loss", 0, "share of the bots' packets lost each way, 0 to 1")
	f.BoolVar(&o.json, "json", false, "print one line of JSON at the end, and nothing else")
	f.Int64Var(&o.seed, "seed", 1, "of the island and of the simulated network")
	f.IntVar(&o.animals, "animals", 0, "so many animals, and half as many crates; 0 is as many as are fun")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			f.SetOutput(out)
			fmt.Fprintln(out, "The island's dedicated server. Flags:")
			f.PrintDefaults()
			return o, err
		}
		first, _, _ := strings.Cut(err.Error(), "\n")
		return o, fmt.Errorf("%s; -help lists the flags", first)
	}
	given := map[string]bool{}
	f.Visit(func(f *flag.Flag) { given[f.Name] = true })
	return o, o.check(f.Args(), given)
}

// check refuses settings that make no sense, and fills in those that follow from the
// others.
func (o *options) check(rest []string, given map[string]bool) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("%q is no flag; -help lists them", rest[0])
	case o.clients < 0 || o.clients > maxClients:
		return fmt.Errorf("-clients is %d; give 0 to %d", o.clients, maxClients)
	case !(o.seconds >= 0 && o.seconds <= 1e6):
		return fmt.Errorf("-seconds is %v; give 0 to a million", o.seconds)
	case o.animals < 0 || o.animals > 100_000:
		return fmt.Errorf("-animals is %d; give 0 to 100000", o.animals)
	case given["join"] && o.join == "":
		return errors.New("-join wants a join string or an address, and it is empty")
	case o.join != "" && given["addr"]:
		return errors.New("-join hosts nothing; leave -addr out")
	case o.join != "" && o.clients == 0:
		return errors.New("-join is for bots; say how many with -clients")
	}
	if err := o.conditions().Check(); err != nil {
		return fmt.Errorf("-rtt is %v, -jitter %v and -loss %v: half of the round trip is each way's delay, and %s", o.rtt, o.jitter, o.loss, strings.TrimPrefix(err.Error(), "netsim: "))
	}
	if o.join != "" {
		return nil
	}
	if !given["addr"] && o.clients > 0 && o.seconds > 0 {
		o.addr = "127.0.0.1:0" // nobody else needs to find it
	}
	if _, _, err := net.SplitHostPort(o.addr); err != nil {
		return fmt.Errorf("-addr is %q; give HOST:PORT, as in :7777", o.addr)
	}
	return nil
}

// conditions returns the conditions of each direction of the bots' network.
func (o *options) conditions() netsim.Conditions {
	return netsim.Conditions{Loss: o.loss, Delay: o.rtt / 2, Jitter: o.jitter}
}
