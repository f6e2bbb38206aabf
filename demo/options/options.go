// Package options parses and checks the command line of demo. It does not import the
// window, so tests need no display.
package options

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// Options is the parsed command line. Parse has checked it: values are in range and no
// two flags contradict each other.
type Options struct {
	Panes  bool   // two sessions in one window
	Host   string // address to listen on
	Join   string // join string or address
	MaxFPS int    // 0: the display's rate
	Width  int    // of the window, pixels
	Height int

	Shot    string  // path of the picture to write, with its account beside it; "" for none
	Seconds float64 // when the picture is taken, after the window opened

	Bot         bool // a bot plays until a key is pressed, in every pane
	Circles     bool // begin with the circles shown
	Figures     bool // begin with the network figures shown
	Map         bool // begin with the map of the player's team
	Ghosts      bool // begin with the ghosts of authority, proxy and prediction
	Zoom        float64
	RTT         time.Duration // of the second pane
	Loss        float64       // of the second pane, each way, 0…1
	Name        string
	Seed        int64
	Unpredicted bool // begin without prediction
	Animals     int  // on the island that this machine makes; 0: as many as are fun
}

// Parse reads the arguments. An error is one sentence. For -help it writes the help to
// out and returns flag.ErrHelp.
func Parse(args []string, out io.Writer) (Options, error) {
	var o Options
	var size string
	f := flag.NewFlagSet("demo", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.BoolVar(&o.Panes, "panes", false, "two sessions beside each other: a listen server, and a client of it over UDP")
	f.StringVar(&o.Host, "host", "", "let others join on `HOST:PORT`, as in :7777")
	f.StringVar(&o.Join, "join", "", "join the session of a join string, or at `HOST:PORT`, or one of the local network, by a list: lan")
	f.IntVar(&o.MaxFPS, "max-fps", 0, "draw at most so often a second; the game goes on as fast")
	f.StringVar(&size, "size", "1280x640", "of the window when it opens, `WxH` pixels")
	f.StringVar(&o.Shot, "shot", "", "write a picture to `FILE.png`, and what is on it to FILE.json, then end; F12 writes them before that; with -panes unless -host or -join is given")
	f.Float64Var(&o.Seconds, "seconds", 5, "with -shot: when it is taken")
	f.BoolVar(&o.Bot, "bot", false, "a bot plays until a key is pressed; -shot does so too")
	f.BoolVar(&o.Circles, "circles", false, "begin with the circles in which nodes are streamed, and the map")
	f.BoolVar(&o.Figures, "figures", false, "begin with the network's figures")
	f.BoolVar(&o.Map, "map", false, "begin with the map of your team; M opens and closes it")
	f.BoolVar(&o.Ghosts, "ghosts", false, "begin with three ghosts of each body: as the server has said, as proxies are drawn, as predicted; F3 shows and hides them")
	f.BoolVar(&o.Unpredicted, "unpredicted", false, "begin without prediction: what you drive waits for the server; F4 turns it on and off")
	f.Float64Var(&o.Zoom, "zoom", 1, "how large things are drawn; at 1 a pane shows what is near")
	f.DurationVar(&o.RTT, "rtt", 80*time.Millisecond, "with -panes: simulated round trip of the second")
	f.Float64Var(&o.Loss, "loss", 0.02, "with -panes: share of its packets lost each way, 0 to 1")
	f.StringVar(&o.Name, "name", "", "what others call you, at most 16 bytes")
	f.Int64Var(&o.Seed, "seed", time.Now().UnixNano(), "of the island's animals and crates")
	f.IntVar(&o.Animals, "animals", 0, "so many animals, and half as many crates, on an island of one's own; 0 is as many as are fun")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			f.SetOutput(out)
			fmt.Fprintln(out, "The island: single player, or as the flags say.")
			f.PrintDefaults()
			return o, err
		}
		first, _, _ := strings.Cut(err.Error(), "\n")
		return o, fmt.Errorf("%s; -help lists the flags", first)
	}
	if n, err := fmt.Sscanf(size, "%dx%d", &o.Width, &o.Height); n != 2 || err != nil || fmt.Sprintf("%dx%d", o.Width, o.Height) != size {
		return o, fmt.Errorf("-size is %q; give it as 1280x640", size)
	}
	return o, o.check(f)
}

// check refuses options that make no sense, and sets those that follow from others.
func (o *Options) check(f *flag.FlagSet) error {
	given := map[string]bool{}
	f.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if rest := f.Args(); len(rest) > 0 {
		return fmt.Errorf("%q is no flag; -help lists them", rest[0])
	}
	if o.Shot != "" && o.Host == "" && o.Join == "" {
		o.Panes = true
	}
	o.Bot = o.Bot || o.Shot != ""
	switch {
	case given["host"] && o.Host == "", given["join"] && o.Join == "":
		return errors.New("-host and -join want an address, and one is empty")
	case o.Host != "" && o.Join != "":
		return errors.New("-host and -join exclude each other: a session is hosted or joined")
	case o.Panes && (o.Host != "" || o.Join != ""):
		return errors.New("-panes hosts and joins by itself; leave -host and -join out")
	case given["seconds"] && o.Shot == "":
		return errors.New("-seconds is about -shot; give that as well")
	case o.Shot != "" && !strings.HasSuffix(o.Shot, ".png"):
		return fmt.Errorf("-shot is %q; give a name that ends in .png", o.Shot)
	case !(o.Seconds >= 0 && o.Seconds <= 3600):
		return fmt.Errorf("-seconds is %v; give 0 to 3600", o.Seconds)
	case o.MaxFPS < 0 || o.MaxFPS > 1000:
		return fmt.Errorf("-max-fps is %d; give 1 to 1000, or 0 for no limit", o.MaxFPS)
	case o.Width < 160 || o.Width > 8192 || o.Height < 120 || o.Height > 8192:
		return fmt.Errorf("-size is %dx%d; give 160x120 to 8192x8192", o.Width, o.Height)
	case !(o.Zoom >= 0.25 && o.Zoom <= 4):
		return fmt.Errorf("-zoom is %v; give 0.25 to 4", o.Zoom)
	case o.Animals < 0 || o.Animals > 100_000:
		return fmt.Errorf("-animals is %d; give 0 to 100000", o.Animals)
	case o.RTT < 0 || o.RTT > 5*time.Second:
		return fmt.Errorf("-rtt is %v; give 0s to 5s", o.RTT)
	case !(o.Loss >= 0 && o.Loss <= 1):
		return fmt.Errorf("-loss is %v; it is a share from 0 to 1", o.Loss)
	case len(o.Name) > 16:
		return fmt.Errorf("-name has %d bytes; at most 16 fit over a head", len(o.Name))
	}
	if _, _, err := net.SplitHostPort(o.Host); o.Host != "" && err != nil {
		return fmt.Errorf("-host is %q; give HOST:PORT, as in :7777", o.Host)
	}
	return nil
}
