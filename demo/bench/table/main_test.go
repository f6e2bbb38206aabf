package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// The table has a heading, a line for each figure of the smallest rows, and the count
// of targets reached.
func TestTable(t *testing.T) {
	var out bytes.Buffer
	if err := run("cave", &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if !regexp.MustCompile(`^workload +figure +project +target +Teeworlds`).MatchString(lines[0]) {
		t.Errorf("the table begins with %q", lines[0])
	}
	payload := 0
	for _, l := range lines {
		if regexp.MustCompile(`^cave, whole world(, cold)? +payload bytes a send +[1-9][0-9]* +– +–`).MatchString(l) {
			payload++
		}
	}
	if payload != 2 {
		t.Errorf("%d lines tell the payload, warm and cold:\n%s", payload, out.String())
	}
	if last := lines[len(lines)-1]; !regexp.MustCompile(`^4 of 4 targets reached`).MatchString(last) {
		t.Errorf("the last line is %q:\n%s", last, out.String())
	}
}

// Names of rows differ, and every row but those with loss shows a figure beside its
// mismatches.
func TestRowsAreComplete(t *testing.T) {
	names := map[string]bool{}
	for _, r := range rows() {
		if names[r.name] {
			t.Errorf("two rows are named %q", r.name)
		}
		names[r.name] = true
		if len(r.figures) < 2 && !strings.Contains(r.name, "lost") {
			t.Errorf("%s shows its mismatches alone", r.name)
		}
	}
}
