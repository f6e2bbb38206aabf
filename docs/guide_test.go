package docs_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// friends plays the guide's game without its window: a listen server and a
// client on a network in memory, both with the right arrow held for a second.
// Then what both see must be the same. The game is predicted, or is not.
const friends = `package main

import (
	"fmt"
	"os"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

const predicted = %v

var holding bool

func readKeys() (k Keys) {
	if holding {
		k.Dir.X, k.Glow = 1, true
	}
	return k
}

func fail(format string, args ...any) {
	fmt.Printf(format+"\n", args...)
	os.Exit(1)
}

func machine() *tendon.Replication {
	rep, err := tendon.New(donburi.NewWorld(), Protocol, tendon.Config{})
	if err != nil {
		fail("%%v", err)
	}
	setup(rep)
	return rep
}

func main() {
	n := mem.NewNetwork(1, netsim.Conditions{Delay: 40 * time.Millisecond, Loss: 0.02})
	l := n.Listener()
	server, client := machine(), machine()
	server.Host(l)
	client.Join(n.Dialer(l))
	play := func(steps int) {
		for range steps {
			n.Advance(time.Second / 60)
			for _, rep := range []*tendon.Replication{server, client} {
				rep.Receive()
				step(rep)
				rep.Send()
				rep.Frame()
			}
		}
	}
	flies := func(rep *tendon.Replication) map[string]FireflyData {
		seen := map[string]FireflyData{}
		for e := range Firefly.Iter(rep.World()) {
			f := tendon.View(e, Firefly)
			f.keys = Keys{} // the authority's own
			seen[fmt.Sprint(tendon.Owner(e), *Paint.Get(e))] = f
		}
		return seen
	}
	play(60)
	mine, ok := tendon.Mine(client, Firefly)
	if !ok {
		fail("the client has no firefly")
	}
	was := Firefly.Get(mine).Pos
	holding = true
	play(1)
	if moved := Firefly.Get(mine).Pos != was; moved != predicted {
		fail("in the step of the key the firefly has moved: %%v", moved)
	}
	play(60)
	if f := flies(client); len(f) != 2 {
		fail("the client sees %%v", f)
	}
	for who, f := range flies(client) {
		if f.Pos.X < 340 || !f.Lit {
			fail("with the key held the firefly of %%s is %%v", who, f)
		}
	}
	holding = false
	play(120)
	if s, c := fmt.Sprint(flies(server)), fmt.Sprint(flies(client)); s != c {
		fail("the server sees %%s, the client %%s", s, c)
	}
}
`

// windowed are the parts of the guide's game that a machine without a display
// cannot have.
var windowed = map[string]bool{"main": true, "draw": true, "drawn": true}

// rules are the declarations of a source but those named.
func rules(t *testing.T, source string, without map[string]bool) string {
	tree := parse(source)
	if tree == nil {
		t.Fatal("the guide's game does not parse: TestSnippetsCompile says where")
	}
	offset := len("package page;")
	var b strings.Builder
	for _, d := range tree.Decls {
		name := ""
		switch d := d.(type) {
		case *ast.FuncDecl:
			name = d.Name.Name
		case *ast.GenDecl:
			if v, ok := d.Specs[0].(*ast.ValueSpec); ok {
				name = v.Names[0].Name
			}
		}
		if !without[name] {
			b.WriteString(source[int(d.Pos()-tree.FileStart)-offset:int(d.End()-tree.FileStart)-offset] + "\n")
		}
	}
	return b.String()
}

// gameOf returns the guide's game for many.
func gameOf(t *testing.T) string {
	t.Helper()
	_, section, ok := strings.Cut(read(t, "docs/guide/first-game.md"), "\n## The same game for many\n")
	if !ok {
		t.Fatal("the guide has lost its game for many")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var game strings.Builder
	for _, m := range goFence.FindAllStringSubmatch(section, -1) {
		game.WriteString(m[1])
	}
	return game.String()
}

func TestGuidePlays(t *testing.T) { playGuide(t, gameOf(t), false) }

var diffFence = regexp.MustCompile("(?ms)^```diff\n(.*?)^```")

// The guide's diff predicts its game, in seven lines: applied to the game it builds, and the
// client's own firefly moves in the step of the key.
func TestGuideDiffPredicts(t *testing.T) {
	m := diffFence.FindStringSubmatch(read(t, "docs/guide/first-game.md"))
	if m == nil {
		t.Fatal("the guide has lost its diff")
	}
	game := gameOf(t)
	for _, hunk := range strings.Split(m[1], "@@\n") {
		var before, after strings.Builder
		for line := range strings.Lines(hunk) {
			if line[0] != '+' {
				before.WriteString(line[1:])
			}
			if line[0] != '-' {
				after.WriteString(line[1:])
			}
		}
		if n := strings.Count(game, before.String()); n != 1 {
			t.Fatalf("what the diff changes stands %d times in the guide's game:\n%s", n, before.String())
		}
		game = strings.Replace(game, before.String(), after.String(), 1)
	}
	if n := len(regexp.MustCompile(`(?m)^[-+]`).FindAllString(m[1], -1)); n != 7 {
		t.Errorf("the diff has %d lines, and the guide says seven", n)
	}
	playGuide(t, game, true)
}

// playGuide builds the guide's game without its window, and has two play it.
func playGuide(t *testing.T, game string, predicted bool) {
	t.Helper()
	source := strings.Replace(withImports(rules(t, game, windowed)), "package page", "package main", 1)

	dir := t.TempDir()
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for name, text := range map[string]string{"game.go": source, "friends.go": fmt.Sprintf(friends, predicted)} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(top, "docs", "friends", name)] = path
	}
	b, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), b, 0o644); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "friends.exe")
	build := exec.Command("go", "build", "-buildvcs=false", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, "./docs/friends")
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command(program).CombinedOutput(); err != nil {
		t.Errorf("the guide's game, played by two: %v\n%s", err, out)
	}
}
