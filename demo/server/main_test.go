package main

// The program's arguments, output and exit codes, and a session over UDP.

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
)

// start runs the program and returns its exit code and what it printed.
func start(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = run(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestRefusalsAreOneSentence(t *testing.T) {
	taken, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	port := taken.LocalAddr().String()
	for _, c := range []struct{ args, says string }{
		{"-nonsense", "-nonsense"},
		{"-clients many", "clients"},
		{"-clients -1", "-clients is -1"},
		{"-clients 1000", "-clients is 1000"},
		{"-seconds -1", "-seconds"},
		{"-seconds NaN", "-seconds"},
		{"-loss 2", "loss"},
		{"-rtt -5ms", "-rtt is -5ms"},
		{"-jitter never", "jitter"},
		{"-addr 7777", "HOST:PORT"},
		{"-addr 127.0.0.1:notaport -seconds 1", "notaport"},
		{"-addr " + port, port},
		{"-join 127.0.0.1:9", "-clients"},
		{"-join 127.0.0.1:9 -addr :7", "-addr"},
		{"-join 127.0.0.1:9 -clients 1", "no answer"},
		{"-join 127.0.0.1:9 -clients 1 -seconds 0.1", "no bot has joined"},
		{"-join= -clients 1", "-join wants"},
		{"-join nowhere -clients 1", "nowhere"},
		{"extra", "no flag"},
	} {
		code, _, stderr := start(t, strings.Fields(c.args)...)
		line := strings.TrimSuffix(stderr, "\n")
		if code == 0 || !strings.HasPrefix(line, "server: ") || !strings.Contains(line, c.says) || strings.Contains(line, "\n") {
			t.Errorf("%s: exit %d, %q; want a failure and one sentence with %q", c.args, code, stderr, c.says)
		}
	}
}

// A session over UDP with loss: the last line of output has all promised figures, and in
// the end everyone sees the same. The session is repeated with twice the length until a
// slow machine has played enough for all figures.
func TestSessionOverUDP(t *testing.T) {
	for seconds := 3; ; seconds *= 2 {
		missing := playOverUDP(t, seconds)
		switch {
		case len(missing) == 0:
			return
		case seconds > 20:
			t.Fatalf("nothing of %v in %d seconds", missing, seconds)
		}
	}
}

// playOverUDP returns the names of the figures that are missing.
func playOverUDP(t *testing.T, seconds int) (missing []string) {
	code, stdout, stderr := start(t, strings.Fields(fmt.Sprintf("-clients 2 -seconds %d -rtt 60ms -loss 0.05 -jitter 10ms -json", seconds))...)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	var r map[string]any
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("%v in %q", err, stdout)
	}
	for _, key := range strings.Fields("mode transport seconds ticks clients nodes stream_ins stream_outs rpcs state_packets bytes_out kbps_per_client rtt_ms loss quiet_ms mismatches") {
		if _, ok := r[key]; !ok {
			t.Errorf("%s is missing", key)
		}
	}
	if r["transport"] != "kcp" || r["mode"] != "dedicated" || r["clients"] != 2.0 || r["mismatches"] != 0.0 {
		t.Errorf("%s", stdout)
	}
	for _, key := range []string{"ticks", "nodes", "stream_ins", "rpcs", "state_packets", "bytes_out", "rtt_ms"} {
		if v, _ := r[key].(float64); v <= 0 {
			missing = append(missing, key)
		}
	}
	return missing
}

func TestSentencesAndEndBySignal(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop() // like Ctrl-C at the start
	var out, errs strings.Builder
	if code := run(ctx, []string{"-addr", "127.0.0.1:0"}, &out, &errs); code != 0 {
		t.Errorf("exit %d: %s", code, errs.String())
	}
	for _, want := range []string{"-join tendon1://127.0.0.1:", "listens on 127.0.0.1:", "Played"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("nothing is said of %q:\n%s", want, out.String())
		}
	}
}

// Without bots nobody was asked what they see, so nothing is said of it.
func TestReportWithoutBots(t *testing.T) {
	for clients, compared := range map[int]bool{0: false, 2: true} {
		var out strings.Builder
		r := report{Mode: "dedicated", Seconds: 1, Clients: clients, StatePackets: 5, BytesOut: 500, Transport: "kcp"}
		if err := r.tell(&out); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), "every client saw"); got != compared || !strings.Contains(out.String(), "5 packets") {
			t.Errorf("%d bots: %s", clients, out.String())
		}
	}
}
