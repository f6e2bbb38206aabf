package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"sort"
	"strings"
	"testing"
	"unicode"
)

// formerWords are words that the core's names once had, each with the word of the glossary for
// what it meant. A name has none of them, alone or as a part, so that a reader from elsewhere
// meets the words that others use too.
var formerWords = map[string]string{
	"adrift": "orphan", "alike": "cohort", "astray": "desync", "bumped": "dirty", "commons": "shared handles",
	"course": "motion", "courses": "motions", "crowd": "overload", "crowded": "overloaded",
	"doubt": "keyframe request", "doubts": "keyframe requests", "drift": "moving", "drifting": "moving", "drifts": "moves",
	"guess": "speculative update", "guesses": "speculative updates", "heard": "received", "likeness": "cohort",
	"look": "scan", "looked": "scanned", "meta": "ownership", "metas": "ownership", "pace": "estimate",
	"phase": "fraction", "phases": "fractions", "piece": "bundle", "pieces": "bundles", "purse": "token bucket",
	"refusal": "nack", "settle": "commit", "settled": "committed", "spot": "position", "spots": "positions",
	"stray": "displaced, or desync", "strays": "displaced, or desync", "stripe": "slice", "stripes": "slices",
	"tell": "send, report or mark", "tells": "send, report or mark", "told": "sent, reported or marked",
	"vigil": "scan pass", "visit": "lifecycle", "visits": "lifecycles", "watch": "neighbour list", "watches": "neighbour lists",
}

// plainElsewhere are the former words of the core that mean what they say in any dictionary
// outside of it: a refused client, a pace of packets, what a server has heard.
var plainElsewhere = map[string]bool{
	"crowd": true, "crowded": true, "heard": true, "look": true, "pace": true, "phase": true, "refusal": true,
	"settle": true, "settled": true, "watch": true,
}

// nameParts splits a name where a new word begins: firstTold is first and told.
func nameParts(name string) (parts []string) {
	from := 0
	for i, r := range name {
		if i > from && (unicode.IsUpper(r) || r == '_') {
			parts = append(parts, strings.ToLower(strings.Trim(name[from:i], "_")))
			from = i
		}
	}
	return append(parts, strings.ToLower(strings.Trim(name[from:], "_")))
}

// formerNames finds the names that one source file declares and that have a former word.
func formerNames(path, source string) ([]string, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, path, source, 0)
	if err != nil {
		return nil, err
	}
	found, core := map[string]bool{}, !strings.HasPrefix(path, "ecs/") && !strings.HasPrefix(path, "transport/")
	declared := func(names ...*ast.Ident) {
		for _, name := range names {
			for _, part := range nameParts(name.Name) {
				if now, is := formerWords[part]; is && (core || !plainElsewhere[part]) {
					found[fmt.Sprintf("%s: %s says %q, for which the glossary has %q", set.Position(name.Pos()), name.Name, part, now)] = true
				}
			}
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			declared(n.Name)
		case *ast.TypeSpec:
			declared(n.Name)
		case *ast.Field:
			declared(n.Names...)
		case *ast.ValueSpec:
			declared(n.Names...)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, x := range n.Lhs {
					if name, is := x.(*ast.Ident); is {
						declared(name)
					}
				}
			}
		}
		return true
	})
	var all []string
	for text := range found {
		all = append(all, text)
	}
	sort.Strings(all)
	return all, nil
}

// TestWords checks that the names of the core, of ecs and of transport have the words of
// docs/GLOSSARY.md.
func TestWords(t *testing.T) {
	files := 0
	for _, f := range texts(t, ".go") {
		top, _, _ := strings.Cut(f.path, "/")
		if top != "rpl" && top != "ecs" && top != "transport" || strings.HasSuffix(f.path, "_test.go") {
			continue
		}
		files++
		found, err := formerNames(f.path, f.text)
		if err != nil {
			t.Error(err)
		}
		for _, text := range found {
			t.Error(text)
		}
	}
	if files < 300 {
		t.Errorf("%d files of the core: this test looks at next to nothing", files)
	}
}

func TestFormerNamesAreFound(t *testing.T) {
	found, err := formerNames("x.go", "package x\ntype aRow struct{ toldAs int }\nfunc settleAll(course int) { guess := 1; _ = guess }\nvar bookkeeping, look_up int\n")
	if err != nil || len(found) != 5 {
		t.Errorf("%v, %q; want toldAs, settleAll, course, guess and look_up", err, found)
	}
	if found, _ := formerNames("x.go", "package x\ntype lookup struct{ metadata, spotless, watcher int }\n"); len(found) > 0 {
		t.Errorf("%q are no former words", found)
	}
}
