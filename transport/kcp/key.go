package kcp

// Keys: a server's, which join strings name, and a client's, by which servers know it again.

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/tendonengine/tendon/transport/internal/seal"
)

// A Key is a secret of 32 bytes: a server's private key, or that from which a client's
// keys follow. Who has it can pose as its owner.
type Key [32]byte

// NewKey makes a key at random.
func NewKey() (k Key) {
	rand.Read(k[:]) // never fails: it ends the program instead
	return k
}

// Public is the public key of a server with this key, as it stands in join strings and
// connect tokens.
func (k Key) Public() [32]byte { return seal.PairOf(seal.Key(k)).Public() }

// For is the public key that a client with this key shows to a server, as it stands in
// connect tokens. It is another one for each server.
func (k Key) For(server [32]byte) [32]byte { return seal.ClientPair(seal.Key(k), server).Public() }

// LoadKey reads a key from a file, or makes one and writes it there if there is no file
// yet. Only its owner may be able to read the file. An empty path means the file in the
// user's configuration that a Dialer uses if it is given no key.
func LoadKey(path string) (Key, error) {
	if path == "" {
		var err error
		if path, err = ownPath(clientFile); err != nil {
			return Key{}, err
		}
	}
	return loadKey(path)
}

const (
	serverFile = "server.key"
	clientFile = "client.key"
	keyHead    = "tendon key 1 "
)

// ownPath is the path of a file in the user's configuration.
func ownPath(name string) (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("kcp: no place to keep a key: %w; give a path, as in kcp.WithKeyFile", err)
	}
	return filepath.Join(dir, "tendon", name), nil
}

func loadKey(path string) (Key, error) {
	k, err := readKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return k, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return k, fmt.Errorf("kcp: no place to keep a key: %w", err)
	}
	k = NewKey()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) { // another program was quicker
		return readKey(path)
	}
	if err != nil {
		return k, fmt.Errorf("kcp: a key cannot be kept: %w", err)
	}
	_, err = fmt.Fprintf(f, "%s%x\n", keyHead, k[:])
	return k, errors.Join(err, f.Close())
}

// readKey reads a key. A file that another program is just writing it waits for.
func readKey(path string) (k Key, err error) {
	for range 50 {
		var b []byte
		if b, err = os.ReadFile(path); err != nil {
			return k, err
		}
		if len(b) == len(keyHead)+2*len(k)+1 {
			return parseKey(path, b)
		}
		time.Sleep(2 * time.Millisecond)
	}
	return k, fmt.Errorf("kcp: %s holds no key; move it away, and a new key will be made", path)
}

func parseKey(path string, b []byte) (k Key, err error) {
	text, ok := strings.CutPrefix(string(b), keyHead)
	if _, err := hex.Decode(k[:], []byte(strings.TrimSuffix(text, "\n"))); err != nil || !ok {
		return k, fmt.Errorf("kcp: %s holds no key; move it away, and a new key will be made", path)
	}
	if info, err := os.Stat(path); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return k, fmt.Errorf("kcp: %s can be read by others, who could pose as you: chmod 600 %s", path, path)
	}
	return k, nil
}
