package main

import (
	"crypto/ed25519"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport/kcp"
	"github.com/tendonengine/tendon/transport/token"
)

// What the command prints is a token that the server and client named in it take.
func TestPrintsTokens(t *testing.T) {
	file := filepath.Join(t.TempDir(), "signer.key")
	say := func(args ...string) string {
		t.Helper()
		var out strings.Builder
		if err := run(args, &out); err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(out.String())
	}
	public, err := hex.DecodeString(say("-new", file))
	if err != nil {
		t.Fatal(err)
	}
	server, client := kcp.NewKey(), [32]byte{5}
	join := kcp.JoinString{Address: "127.0.0.1:7777", Key: server.Public()}.String()
	b, err := token.Bytes(say("-key", file, "-subject", "ann", "-server", join, "-client", hex.EncodeToString(client[:])))
	if err != nil {
		t.Fatal(err)
	}
	c, err := token.NewChecker(server.Public(), time.Now, ed25519.PublicKey(public))
	if err != nil {
		t.Fatal(err)
	}
	if who, err := c.Check(b, client); who != "ann" || err != nil {
		t.Errorf("it is about %q, %v", who, err)
	}
	for _, bad := range [][]string{{}, {"-key", "nowhere"}, {"-key", file}, {"-key", file, "-subject", "a", "-server", "x"}, {"-key", file, "-subject", "a", "-client", "12"}, {"-new", file}, {"-key", file, "-subject", "ann", "smith", "-server", join}, {"-key", file, "-subject", "a", "-for", "-5m"}} {
		if err := run(bad, &strings.Builder{}); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
	if runtime.GOOS != "windows" {
		if err := os.Chmod(file, 0o640); err != nil {
			t.Fatal(err)
		}
		if err := run([]string{"-key", file, "-subject", "ann"}, &strings.Builder{}); err == nil || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("a key that others can read: %v", err)
		}
	}
}
