// Command token is a small matchmaker's desk: it makes the key of a signer, and the connect
// tokens by which players join a dedicated server that asks for them.
//
//	token -new signer.key                       makes a signer's key, and prints its public half
//	token -key signer.key -subject ann -for 5m  prints a token for whom the game calls ann
//	     [-server JOINSTRING] [-client HEX]     good at this server alone, for this client alone
//
// The server is started with kcp.WithTokens of the public half; the client passes the token
// to kcp.WithToken.
package main

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/tendonengine/tendon/transport/kcp"
	"github.com/tendonengine/tendon/transport/token"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "token: %v\n", err)
		os.Exit(1)
	}
}

// run is main without the process.
func run(args []string, out io.Writer) error {
	f := flag.NewFlagSet("token", flag.ContinueOnError)
	f.SetOutput(out)
	fresh := f.String("new", "", "make a signer's key, and write it to `FILE`")
	file := f.String("key", "", "the signer's key, in `FILE`")
	subject := f.String("subject", "", "whom the token is about, 1 to 64 `BYTES`")
	span := f.Duration("for", 5*time.Minute, "how long the client has to join")
	server := f.String("server", "", "the `JOINSTRING` of the only server where it is good")
	client := f.String("client", "", "the public key of the only client that may use it, in `HEX`")
	if err := f.Parse(args); err != nil {
		return err
	}
	switch {
	case len(f.Args()) > 0:
		return fmt.Errorf("%q is no flag; -help lists them", f.Args()[0])
	case *span <= 0:
		return fmt.Errorf("-for is %v; give a time above 0, as in 5m", *span)
	}
	if *fresh != "" {
		return makeSigner(*fresh, out)
	}
	key, err := readSigner(*file)
	if err != nil {
		return err
	}
	t := token.Token{Subject: *subject, Expires: time.Now().Add(*span)}
	if *server != "" {
		j, err := kcp.ParseJoinString(*server)
		if err != nil {
			return err
		}
		t.Servers = [][32]byte{j.Key}
	}
	if *client != "" {
		if n, err := hex.Decode(t.Client[:], []byte(*client)); err != nil || n != len(t.Client) {
			return fmt.Errorf("-client is %q; give the 64 digits of its public key", *client)
		}
	}
	s, err := token.Sign(key, t)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, s)
	return err
}

// makeSigner writes a new key where there is no file yet, and prints its public half.
func makeSigner(path string, out io.Writer) error {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%x\n", private.Seed())
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%x\n", []byte(public))
	return err
}

func readSigner(path string) (ed25519.PrivateKey, error) {
	if path == "" {
		return nil, errors.New("-key names the signer's key, or -new makes one; -help lists the flags")
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	seed, err := hex.DecodeString(strings.TrimSpace(string(b)))
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("%s holds no signer's key; make one with -new", path)
	}
	if info, err := os.Stat(path); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s can be read by others, who could let in anybody: chmod 600 %s", path, path)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}
