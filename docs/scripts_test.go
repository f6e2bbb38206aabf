package docs_test

// What the scripts of .ci say to those who lack something.

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Where Go is there, but can neither build this nor fetch a version that can, the user is
// told what Go said and what to install, not that Go is missing.
func TestGoThatDoesNotDo(t *testing.T) {
	t.Setenv("GOTOOLCHAIN", "go1.999.0")
	t.Setenv("GOPROXY", "off")
	cmd := exec.Command(filepath.Join(".ci", "go"))
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	said := string(out)
	if err == nil {
		t.Errorf("a version of Go that cannot be had will do: %q", said)
	}
	for _, want := range []string{"download go1.999.0", "cannot build this", "install Go 1.25 or newer from https://go.dev/dl/"} {
		if !strings.Contains(said, want) {
			t.Errorf("says %q, which lacks %q", said, want)
		}
	}
	if strings.Contains(said, "missing") {
		t.Errorf("says %q, but Go is there", said)
	}
}
