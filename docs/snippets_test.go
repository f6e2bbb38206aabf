package docs_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The Go blocks of the pages compile. A block with a package clause is a file
// by itself; the other blocks of one section (a heading of the second level)
// are declarations of one file, which imports what they name, and which may
// call functions of a whole program that stands before it on the page. So a
// page shows no imports where they would be noise, and nothing twice, and
// nothing that does not build.

// imports are the packages that blocks without a package clause may name.
var imports = map[string]string{
	"tendon": module + "/ecs", "rpl": module + "/rpl", "components": module + "/components",
	"transport": module + "/transport", "kcp": module + "/transport/kcp", "mem": module + "/transport/mem", "netsim": module + "/transport/netsim",
	"tendontest": module + "/ecs/tendontest", "testing": "testing",
	"window": module + "/ecs/window", "ebiten": ebiten + "/v2", "vector": ebiten + "/v2/vector", "inpututil": ebiten + "/v2/inpututil", "ecs": donburi + "/ecs", "donburi": donburi, "filter": donburi + "/filter", "transform": donburi + "/features/transform", "gmath": gmath,
	"fmt": "fmt", "math": "math", "log": "log", "slog": "log/slog", "time": "time", "context": "context", "os": "os", "flag": "flag", "errors": "errors", "strconv": "strconv", "color": "image/color", "png": "image/png", "bytes": "bytes", "slices": "slices", "cmp": "cmp", "maps": "maps",
}

// A snippet is what one package of a page's blocks amounts to.
type snippet struct {
	from   string // page and line, for people
	source string
}

var goFence = regexp.MustCompile("(?ms)^```go\n(.*?)^```")

// snippets are the compilable units of a page.
func snippets(page file) (units []snippet) {
	section := 1
	open := -1 // the unit that the present section's declarations go to
	for _, at := range goFence.FindAllStringSubmatchIndex(page.text, -1) {
		body := page.text[at[2]:at[3]]
		here := 1 + strings.Count(page.text[:at[0]], "\n## ")
		if here != section {
			section, open = here, -1
		}
		line := 2 + strings.Count(page.text[:at[0]], "\n")
		position := fmt.Sprintf("//line %s:%d\n", page.path, line)
		switch {
		case strings.HasPrefix(body, "package ") || strings.Contains(body, "\npackage "):
			units = append(units, snippet{fmt.Sprintf("%s:%d", page.path, line), position + body})
		case open < 0:
			open = len(units)
			units = append(units, snippet{fmt.Sprintf("%s:%d", page.path, line), position + body})
		default:
			units[open].source += position + body
		}
	}
	program := ""
	for i, unit := range units {
		if clause.MatchString(unit.source) {
			program = unit.source // the last one is the one that the reader has in mind
			continue
		}
		units[i].source = withImports(withFunctions(unit.source, program))
	}
	return units
}

var clause = regexp.MustCompile(`(?m)^package `)

// parse reads declarations or a program; nil where it does not parse, which
// the compiler says better, with the page's line.
func parse(source string) *ast.File {
	if !clause.MatchString(source) {
		source = "package page;" + source
	}
	tree, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	return tree
}

// withFunctions adds those functions of a program that declarations name and
// do not declare, one after the other's body too.
func withFunctions(source, program string) string {
	from := parse(program)
	if program == "" || from == nil {
		return source
	}
	for again := true; again; {
		again = false
		tree := parse(source)
		if tree == nil {
			return source
		}
		named, declared := map[string]bool{}, map[string]bool{}
		ast.Inspect(tree, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				named[id.Name] = true
			}
			return true
		})
		for _, d := range tree.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				declared[fn.Name.Name] = true
			}
		}
		for _, d := range from.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && fn.Recv == nil && named[fn.Name.Name] && !declared[fn.Name.Name] {
				source += program[fn.Pos()-from.FileStart:fn.End()-from.FileStart] + "\n"
				again = true
			}
		}
	}
	return source
}

// withImports gives declarations a package clause, and imports by the names
// that they select from.
func withImports(source string) string {
	used := map[string]bool{}
	if tree := parse(source); tree != nil {
		ast.Inspect(tree, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && imports[x.Name] != "" {
					used[x.Name] = true
				}
			}
			return true
		})
	}
	var b strings.Builder
	b.WriteString("package page\n")
	for _, name := range slices.Sorted(maps.Keys(used)) {
		fmt.Fprintf(&b, "import %s %q\n", name, imports[name])
	}
	return b.String() + source
}

var protocol = regexp.MustCompile(`(?m)^(?:var|\t)\s*Protocol\s+= tendon\.NewProtocol`)

// TestSnippetsCompile also opens a session with each protocol that a block declares, which
// refuses tags that do not fit.
func TestSnippetsCompile(t *testing.T) {
	dir := t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]int{}
	var list, body strings.Builder // of the program that has all snippets
	protocols := 0
	var others []string // snippets that are whole programs, or declare no protocol
	for _, page := range texts(t, ".md") {
		for _, unit := range snippets(page) {
			blocks[page.path]++
			name := fmt.Sprintf("snippet%d", len(overlay.Replace)+1)
			source := filepath.Join(dir, name+".go")
			if err := os.WriteFile(source, []byte(unit.source), 0o644); err != nil {
				t.Fatal(err)
			}
			overlay.Replace[filepath.Join(top, "docs", name, "snippet.go")] = source
			if strings.HasPrefix(unit.source, "package page") && protocol.MatchString(unit.source) {
				protocols++
				fmt.Fprintf(&list, "import %s %q\n", name, module+"/docs/"+name)
				fmt.Fprintf(&body, "\tfits(%q, %s.Protocol)\n", unit.from, name)
			} else {
				others = append(others, "./docs/"+name)
			}
		}
	}
	if protocols < 8 {
		t.Errorf("only %d blocks declare a Protocol", protocols)
	}
	for _, page := range []string{"README.md", "docs/guide/first-game.md", "docs/guide/input.md"} {
		if blocks[page] == 0 {
			t.Errorf("%s has no Go block", page)
		}
	}
	all := filepath.Join(dir, "all.go")
	if err := os.WriteFile(all, []byte(fmt.Sprintf(allSnippets, list.String(), body.String())), 0o644); err != nil {
		t.Fatal(err)
	}
	overlay.Replace[filepath.Join(top, "docs", "snippets", "main.go")] = all
	b, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), b, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := func(name string, args ...string) {
		t.Helper()
		c := exec.Command(name, args...)
		c.Dir = root
		c.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("the pages' Go blocks: %v\n%s", err, out)
		}
	}
	build := []string{"build", "-buildvcs=false", "-overlay", filepath.Join(dir, "overlay.json")}
	cmd("go", append(build, others...)...)
	program := filepath.Join(dir, "all.exe")
	cmd("go", append(build, "-o", program, "./docs/snippets")...)
	if !t.Failed() {
		cmd(program)
	}
}

// allSnippets is the program that opens a session with each protocol.
const allSnippets = `package main

import (
	"fmt"
	"os"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
)
%s
func fits(page string, p *tendon.Protocol) {
	if _, err := tendon.New(donburi.NewWorld(), p, tendon.Config{}); err != nil {
		fmt.Printf("%%s: %%v\n", page, err)
		os.Exit(1)
	}
}

func main() {
%s}
`

func TestSnippetsBorrow(t *testing.T) {
	page := file{path: "x.md", text: "```go\npackage main\n\nfunc a() { b() }\nfunc b() {}\nfunc c() {}\n```\n## Y\n```go\nfunc d() { a() }\nfunc c() {}\n```\n"}
	units := snippets(page)
	if want := "package page\n//line x.md:10\nfunc d() { a() }\nfunc c() {}\nfunc a() { b() }\nfunc b() {}\n"; len(units) != 2 || units[1].source != want {
		t.Errorf("%q, not %q", units, want)
	}
}

func TestSnippetsAreFound(t *testing.T) {
	page := file{path: "x.md", text: "# X\n```go\nvar a = 1\n```\n```go\nvar b = fmt.Sprint(a)\n```\n## Y\n```go\nvar a = 2\n```\n```go\npackage main\n\nfunc main() {}\n```\n```sh\nls\n```\n"}
	units := snippets(page)
	if len(units) != 3 {
		t.Fatalf("%d units, not 3: %q", len(units), units)
	}
	if want := "package page\nimport fmt \"fmt\"\n//line x.md:3\nvar a = 1\n//line x.md:6\nvar b = fmt.Sprint(a)\n"; units[0].source != want {
		t.Errorf("first unit %q, not %q", units[0].source, want)
	}
}
