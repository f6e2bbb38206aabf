package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// whyRaw is the reason for the names below.
const whyRaw = "only the raw kcp.KCP state machine is used: there one 24-byte packet opens a session of 262 KiB that never expires, " +
	"a spoofed packet ends a live one, and nothing tells that a peer is dead"

// forbiddenName reports whether a name of kcp-go is one of its own endpoint:
// Listener, UDPSession, Dial…, Serve….
func forbiddenName(name string) bool {
	return name == "Listener" || name == "UDPSession" || strings.HasPrefix(name, "Dial") || strings.HasPrefix(name, "Serve")
}

// forbiddenUses finds the forbidden names of kcp-go in one source file, under
// whatever name it imports it.
func forbiddenUses(path, source string) ([]string, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var found []string
	local := map[string]bool{}
	for _, spec := range tree.Imports {
		imported := strings.Trim(spec.Path.Value, `"`)
		if !within(imported, []string{kcp}) {
			continue
		}
		switch {
		case spec.Name == nil:
			local["kcp"] = true
		case spec.Name.Name == ".":
			found = append(found, fmt.Sprintf("%s: kcp-go is imported with a dot, which hides its names", set.Position(spec.Pos())))
		default:
			local[spec.Name.Name] = true
		}
	}
	if len(local) == 0 {
		return found, nil
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && local[x.Name] && forbiddenName(s.Sel.Name) {
				found = append(found, fmt.Sprintf("%s: %s.%s", set.Position(s.Pos()), x.Name, s.Sel.Name))
			}
		}
		return true
	})
	return found, nil
}

func TestForbiddenNames(t *testing.T) {
	importers := 0
	for _, f := range texts(t, ".go") {
		if strings.Contains(f.text, `"`+kcp) {
			importers++
		}
		found, err := forbiddenUses(f.path, f.text)
		if err != nil {
			t.Error(err)
		}
		for _, use := range found {
			t.Errorf("%s: %s", use, whyRaw)
		}
	}
	if importers == 0 {
		t.Error("no file imports kcp-go: this test looks at nothing")
	}
}

func TestForbiddenNamesAreFound(t *testing.T) {
	for _, c := range []struct {
		name, source string
		found        int
	}{
		{"by its own name", `import "github.com/xtaci/kcp-go/v5"; var l *kcp.Listener`, 1},
		{"by another name", `import raw "github.com/xtaci/kcp-go/v5"; func f(s *raw.UDPSession) { raw.DialWithOptions("", nil, 0, 0); raw.ServeConn(nil, 0, 0, nil) }`, 3},
		{"with a dot", `import . "github.com/xtaci/kcp-go/v5"; var k *KCP`, 1},
		{"the raw machine", `import "github.com/xtaci/kcp-go/v5"; var k = kcp.NewKCP(1, nil)`, 0},
		{"our own package", `import "github.com/tendonengine/tendon/transport/kcp"; var l = kcp.Dialer("")`, 0},
	} {
		found, err := forbiddenUses(c.name, "package p\n"+c.source)
		if err != nil {
			t.Error(err)
		}
		if len(found) != c.found {
			t.Errorf("%s: found %d uses (%v), not %d", c.name, len(found), found, c.found)
		}
	}
}
