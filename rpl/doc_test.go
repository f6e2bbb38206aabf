package rpl

// The map of the package in doc.go is complete.

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMap checks that the map at the end of doc.go names every file of the package, and no
// other: newcomers find their way by it.
func TestMap(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, plan, found := strings.Cut(string(doc), "\npackage rpl\n")
	if !found {
		t.Fatal("doc.go has no package clause")
	}
	named := map[string]bool{"doc.go": true}
	for _, name := range regexp.MustCompile(`[a-z_*]+\.go\b`).FindAllString(plan, -1) {
		files, err := filepath.Glob(name)
		if err != nil || len(files) == 0 {
			t.Errorf("the map in doc.go names %s, which is not there: correct it", name)
		}
		for _, f := range files {
			named[f] = true
		}
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f, "_test.go") && !named[f] {
			t.Errorf("the map in doc.go does not name %s: add it where the data passes through it", f)
		}
	}
}
