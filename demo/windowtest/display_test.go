package windowtest

// X servers, builds and runs of the programs under test.

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb"
)

// patience is the time after which a step of a test counts as hanging. It is long, so
// that it does not test speed.
const patience = 5 * time.Minute

// programs is the folder of the programs under test. Each is built once.
var programs string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "windowtest")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	programs = dir
	xgb.Logger = log.New(io.Discard, "", 0) // it warns that a display has no password, which is intended here
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// needs fails the test if the system lacks packages that windows need. The message says
// what to type to install them.
func needs(t *testing.T) {
	t.Helper()
	cmd := exec.Command(filepath.Join(".ci", "packages"), "-n", "tests")
	cmd.Dir = "../.."
	var missing *exec.ExitError // where the script cannot run at all, the build will report what is missing
	if out, err := cmd.CombinedOutput(); errors.As(err, &missing) {
		t.Fatalf("%s", bytes.TrimSpace(out))
	}
}

// build compiles a program of the module as players do, without cgo, or with the race
// detector when the tests run under it, and returns its path. Tests that call it must not run in parallel.
func build(t *testing.T, pkg string) string {
	t.Helper()
	program := filepath.Join(programs, filepath.Base(pkg))
	if _, err := os.Stat(program); err == nil {
		return program
	}
	needs(t)
	args, cgo := []string{"build", "-buildvcs=false", "-o", program}, "CGO_ENABLED=0"
	if raceDetector {
		args, cgo = append(args, "-race"), "CGO_ENABLED=1"
	}
	cmd := exec.Command("go", append(args, pkg)...)
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), cgo)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s does not build: %v\n%s", pkg, err, out)
	}
	return program
}

// display starts an X server and returns the value of DISPLAY for it.
func display(t *testing.T) string {
	t.Helper()
	needs(t)
	path, err := exec.LookPath("Xvfb")
	if err != nil {
		t.Fatalf("windows are tested on Xvfb: %v", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	cmd := exec.Command(path, "-displayfd", "3", "-screen", "0", "800x600x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{w}
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb has told no display (%v):\n%s", err, log.String())
	}
	return ":" + strings.TrimSpace(number)
}

// environ is the environment of a program that opens its window on a display.
//
// LP_NUM_THREADS makes Mesa's software renderer draw in the program's own thread. Else a
// thread of the renderer may still be on its way out of a frame when Ebitengine, at the
// end, unloads the renderer's code, and the program ends by SIGSEGV. With Mesa 25 on two
// busy cores, the tests that press Escape right after a picture failed so in one run of
// three.
func environ(display string) []string {
	return append(os.Environ(), "DISPLAY="+display, "WAYLAND_DISPLAY=", "LP_NUM_THREADS=0")
}

// result is a program's exit code and output.
type result struct {
	code           int
	stdout, stderr string
}

// run runs a program on a display until it ends; "" is no display.
func run(t *testing.T, display, program string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = environ(display)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", program, err)
	}
	if ctx.Err() != nil {
		t.Fatalf("%s %v hangs\n%s", filepath.Base(program), args, stderr.String())
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// says checks that a program failed without a panic, and that its last line is a
// sentence that contains text.
func (r result) says(t *testing.T, text string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(r.stderr), "\n")
	last := lines[len(lines)-1]
	switch {
	case r.code == 0:
		t.Errorf("ended well, though it should have said %q", text)
	case strings.Contains(r.stderr, "panic") || strings.Contains(r.stderr, "goroutine "):
		t.Errorf("panics:\n%s", r.stderr)
	case !strings.HasPrefix(last, "demo: ") || !strings.Contains(last, text):
		t.Errorf("says %q, want a sentence with %q", last, text)
	}
}
