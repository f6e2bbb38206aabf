package docs_test

// The maps of packages are complete.

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mapped are the packages whose doc.go has a map of their files, for those who want to
// change them. All are too large to find one's way by names alone.
var mapped = []string{"rpl", "rpl/schema", "rpl/bits", "rpl/internal/ids", "rpl/internal/rowtype", "rpl/internal/coder", "rpl/internal/wire", "rpl/internal/proxy", "rpl/internal/link", "rpl/internal/spatial", "rpl/internal/store", "rpl/internal/interest", "rpl/internal/send", "ecs", "ecs/internal/callbacks", "ecs/internal/extract", "ecs/internal/loadtime", "ecs/internal/nodes", "transport", "transport/kcp", "demo/island"}

// placeNames matches the names of files, with a * for several of a kind, and of folders,
// with a slash at the end.
var placeNames = regexp.MustCompile(`[a-z_*]+\.go\b|[\s(][a-z][a-z/]*/(?:[\s,:;.)]|$)`)

// TestMaps checks that each map names every file of its package and every package below
// it, and nothing that is not there.
func TestMaps(t *testing.T) {
	for _, pkg := range mapped {
		dir := filepath.Join(root, filepath.FromSlash(pkg))
		doc, err := os.ReadFile(filepath.Join(dir, "doc.go"))
		if err != nil {
			t.Error(err)
			continue
		}
		named := map[string]bool{"doc.go": true}
		for _, name := range placeNames.FindAllString(string(doc), -1) {
			name = strings.Trim(name, " \t\n,:;.()")
			there, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil || len(there) == 0 {
				t.Errorf("the map in %s/doc.go names %s, which is not there: correct it", pkg, name)
			}
			for _, place := range there {
				named[strings.TrimPrefix(filepath.ToSlash(place), filepath.ToSlash(dir)+"/")] = true
			}
		}
		for _, f := range texts(t, ".go") {
			below, isOurs := strings.CutPrefix(f.path, pkg+"/")
			if !isOurs || strings.HasSuffix(below, "_test.go") {
				continue
			}
			if folder := path.Dir(below); folder != "." {
				below = folder
			}
			if !named[below] {
				named[below] = true // once is enough
				t.Errorf("the map in %s/doc.go does not name %s: add it where the data passes through it", pkg, below)
			}
		}
	}
}
