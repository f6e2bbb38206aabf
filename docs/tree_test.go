// Package docs_test holds the rules of the project as tests: what may import
// what, what a file may contain, and that the pages in this folder tell the
// truth. Each rule says its reason where it fails.
package docs_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// module is the path that go.mod gives.
const module = "github.com/tendonengine/tendon"

// root is the top of the project: tests run in their package's folder.
const root = ".."

// notOurs are folders of the top level that are built, not written.
var notOurs = map[string]bool{".git": true, "bin": true, "out": true}

// A file is one text file of the project.
type file struct {
	path string // from the top, with slashes
	text string
}

func (f file) lines() int { return strings.Count(f.text, "\n") }

// generated reports whether a tool wrote the file, by Go's convention.
func (f file) generated() bool {
	head, _, _ := strings.Cut(f.text, "\npackage ")
	for line := range strings.Lines(head) {
		if strings.HasPrefix(line, "// Code generated ") && strings.HasSuffix(strings.TrimSpace(line), " DO NOT EDIT.") {
			return true
		}
	}
	return false
}

// texts reads every text file of the project whose name ends as asked, or all
// for "".
func texts(t *testing.T, suffix string) []file {
	t.Helper()
	var found []file
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if notOurs[rel] {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, suffix) || !d.Type().IsRegular() || notOurs[rel] { // .git is a file in a worktree
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if bytes.IndexByte(b, 0) < 0 {
			found = append(found, file{path: rel, text: string(b)})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatalf("no file of the project ends in %q", suffix)
	}
	return found
}
