package options

import (
	"errors"
	"flag"
	"io"
	"strings"
	"testing"
)

// Arguments that make no sense are an error of one sentence that names the flag.
func TestBadArgumentsAreOneSentence(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"-nonsense", "not defined"},
		{"-max-fps many", "max-fps"},
		{"-max-fps -1", "-max-fps is -1"},
		{"-host :1 -join :2", "exclude each other"},
		{"-panes -join :2", "-panes hosts and joins by itself"},
		{"-seconds 5", "-shot"},
		{"-shot out.jpg", ".png"},
		{"-shot out.png -seconds -1", "-seconds"},
		{"-shot out.png -seconds NaN", "-seconds"},
		{"-size 12", "-size"},
		{"-size 1x1", "-size"},
		{"-size 1280x640x3", "-size"},
		{"-zoom 0", "-zoom"},
		{"-rtt -1s", "-rtt"},
		{"-animals -1", "-animals is -1"},
		{"-loss 2", "-loss"},
		{"-host 7777", "HOST:PORT"},
		{"-name abcdefghijklmnopqrstuvwxyz", "-name"},
		{"extra", "no flag"},
		{"-join=", "one is empty"},
		{"-host=", "one is empty"},
	} {
		_, err := Parse(strings.Fields(c.args), io.Discard)
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want one sentence with %q", c.args, err, c.says)
		}
	}
}

// -shot implies -panes and -bot unless another flag says otherwise.
func TestWhatFollowsFromFlags(t *testing.T) {
	o, err := Parse([]string{"-shot", "out.png"}, io.Discard)
	if err != nil || !o.Panes || !o.Bot || o.Seconds != 5 {
		t.Errorf("-shot gives %+v, %v; want panes, played by bots, after 5 s", o, err)
	}
	o, err = Parse([]string{"-shot", "out.png", "-host", ":7777"}, io.Discard)
	if err != nil || o.Panes || o.Host != ":7777" {
		t.Errorf("-shot -host :7777 gives %+v, %v; want no panes", o, err)
	}
	if o, err = Parse(nil, io.Discard); err != nil || o.Panes || o.Bot {
		t.Errorf("no flags give %+v, %v; want single player", o, err)
	}
}

func TestHelpListsTheFlags(t *testing.T) {
	var b strings.Builder
	if _, err := Parse([]string{"-help"}, &b); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-help returns %v, want flag.ErrHelp", err)
	}
	for _, name := range []string{"-panes", "-host", "-join", "-max-fps", "-shot", "-seconds"} {
		if !strings.Contains(b.String(), name+" ") && !strings.Contains(b.String(), name+"\n") {
			t.Errorf("-help does not tell of %s", name)
		}
	}
}
