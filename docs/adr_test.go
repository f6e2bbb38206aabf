package docs_test

// Decisions: docs/adr.

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

var (
	adrName  = regexp.MustCompile(`^(\d{4})-[a-z0-9-]+\.md$`)
	bareTest = regexp.MustCompile("`(?:[a-z][a-z0-9/]*\\.)?((?:Test|Fuzz|Benchmark)[A-Za-z0-9_]+)`")
)

// Each decision has a number of its own, the sections of the template, and names no test
// that is not there.
func TestDecisions(t *testing.T) {
	tests := map[string]bool{}
	for name := range declaredTests(t) {
		_, short, _ := strings.Cut(name, ".")
		tests[short] = true
	}
	by := map[string]string{}
	for _, page := range texts(t, ".md") {
		if path.Dir(page.path) != "docs/adr" {
			continue
		}
		m := adrName.FindStringSubmatch(path.Base(page.path))
		if m == nil {
			t.Errorf("%s: name it by its number and what it decides, as 0000-template.md", page.path)
			continue
		}
		if other := by[m[1]]; other != "" {
			t.Errorf("%s and %s have one number: give the later one the next that is free", other, page.path)
		}
		by[m[1]] = page.path
		if m[1] == "0000" {
			continue
		}
		if !strings.HasPrefix(page.text, "# "+m[1]+". ") {
			t.Errorf("%s does not begin with its number: write # %s. and what was decided, as a sentence", page.path, m[1])
		}
		for _, section := range []string{"Why it came up", "Decision", "What follows"} {
			if !strings.Contains(page.text, "\n## "+section+"\n") {
				t.Errorf("%s has no section %q, which the template has", page.path, section)
			}
		}
		for _, name := range bareTest.FindAllStringSubmatch(page.text, -1) {
			if !tests[name[1]] {
				t.Errorf("%s names %s, which does not exist", page.path, name[1])
			}
		}
	}
	if len(by) < 2 {
		t.Error("there are no decisions: this test looks at nothing")
	}
}
