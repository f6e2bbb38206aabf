package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tendonengine/tendon/demo/bench/trace"
)

const cave = "testdata/cave.rplt"

// keys are all fields of the JSON line.
const keys = `trace clients sends nodes_mean
payload_bytes_per_send_mean payload_bytes_per_send_p99 wire_bytes_per_send_mean up_bytes_per_send_mean first_full_bytes
server_ms_per_send server_ms_per_send_p99 extract_ms_per_send encode_ns_per_entity_client decode_ns_per_changed
allocs_per_send_server allocs_per_send_client heap_bytes_per_client stream_ins stream_outs sends_per_change
arrival_ms_p99 age_ms_p99 age_ms_max budget_excess_max dropped_oversize quiet_ms extract mismatches`

// The last line of the output is the report as JSON, with exactly the fields in keys;
// -json prints no other line.
func TestTheLastLineIsTheReport(t *testing.T) {
	for _, args := range [][]string{{"-json"}, nil, {"-clients", "3", "-radius", "3000", "-send", "10", "-loss", "0.2", "-jitter", "20ms", "-json"}} {
		var out, errs bytes.Buffer
		if code := run(append([]string{"-trace", cave}, args...), &out, &errs); code != 0 {
			t.Fatalf("%v: exit %d: %s", args, code, errs.String())
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if json := len(args) > 0; json != (len(lines) == 1) {
			t.Errorf("%v: %d lines", args, len(lines))
		}
		var got map[string]any
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &got); err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		want := strings.Fields(keys)
		for _, k := range want {
			if _, ok := got[k]; !ok {
				t.Errorf("%v: the report has no %s", args, k)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%v: the report has %d fields, want %d", args, len(got), len(want))
		}
		if got["mismatches"] != 0.0 || got["extract"] != "direct" || got["trace"] != "cave" {
			t.Errorf("%v: %s", args, lines[len(lines)-1])
		}
	}
}

// A bad trace or arguments that make no sense end in one sentence and exit code 2.
func TestWhatMakesNoSense(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good, err := os.ReadFile(cave)
	if err != nil {
		t.Fatal(err)
	}
	r := trace.NewRecorder("other", 25, 1, []trace.Field{{Name: "alive", Role: trace.Alive}, {Name: "x"}})
	r.Add([]int32{1, 2})
	other, err := r.Trace()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := other.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{
		"",
		"-trace",
		"-trace " + filepath.Join(dir, "gone.rplt"),
		"-trace " + dir,
		"-trace " + write("empty", nil),
		"-trace " + write("cut", good[:len(good)/2]),
		"-trace " + write("longer", append(bytes.Clone(good), 0)),
		"-trace " + write("text", []byte("this is no trace, but long enough to be looked at")),
		"-trace " + cave + " -warm " + write("other", b.Bytes()),
		"-trace " + cave + " -warm " + filepath.Join(dir, "gone.rplt"),
		"-trace " + cave + " -clients 0",
		"-trace " + cave + " -clients many",
		"-trace " + cave + " -radius -1",
		"-trace " + cave + " -radius NaN",
		"-trace " + cave + " -send 0",
		"-trace " + cave + " -rtt -1ms",
		"-trace " + cave + " -rtt 100",
		"-trace " + cave + " -jitter -1ms",
		"-trace " + cave + " -loss 1",
		"-trace " + cave + " -loss -0.1",
		"-trace " + cave + " -budget -5",
		"-trace " + cave + " -workers 0",
		"-trace " + cave + " -seed -1",
		"-trace " + cave + " -cpuprofile " + filepath.Join(dir, "no", "such", "folder"),
		"-trace " + cave + " -nonsense",
		"-trace " + cave + " more",
	} {
		var out, errs bytes.Buffer
		code := run(strings.Fields(args), &out, &errs)
		said := strings.TrimSuffix(errs.String(), "\n")
		if code != exitUsage || out.Len() != 0 || !strings.HasPrefix(said, "bench: ") || strings.Contains(said, "\n") {
			t.Errorf("%q: exit %d, printed %q, said %q", args, code, out.String(), said)
		}
	}
}

func TestHelp(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run([]string{"-h"}, &out, &errs); code != 0 || !strings.Contains(errs.String(), "-radius") {
		t.Errorf("exit %d: %s", code, errs.String())
	}
}

// When a client joins too late to be measured, the run prints its report and then
// fails.
func TestTooLittleToMeasure(t *testing.T) {
	var out, errs bytes.Buffer
	code := run([]string{"-trace", cave, "-rtt", "4s", "-json"}, &out, &errs)
	if code != exitFailed || !json.Valid(bytes.TrimSpace(out.Bytes())) || !strings.Contains(errs.String(), "joined too late") {
		t.Errorf("exit %d, printed %q, said %q", code, out.String(), errs.String())
	}
}

func TestProfiles(t *testing.T) {
	dir := t.TempDir()
	var out, errs bytes.Buffer
	c, m := filepath.Join(dir, "cpu"), filepath.Join(dir, "mem")
	if code := run([]string{"-trace", cave, "-json", "-cpuprofile", c, "-memprofile", m}, &out, &errs); code != 0 {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	for _, path := range []string{c, m} {
		if st, err := os.Stat(path); err != nil || st.Size() == 0 {
			t.Errorf("%s: %v", path, err)
		}
	}
}
