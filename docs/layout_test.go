package docs_test

import (
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
)

// longest is how many lines a written file may have: above it a reader no
// longer has the whole in mind.
const longest = 450

// topLevel is the whole top level, beside files whose name starts with a dot.
var topLevel = map[string]bool{
	"go.mod": true, "go.sum": true, "rpl": true, "ecs": true, "components": true, "transport": true,
	"demo": true, "assets": true, "docs": true, "Makefile": true, "README.md": true, "LICENSE": true,
}

func TestLayout(t *testing.T) {
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, e := range entries {
		switch name := e.Name(); {
		case topLevel[name]:
			seen++
		case strings.HasPrefix(name, "."), notOurs[name]:
		default:
			t.Errorf("%s stands at the top level, which is fixed: put it where the folder's name says", name)
		}
	}
	if seen != len(topLevel) {
		t.Errorf("%d of the %d entries of the top level are there", seen, len(topLevel))
	}
}

func TestLength(t *testing.T) {
	for _, f := range texts(t, ".go") {
		if n := f.lines(); n > longest && !f.generated() {
			t.Errorf("%s has %d lines, more than %d: split it by type", f.path, n, longest)
		}
	}
}

// machinePath matches a path that exists on one machine only.
var machinePath = regexp.MustCompile(`(?:^|[^A-Za-z0-9._/-])(/(?:work|farm|root|home|Users|mnt)/[A-Za-z0-9._-]+|[A-Z]:\\Users\\)`)

// inside matches the name of a host that only one network knows, and settings
// that send the go command to one.
var inside = regexp.MustCompile(`(?i)\b[a-z0-9-]+\.(?:internal|intranet|corp|lan)\b|\bGO(?:PROXY|NOSUMDB|SUMDB|PRIVATE|INSECURE)=`)

var address = regexp.MustCompile("https?://[^\\s<>()\"'`\\]]+")

// hosts are those that the project may link to: all of them public.
var hosts = map[string]bool{
	"github.com": true, "go.dev": true, "pkg.go.dev": true, "ebitengine.org": true, "semver.org": true, "keepachangelog.com": true,
	"creativecommons.org": true, "opensource.org": true, "www.rfc-editor.org": true, "www.w3.org": true, "noiseprotocol.org": true, "honnef.co": true,
}

// machineTraces says what in a text only one machine or network understands.
func machineTraces(text string) (found []string) {
	for _, m := range machinePath.FindAllStringSubmatch(text, -1) {
		found = append(found, "the path "+m[1])
	}
	found = append(found, inside.FindAllString(text, -1)...)
	for _, m := range address.FindAllString(text, -1) {
		if u, err := url.Parse(m); err != nil || !hosts[u.Hostname()] {
			found = append(found, "the address "+m)
		}
	}
	return found
}

func TestMachineTraces(t *testing.T) {
	for _, f := range texts(t, "") {
		if f.path == "docs/layout_test.go" { // the examples below
			continue
		}
		for _, trace := range machineTraces(f.text) {
			t.Errorf("%s has %s, which only some machines know (public hosts are listed in docs/layout_test.go)", f.path, trace)
		}
	}
}

func TestMachineTracesAreFound(t *testing.T) {
	for text, want := range map[string]int{
		"cd /home/ann/tendon":                1,
		"read /" + "work/main/rpl":           1,
		"(/" + "root/go)":                    1,
		"GOPROXY=direct go build":            1,
		"https://modules.example.com/x":      1,
		"from packages.corp":                 1,
		"https://go.dev/dl/ and ./work/x":    0,
		"docs/root/x, a/home/b, net/work/it": 0,
	} {
		if found := machineTraces(text); len(found) != want {
			t.Errorf("%q: found %q, not %d", text, found, want)
		}
	}
}
