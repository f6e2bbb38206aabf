package docs_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// read is one file of the project, by its path from the top.
func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var (
	fence   = regexp.MustCompile("(?ms)^```[^\n]*\n.*?^```")
	code    = regexp.MustCompile("`[^`\n]*`")
	link    = regexp.MustCompile(`\[[^\]\n]*\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`)
)

// anchors are the names under which a page's headings can be linked to.
func anchors(page string) map[string]bool {
	names := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(page, ""), -1) {
		var b strings.Builder
		for _, r := range strings.ToLower(m[1]) {
			switch {
			case r == ' ':
				b.WriteByte('-')
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				b.WriteRune(r)
			}
		}
		names[b.String()] = true
	}
	return names
}

func TestLinksResolve(t *testing.T) {
	links := 0
	for _, page := range texts(t, ".md") {
		prose := code.ReplaceAllString(fence.ReplaceAllString(page.text, ""), "")
		for _, m := range link.FindAllStringSubmatch(prose, -1) {
			target := m[1]
			if strings.Contains(target, "://") { // hosts: TestMachineTraces
				continue
			}
			links++
			name, anchor, _ := strings.Cut(target, "#")
			if name == "" {
				name = page.path
			} else {
				name = path.Join(path.Dir(page.path), name)
			}
			if _, err := os.Stat(filepath.Join(root, name)); err != nil {
				t.Errorf("%s links to %s, which is not there", page.path, target)
				continue
			}
			if anchor != "" && !anchors(read(t, name))[anchor] {
				t.Errorf("%s links to %s, but %s has no such heading", page.path, target, name)
			}
		}
	}
	if links == 0 {
		t.Error("no page links to another: this test looks at nothing")
	}
}

func TestAnchors(t *testing.T) {
	got := anchors("# The `rpl` tags, all\n```\n# not a heading\n```\n## 2. Words\n")
	for _, want := range []string{"the-rpl-tags-all", "2-words"} {
		if !got[want] {
			t.Errorf("no anchor %q in %v", want, got)
		}
	}
	if len(got) != 2 {
		t.Errorf("%d anchors, not 2: %v", len(got), got)
	}
}
