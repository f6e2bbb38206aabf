package docs_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// packages are those that must exist, so that no rule passes for want of what
// it is about. A package that moves is renamed here too.
var packages = []string{
	"rpl", "rpl/bits", "rpl/rpltest", "rpl/schema",
	"rpl/internal/ids", "rpl/internal/prefix", "rpl/internal/pages", "rpl/internal/rowtype", "rpl/internal/bases", "rpl/internal/coder", "rpl/internal/wire",
	"rpl/internal/proxy", "rpl/internal/link", "rpl/internal/budget", "rpl/internal/rate", "rpl/internal/spatial", "rpl/internal/store", "rpl/internal/interest", "rpl/internal/figures", "rpl/internal/marks", "rpl/internal/outbox", "rpl/internal/send",
	"transport", "transport/kcp", "transport/mem", "transport/netsim",
	"components", "ecs", "ecs/internal/afterwards", "ecs/internal/binding", "ecs/internal/building", "ecs/internal/callbacks", "ecs/internal/callqueue", "ecs/internal/clock", "ecs/internal/command", "ecs/internal/differ", "ecs/internal/donburix", "ecs/internal/drawing", "ecs/internal/extract", "ecs/internal/faults", "ecs/internal/filling", "ecs/internal/inplace", "ecs/internal/leaving", "ecs/internal/line", "ecs/internal/loadtime", "ecs/internal/membership", "ecs/internal/meter", "ecs/internal/mistakes", "ecs/internal/nodes", "ecs/internal/observers", "ecs/internal/places", "ecs/internal/predict", "ecs/internal/references", "ecs/internal/reparent", "ecs/internal/replay", "ecs/internal/rewind", "ecs/internal/sessionmsg", "ecs/internal/space", "ecs/internal/spawns", "ecs/internal/track", "ecs/tendontest", "ecs/window",
	"demo", "demo/server", "demo/bench", "demo/bench/feel", "demo/bots", "demo/island", "demo/scene", "demo/windowtest",
	"assets",
}

// An importRule is about what a set of packages reaches, directly or not. The
// standard library is always allowed.
type importRule struct {
	of      []string // packages; "x/..." is x and all below it
	but     []string // of these, the ones that the rule leaves out
	only    []string // import paths, and all below them, that they may reach; nil: anything
	never   []string // import paths, and all below them, that they may not reach
	because string
}

const (
	ebiten  = "github.com/hajimehoshi/ebiten"
	donburi = "github.com/yohamta/donburi"
	gmath   = "github.com/quasilyte/gmath"
	kcp     = "github.com/xtaci/kcp-go"
)

// windows are the packages that open windows or draw in them.
var windows = []string{"ecs/window", "demo", "demo/scene", "demo/windowtest/quitter"}

// kcpAndCrypto is what the transport stands on: kcp-go, with what it imports
// in its turn, and the handshake's libraries.
var kcpAndCrypto = []string{
	kcp, "github.com/klauspost/cpuid", "github.com/klauspost/reedsolomon", "github.com/pkg/errors", "github.com/tjfoc/gmsm",
	"golang.org/x/net", "golang.org/x/sys", "golang.org/x/time",
	"github.com/flynn/noise", "golang.org/x/crypto",
}

// under are packages of the core.
func under(names ...string) (paths []string) {
	for _, name := range names {
		paths = append(paths, module+"/rpl/"+name)
	}
	return paths
}

var importRules = []importRule{
	{
		of: []string{"rpl/..."}, but: []string{"rpl/rpltest"},
		only:    []string{module + "/rpl"},
		never:   []string{module + "/rpl/rpltest"},
		because: "the core is bytes in and bytes out: it has no ECS, no socket, no clock, so that it can be tested in virtual time and used by other engines",
	},
	{
		of:      []string{"rpl/rpltest"},
		only:    []string{module + "/rpl", module + "/transport/netsim"},
		because: "the harness of the core must run wherever the core runs",
	},
	{
		of:      []string{"rpl/bits"},
		only:    []string{module + "/rpl/bits"},
		because: "the bit reader and writer are a leaf that anybody can check alone",
	},
	{
		of:      []string{"rpl/internal/ids", "rpl/internal/prefix", "rpl/internal/pages"},
		only:    []string{module + "/rpl/internal/ids", module + "/rpl/internal/prefix", module + "/rpl/internal/pages"},
		because: "names, codes and memory are what all of the core stands on: they know nothing of it",
	},
	{
		of:      []string{"rpl/schema"},
		only:    under("schema", "bits", "internal/ids"),
		because: "what a Go type is on the wire is the same for both ends, and says nothing of how it is streamed",
	},
	{
		of:      []string{"rpl/internal/rowtype"},
		only:    under("internal/rowtype", "schema", "bits", "internal/ids"),
		because: "how a row goes on by itself is computed alike by both ends, from words alone",
	},
	{
		of:      []string{"rpl/internal/coder"},
		only:    under("internal/coder", "internal/rowtype", "schema", "bits", "internal/ids", "internal/prefix"),
		because: "rows become symbols and symbols rows: whose they are, and what packet holds them, is not the coder's business",
	},
	{
		of:      []string{"rpl/internal/bases"},
		only:    under("internal/bases", "internal/rowtype", "internal/pages", "schema", "bits", "internal/ids"),
		because: "what a row was is kept by its handle: who has it, and when it was sent, others know",
	},
	{
		of:      []string{"rpl/internal/wire"},
		only:    under("internal/wire", "internal/rowtype", "schema", "bits", "internal/ids"),
		because: "what both ends agree on belongs to neither",
	},
	{
		of:      []string{"rpl/internal/outbox"},
		only:    under("internal/outbox", "internal/wire", "internal/rowtype", "schema", "bits", "internal/ids"),
		because: "in which order messages leave does not depend on what they say, but for calls",
	},
	{
		of:      []string{"rpl/internal/proxy"},
		never:   under("internal/link", "internal/budget", "internal/spatial", "internal/store", "internal/interest", "internal/send"),
		because: "a client has no part of an authority: the two share the wire and nothing else",
	},
	{
		of:      []string{"rpl/internal/store", "rpl/internal/interest", "rpl/internal/send", "rpl/internal/link", "rpl/internal/budget", "rpl/internal/rate", "rpl/internal/spatial"},
		never:   under("internal/proxy"),
		because: "an authority has no part of a client: the two share the wire and nothing else",
	},
	{
		of:      []string{"rpl/internal/link", "rpl/internal/budget"},
		never:   under("internal/coder", "internal/spatial", "internal/store", "internal/interest", "internal/send"),
		because: "packets are sent, arrive and are lost, and bytes are paid for, whatever they say",
	},
	{
		of:      []string{"rpl/internal/marks"},
		never:   under("internal/coder", "internal/proxy", "internal/store", "internal/interest", "internal/send", "internal/link", "internal/budget"),
		because: "a mark on a handle is a bit: who sets it, and what is sent for it, is not its business",
	},
	{
		of:      []string{"rpl/internal/figures"},
		only:    under("internal/figures", "schema", "bits", "internal/ids"),
		because: "figures are read by everybody and know nobody",
	},
	{
		of:      []string{"rpl/internal/spatial"},
		only:    under("internal/spatial", "internal/ids"),
		because: "places are numbers: who has a node, and what else it is, does not move it",
	},
	{
		of:      []string{"rpl/internal/store"},
		never:   under("internal/interest", "internal/send", "internal/link", "internal/budget"),
		because: "the store reports what has changed and calls nobody: reading the world costs the same however many are told of it",
	},
	{
		of:      []string{"rpl/internal/interest"},
		never:   under("internal/send", "internal/link", "internal/budget"),
		because: "who shall have a node is decided by the world, not by what a line carries",
	},
	{
		of:      []string{"rpl/internal/..."},
		never:   []string{module + "/rpl/rpltest"},
		because: "the parts of the core are tested alone, or through its face",
	},
	{
		of:      []string{"transport/netsim"},
		only:    []string{module + "/transport/netsim"},
		because: "the one simulator serves the core's tests, which may use the standard library only",
	},
	{
		of:      []string{"transport/..."},
		only:    append([]string{module + "/transport"}, kcpAndCrypto...),
		because: "a transport moves bytes: what they mean is not its business, and an endpoint is useful without the rest",
	},
	{
		of: []string{"rpl/...", "transport/...", "components/...", "ecs/..."}, but: []string{"transport/kcp"},
		never:   []string{kcp},
		because: "importing kcp-go starts a goroutine for every processor and more; only who plays over UDP pays for it",
	},
	{
		of:      []string{"components/..."},
		only:    []string{module + "/components", module + "/rpl", donburi, gmath},
		because: "components are plain data of the ECS; they know nodes, not sockets or windows",
	},
	{
		of: []string{"ecs/..."}, but: []string{"ecs/window"},
		only:    []string{module + "/ecs", module + "/components", module + "/rpl", module + "/transport", donburi, gmath, "github.com/flynn/noise", "golang.org/x/crypto", "golang.org/x/sys"},
		never:   []string{module + "/ecs/window"},
		because: "a dedicated server imports ecs and has no window",
	},
	{
		of:      []string{"ecs/internal/donburix"},
		only:    []string{module + "/ecs/internal/donburix", module + "/components", module + "/rpl", donburi, gmath},
		because: "the traps of donburi are known in one place, without sessions, so that another donburi means another donburix",
	},
	{
		of:      []string{"ecs/internal/afterwards", "ecs/internal/faults", "ecs/internal/callqueue", "ecs/internal/clock", "ecs/internal/membership"},
		only:    []string{module + "/ecs/internal/afterwards", module + "/ecs/internal/faults", module + "/ecs/internal/callqueue", module + "/ecs/internal/clock", module + "/ecs/internal/membership"},
		because: "what every part of a session counts, logs, calls, puts off and tells the time by stands on nothing",
	},
	{
		of:      []string{"ecs/internal/references", "ecs/internal/track"},
		only:    []string{module + "/ecs/internal/references", module + "/ecs/internal/track", module + "/rpl"},
		because: "they know nodes by their numbers and components by their memory, so that they can be tested without a world",
	},
	{
		of:      []string{"ecs/internal/predict"},
		only:    []string{module + "/ecs/internal/predict", module + "/rpl"},
		because: "what was predicted is memory by tick: whose it is, and how it runs again, is the session's business",
	},
	{
		of:      []string{"ecs/internal/building", "ecs/internal/nodes", "ecs/internal/mistakes"},
		never:   []string{module + "/ecs/internal/sessionmsg", module + "/ecs/internal/clock", module + "/transport"},
		because: "nodes, items and trees are the same whoever else there is: no link and no message changes them",
	},
	{
		of:      []string{"ecs/internal/differ", "ecs/internal/inplace"},
		never:   []string{module + "/ecs/internal/sessionmsg", module + "/ecs/internal/clock", module + "/transport"},
		because: "what a machine holds, and what it draws of it, are read where they are: who sent it does not count",
	},
	{
		of:      []string{"ecs/internal/binding"},
		never:   []string{module + "/ecs/internal/drawing", module + "/ecs/internal/sessionmsg", module + "/ecs/internal/clock", module + "/transport"},
		because: "which component an item is, and what is written into it, follows from its state: not from how that came, nor from when it is drawn",
	},
	{
		of:      []string{"ecs/internal/drawing"},
		never:   []string{module + "/ecs/internal/callbacks", module + "/ecs/internal/sessionmsg", module + "/transport/kcp"},
		because: "what is drawn follows from drawn time and from the states that have come: not from what the game is told of them",
	},
	{
		of:      []string{"ecs/internal/meter"},
		only:    []string{module + "/ecs/internal/meter", module + "/transport"},
		because: "rates are of a connection, whatever it carries",
	},
	{
		of:      []string{"ecs/internal/callbacks"},
		never:   []string{module + "/ecs/internal/sessionmsg", module + "/ecs/internal/clock", module + "/transport"},
		because: "the game is told of nodes in one order on every machine, whoever else there is",
	},
	{
		of:      []string{"ecs/internal/loadtime"},
		never:   []string{module + "/ecs/internal/callbacks", module + "/ecs/internal/clock", module + "/transport/kcp"},
		because: "names, shapes and what was destroyed are the same on every machine: who makes nodes of them, and who is told, is the session's business",
	},
	{
		of:      []string{"ecs/internal/extract"},
		never:   []string{module + "/ecs/internal/command", module + "/ecs/internal/clock", module + "/transport/kcp"},
		because: "the authority reads its world once for all peers: who they are, and what they have sent, does not change what it reads",
	},
	{
		of:      []string{"ecs/internal/rewind"},
		never:   []string{module + "/ecs/internal/sessionmsg", module + "/ecs/internal/clock", module + "/transport"},
		because: "where things were is kept by tick; who claims to have seen them, and how he said so, does not change it",
	},
	{
		of:      []string{"ecs/internal/leaving"},
		never:   []string{module + "/ecs/internal/callbacks", module + "/ecs/internal/clock", module + "/transport"},
		because: "how long what is gone is drawn follows from when it ended, and below what: not from who is told of it",
	},
	{
		of:      []string{"ecs/internal/filling"},
		never:   []string{module + "/ecs/internal/nodes", module + "/ecs/internal/clock", module + "/transport/kcp"},
		because: "how far a peer has come is what the core says of it: over which link it joined, and into what world, does not count",
	},
	{
		of:      []string{"ecs/internal/sessionmsg"},
		only:    []string{module + "/ecs/internal/sessionmsg", module + "/rpl", module + "/transport"},
		because: "message layouts turn bytes into structs and back: who reads them against the SPEC needs no world",
	},
	{
		of:      []string{"..."},
		never:   []string{module + "/ecs/tendontest"},
		because: "it is for tests, and brings the testing package and its flags into a program",
	},
	{
		of: []string{"..."}, but: windows,
		never:   []string{ebiten, "github.com/ebitengine", module + "/ecs/window"},
		because: "ebiten opens windows: a server, a bot or a bench that reaches it is no longer a static program that runs anywhere, and carries 15 MB that it never uses",
	},
	{
		of:      []string{"rpl/...", "transport/...", "components/...", "ecs/..."},
		never:   []string{module + "/demo", module + "/assets"},
		because: "the library does not know the game that shows it",
	},
}

// A goPackage is what `go list` says of one package.
type goPackage struct {
	ImportPath string
	Imports    []string
	Deps       []string
	Error      *struct{ Err string }
}

// name is the package's path inside the module: "transport/kcp".
func (p goPackage) name() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
}

// listPackages asks the go command for all packages of the module on one
// system, with what they reach.
func listPackages(t *testing.T, goos string) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,Deps,Error", "./...")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH=amd64", "CGO_ENABLED=0")
	if goos == "js" {
		cmd.Env = append(cmd.Env, "GOARCH=wasm")
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var all []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

func within(path string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool {
		return path == prefix || strings.HasPrefix(path, prefix+"/")
	})
}

// standard reports whether a path is of the standard library: those have no
// dot in their first element. What the library vendors counts as it.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

func (r importRule) applies(name string) bool {
	if slices.Contains(r.but, name) {
		return false
	}
	return slices.ContainsFunc(r.of, func(pattern string) bool {
		if pattern == "..." {
			return true
		}
		if below, ok := strings.CutSuffix(pattern, "/..."); ok {
			return name == below || strings.HasPrefix(name, below+"/")
		}
		return name == pattern
	})
}

// broken says which of the packages that p reaches the rule forbids.
func (r importRule) broken(p goPackage) (bad []string) {
	for _, dep := range p.Deps {
		if standard(dep) || dep == p.ImportPath {
			continue
		}
		if within(dep, r.never) || r.only != nil && !within(dep, r.only) {
			bad = append(bad, dep)
		}
	}
	return bad
}

func TestImportRules(t *testing.T) {
	for _, goos := range []string{"linux", "windows", "darwin", "js"} {
		t.Run(goos, func(t *testing.T) {
			all := listPackages(t, goos)
			for _, rule := range importRules {
				for _, p := range all {
					if !rule.applies(p.name()) {
						continue
					}
					if bad := rule.broken(p); bad != nil {
						t.Errorf("%s reaches %s: %s", p.name(), strings.Join(bad, ", "), rule.because)
					}
				}
			}
		})
	}
}

func TestImportRulesHaveTheirPackages(t *testing.T) {
	there := map[string]bool{}
	for _, p := range listPackages(t, "linux") {
		if p.Error != nil {
			t.Errorf("%s: %s", p.name(), p.Error.Err)
			continue
		}
		there[p.name()] = true
	}
	for _, name := range packages {
		if !there[name] {
			t.Errorf("there is no package %s: the rules about it would pass unseen", name)
		}
	}
	for _, rule := range importRules {
		if rule.because == "" {
			t.Errorf("the rule about %v has no reason", rule.of)
		}
		if !slices.ContainsFunc(packages, rule.applies) {
			t.Errorf("the rule about %v is about no package", rule.of)
		}
	}
}

// TestImportRulesCanFail shows the rules what they must refuse.
func TestImportRulesCanFail(t *testing.T) {
	for _, c := range []struct{ of, reaches string }{
		{"rpl", donburi},
		{"rpl", module + "/transport"},
		{"rpl/bits", module + "/rpl"},
		{"rpl/internal/store", module + "/rpl/internal/send"},
		{"rpl/internal/interest", module + "/rpl/internal/send"},
		{"rpl/internal/link", module + "/rpl/internal/coder"},
		{"rpl/internal/send", module + "/rpl/internal/proxy"},
		{"rpl/internal/spatial", module + "/rpl/internal/store"},
		{"transport", module + "/rpl"},
		{"transport/netsim", kcp + "/v5"},
		{"transport/mem", kcp + "/v5"},
		{"components", ebiten + "/v2"},
		{"ecs", ebiten + "/v2/internal/ui"},
		{"ecs", kcp + "/v5"},
		{"demo/server", ebiten + "/v2"},
		{"demo/bench", module + "/ecs/window"},
		{"ecs", module + "/demo/bots"},
	} {
		p := goPackage{ImportPath: module + "/" + c.of, Deps: []string{"fmt", c.reaches}}
		refused := slices.ContainsFunc(importRules, func(r importRule) bool {
			return r.applies(p.name()) && r.broken(p) != nil
		})
		if !refused {
			t.Errorf("no rule keeps %s from reaching %s", c.of, c.reaches)
		}
	}
}
