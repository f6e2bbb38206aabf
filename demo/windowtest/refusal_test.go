package windowtest

// Displays and arguments with which the demo cannot run.

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// Without a display the program says so, and how to play in text.
func TestNoDisplay(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a window")
	}
	program := build(t, "./demo")
	for screen, why := range map[string]string{"": "no window system is available", ":65000": "failed to open display :65000"} {
		r := run(t, screen, program, "-panes")
		r.says(t, "go run ./demo/server")
		if want := "demo: window: no window can be opened here: "; !strings.HasPrefix(r.stderr, want) || !strings.Contains(r.stderr, why) {
			t.Errorf("on display %q it says %q, want %q and %q", screen, r.stderr, want, why)
		}
	}
}

// Arguments that cannot be carried out end the program with one sentence and a failure
// code.
func TestRefusals(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and opens a window")
	}
	taken, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	screen := display(t)
	program := build(t, "./demo")
	for _, c := range []struct {
		says string
		args []string
	}{
		{"-nonsense", []string{"-nonsense"}},
		{taken.LocalAddr().String(), []string{"-host", taken.LocalAddr().String()}},
		{"no answer", []string{"-join", "127.0.0.1:9"}},
		{"nowhere", []string{"-join", "nowhere"}},
		{"no/such/folder", []string{"-shot", "/no/such/folder/out.png", "-seconds", "0"}},
	} {
		t.Run(c.says, func(t *testing.T) { run(t, screen, program, c.args...).says(t, c.says) })
	}
}

// startServer runs the dedicated server as a process of its own, and returns its
// address.
func startServer(t *testing.T) string {
	t.Helper()
	addr, _ := serverSays(t)
	return addr
}

// serverSays is startServer that also returns what the server prints from then on.
func serverSays(t *testing.T) (addr string, says *bufio.Reader) {
	t.Helper()
	cmd := exec.Command(build(t, "./demo/server"), "-addr", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	says = bufio.NewReader(out)
	line, err := says.ReadString('\n')
	if err != nil {
		t.Fatalf("the server says nothing: %v", err)
	}
	addr = regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(line)
	if addr == "" {
		t.Fatalf("the server does not say where it listens: %q", line)
	}
	return addr, says
}
