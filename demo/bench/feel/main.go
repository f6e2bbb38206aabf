// Command feel measures what the players of a small arena shooter feel: how smoothly others
// are drawn, how soon their own body answers, whether their shots hit what they saw. It
// plays a server and eight machines over the simulated network in virtual time, so that a
// run is the same on any machine. It needs neither cgo nor a display.
//
// Files: arena.go has the rules, machine.go the bots and what they draw, game.go the run,
// report.go the figures.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"
)

var debug bool

func main() {
	var o options
	flag.DurationVar(&o.rtt, "rtt", 120*time.Millisecond, "round trip")
	flag.DurationVar(&o.jitter, "jitter", 0, "added to each packet's way at random, up to this")
	calm := flag.Int("calm", 0, "seconds after which there is no jitter any more, 0: never")
	flag.Float64Var(&o.loss, "loss", 0, "share of packets that are lost, 0 to 1")
	flag.Float64Var(&o.burst, "burst", 0, "mean run of losses")
	flag.IntVar(&o.seconds, "seconds", 60, "seconds to play")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of all chance")
	flag.IntVar(&o.sends, "sends", 30, "sends a second")
	flag.Float64Var(&o.stepsHost, "steps-host", 60, "steps a second that the host truly makes")
	stall := flag.Int("stall", 0, "milliseconds that the host stalls, once in 10 seconds")
	flag.BoolVar(&o.lateLine, "late-line", false, "10 % of one client's packets are 50 ms late")
	flag.BoolVar(&o.listen, "listen", false, "the host plays, too")
	flag.BoolVar(&o.noPredict, "nopredict", false, "players wait for the server's answer")
	flag.BoolVar(&o.noRewind, "norewind", false, "the server judges shots by where everybody is")
	flag.StringVar(&o.fps, "fps", "60", "frames a second: 60, 144 or uneven")
	asJSON := flag.Bool("json", false, "end with one line of JSON")
	flag.BoolVar(&debug, "debug", false, "print corrections")
	flag.Parse()
	o.calm = time.Duration(*calm) * time.Second
	o.stall = time.Duration(*stall) * time.Millisecond
	if o.fps != "60" && o.fps != "144" && o.fps != "uneven" || flag.NArg() > 0 || o.seconds < 10 || o.stepsHost < 10 || o.stepsHost > 240 || *calm < 0 || *calm > 0 && o.calm < warmup {
		fmt.Fprintln(os.Stderr, "feel: -fps is 60, 144 or uneven, -seconds at least 10, -steps-host 10 to 240, -calm 0 or at least 8")
		os.Exit(2)
	}
	g, err := newGame(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "feel:", err)
		os.Exit(1)
	}
	g.play(time.Duration(o.seconds) * time.Second)
	figures := g.report()
	if !*asJSON {
		for _, name := range figures.names() {
			fmt.Printf("%-28s %v\n", name, figures[name])
		}
		return
	}
	b, err := json.Marshal(figures)
	if err != nil {
		fmt.Fprintln(os.Stderr, "feel:", err)
		os.Exit(1)
	}
	fmt.Println(string(b))
}
