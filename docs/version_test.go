package docs_test

// The version that the handshake compares goes with the wire.

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

var (
	versionRow = regexp.MustCompile(`\| version, (\d+) \|`)
	hexBytes   = regexp.MustCompile("`[0-9a-f ]{8,}`")
)

// Two builds that disagree about the wire refuse each other. Each of these bytes is what
// the code sends, by a test of its own. testdata/wire.txt has the version under which they
// were looked at last, and their hash.
func TestVersionIsRaised(t *testing.T) {
	h := sha256.New()
	for _, file := range []string{"session.txt", "inferred.txt"} {
		h.Write([]byte(read(t, "rpl/testdata/vectors/"+file)))
	}
	version := ""
	for _, page := range []string{"SPEC.md", "spec-schema.md", "spec-transport.md"} {
		text := read(t, "docs/"+page)
		for _, b := range hexBytes.FindAllString(text, -1) {
			h.Write([]byte(b))
		}
		for _, m := range versionRow.FindAllStringSubmatch(text, -1) {
			version = m[1] // the vector of ACCEPT says the same, and package wire reads that
		}
	}
	got := fmt.Sprintf("%s %x", version, h.Sum(nil)[:8])
	if want := strings.TrimSpace(read(t, "docs/testdata/wire.txt")); got != want {
		t.Errorf("the bytes of the vectors or of the pages are not those of testdata/wire.txt: if an older build could not read what this one sends, "+
			"raise Version in transport/internal/wire/packet.go; if only the sender's choices have changed, do not. Then write %q there, in place of %q", got, want)
	}
}
