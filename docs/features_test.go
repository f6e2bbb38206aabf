package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A feature is one row of the tables in FEATURES.md.
type feature struct {
	line     int
	id       string
	sentence string
	tests    []string // "transport/kcp.TestCloseTellsWhy"
	part     bool     // there in part
	missing  string   // what is not
}

var (
	featureID = regexp.MustCompile(`^[A-Z][0-9]+$`)
	testName  = regexp.MustCompile("`([a-z][a-z0-9/]*)\\.((?:Test|Fuzz|Benchmark|Example)[A-Za-z0-9_]*)`")
)

// parseFeatures reads the tables: id, sentence, tests, in three columns.
func parseFeatures(page string) (rows []feature) {
	for i, line := range strings.Split(page, "\n") {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || !featureID.MatchString(strings.TrimSpace(cells[0])) {
			continue
		}
		row := feature{line: i + 1, id: strings.TrimSpace(cells[0]), sentence: strings.TrimSpace(cells[1])}
		for _, m := range testName.FindAllStringSubmatch(cells[2], -1) {
			row.tests = append(row.tests, m[1]+"."+m[2])
		}
		_, missing, part := strings.Cut(cells[2], "part:")
		row.part, row.missing = part, strings.TrimSpace(missing)
		rows = append(rows, row)
	}
	return rows
}

// declaredTests are all test functions of the project, as "folder.Name".
func declaredTests(t *testing.T) map[string]bool {
	declared := map[string]bool{}
	for _, f := range texts(t, "_test.go") {
		tree, err := parser.ParseFile(token.NewFileSet(), f.path, f.text, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, d := range tree.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				declared[path.Dir(f.path)+"."+fn.Name.Name] = true
			}
		}
	}
	return declared
}

func TestFeaturesNameTheirTests(t *testing.T) {
	rows := parseFeatures(read(t, "docs/FEATURES.md"))
	declared := declaredTests(t)
	var ids []string
	for _, row := range rows {
		if slices.Contains(ids, row.id) {
			t.Errorf("FEATURES.md:%d: %s stands there twice", row.line, row.id)
		}
		ids = append(ids, row.id)
		if row.sentence == "" {
			t.Errorf("FEATURES.md:%d: %s has no sentence", row.line, row.id)
		}
		if len(row.tests) == 0 {
			t.Errorf("FEATURES.md:%d: %s names no test; a row without one does not stand here", row.line, row.id)
		}
		if row.part && row.missing == "" {
			t.Errorf("FEATURES.md:%d: %s is there in part, and does not say what is missing", row.line, row.id)
		}
		for _, name := range row.tests {
			if !declared[name] {
				t.Errorf("FEATURES.md:%d: %s names %s, which does not exist", row.line, row.id, name)
			}
		}
	}
	if len(rows) == 0 {
		t.Error("FEATURES.md has no row: three columns, id, sentence, tests")
	}
}

func TestFeatureRowsAreRead(t *testing.T) {
	rows := parseFeatures("| id | works when | tests |\n|---|---|---|\n" +
		"| M1 | a game plays | `ecs.TestModes`, `demo.TestPanes` |\n" +
		"| N5 | a simulator | `transport/netsim.FuzzRate`; part: not yet while playing |\n")
	if len(rows) != 2 {
		t.Fatalf("read %d rows of 2", len(rows))
	}
	if got := rows[0]; got.id != "M1" || !slices.Equal(got.tests, []string{"ecs.TestModes", "demo.TestPanes"}) || got.part {
		t.Errorf("first row: %+v", got)
	}
	if got := rows[1]; got.id != "N5" || !slices.Equal(got.tests, []string{"transport/netsim.FuzzRate"}) || !got.part || got.missing != "not yet while playing" {
		t.Errorf("second row: %+v", got)
	}
}

// The promises of security.md name what shows them.
func TestPromisesNameTheirTests(t *testing.T) {
	declared, n := declaredTests(t), 0
	for _, m := range testName.FindAllStringSubmatch(read(t, "docs/security.md"), -1) {
		if n++; !declared[m[1]+"."+m[2]] {
			t.Errorf("security.md names %s.%s, which does not exist", m[1], m[2])
		}
	}
	if n < 25 {
		t.Errorf("security.md names %d tests", n)
	}
}
