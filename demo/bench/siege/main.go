// Siege attacks a server over real UDP on this machine, breaks the lines to it, and reports
// which of the network's promises hold (docs/security.md says what is promised). Servers,
// clients, relays and attackers are processes of their own: this program, started with a
// role.
//
//	go run ./demo/bench/siege [-only NAME,…] [-json] [-list] [-soak 10m]
//
// Each scenario prints one line. With -json the last line is one JSON object: by name
// {ok, figures…}, and failed, which is how many do not hold.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// A scenario tests promises and returns its figures. It returns an error if a promise does
// not hold, or could not be tested.
type scenario struct {
	name string
	does string
	run  func(s *stage) error
	wave int // those of one wave run side by side; mostly they wait
}

// measures are scenarios that run only when they are named.
var measures = []scenario{
	{"idle", "what a peer at rest takes of the server's memory", idle, 1},
	{"crowd", "what 256 clients take of a core", crowd, 2},
}

var scenarios = []scenario{
	{"forged", "packets with a client's address and id that are not its own harm nobody", forge, 1},
	{"replayed", "recorded handshakes, sent again from anywhere, take nobody's place", replayed, 2},
	{"deadline", "a lost seat ends in time, and so does a connection that never gets ready", deadline, 0},
	{"joinflood", "clients join during a flood of questions from false addresses", joinFlood, 3},
	{"oneaddress", "one address cannot take all places; a party behind one address can play", oneAddress, 4},
	{"amplification", "who is not known yet gets far fewer bytes than he sends", amplification, 2},
	{"rebind", "a client's address and port may change", rebind, 2},
	{"copied", "packets copied from another address do not lead the answers there", copied, 2},
	{"pause", "both ends may stand still", pause, 0},
	{"restart", "a server's restart is noticed at once", restart, 2},
	{"mtu", "paths that carry less than full packets", narrow, 0},
	{"kick", "who floods or never listens is sent away", kick, 5},
	{"slowline", "state stays young on a slow line, and a line is used", slowLine, 6},
	{"leaves", "goodbyes arrive", leaves, 7},
	{"soak", "nothing grows", soak, 8},
	{"kept", "attackers leave nothing behind in memory", kept, 2},
}

func main() {
	if len(os.Args) > 2 && os.Args[1] == "-role" {
		os.Exit(play(os.Args[2], os.Args[3:]))
	}
	only := flag.String("only", "", "names of scenarios, with commas between")
	asJSON := flag.Bool("json", false, "end with a line of JSON")
	list := flag.Bool("list", false, "list the scenarios")
	lasts := flag.Duration("soak", time.Minute, "how long soak goes on, a minute or more")
	flag.Parse()
	if *list {
		for _, c := range slices.Concat(scenarios, measures) {
			fmt.Printf("%-14s %s\n", c.name, c.does)
		}
		return
	}
	chosen, err := choose(*only)
	if err == nil && *lasts < time.Minute {
		err = fmt.Errorf("siege: a soak of %v; give a minute or more, as in 10m", *lasts)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	out := besiege(chosen, *lasts)
	if *asJSON {
		b, err := json.Marshal(out)
		if err != nil {
			panic(err) // the figures are numbers and texts
		}
		fmt.Println(string(b))
	}
	if out["failed"] != 0 {
		os.Exit(1)
	}
}

// choose returns the scenarios with the given names; all for none.
func choose(names string) ([]scenario, error) {
	if names == "" {
		return scenarios, nil
	}
	var chosen []scenario
	for name := range strings.SplitSeq(names, ",") {
		all := slices.Concat(scenarios, measures)
		i := slices.IndexFunc(all, func(c scenario) bool { return c.name == name })
		if i < 0 {
			return nil, fmt.Errorf("siege: no scenario is called %q; -list lists them", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// besiege runs the scenarios, wave by wave. Those of wave 0 wait most of the time, and run
// beside all others.
func besiege(chosen []scenario, soak time.Duration) map[string]any {
	out := map[string]any{}
	var mu sync.Mutex
	failed := 0
	run := func(c scenario) {
		s := newStage(c.name, soak)
		began := time.Now()
		err := s.play(c.run)
		s.figure("seconds", round(time.Since(began).Seconds(), 1))
		mu.Lock()
		defer mu.Unlock()
		s.figures["ok"] = err == nil
		if err != nil {
			failed++
			s.figures["error"] = err.Error()
		}
		out[c.name] = s.figures
		fmt.Printf("%-14s %s\n", c.name, s.line(err))
	}
	var beside sync.WaitGroup
	waves := map[int][]scenario{}
	for _, c := range chosen {
		if c.wave == 0 {
			beside.Go(func() { run(c) })
			continue
		}
		waves[c.wave] = append(waves[c.wave], c)
	}
	for _, w := range slices.Sorted(maps.Keys(waves)) {
		var side sync.WaitGroup
		for _, c := range waves[w] {
			side.Go(func() { run(c) })
		}
		side.Wait()
	}
	beside.Wait()
	out["failed"] = failed
	return out
}
