package kcp

// Which key a client shows itself by.

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/seal"
)

// identity returns the key of a client, and what to do when its connection is over.
//
// Towards each server the key in the user's configuration belongs to one connection at a
// time, the first that asks for it: a second window at the same server is another player, who
// has the session's own key, and goes on with it towards a server that has seen it. So a seat
// that a server keeps belongs to whichever of the user's windows comes for it first, while
// none of them has it. j and remotes say which server is joined.
func (d *dialer) identity(o transport.Offer, j JoinString, remotes []netip.AddrPort) (k seal.Key, over func(), err error) {
	over = func() {}
	switch {
	case d.o.key != nil:
		return seal.Key(*d.o.key), over, nil
	case d.o.keyFile != "":
		k, err := loadKey(d.o.keyFile)
		if err != nil {
			return seal.Key{}, nil, err
		}
		f, err := locked(d.o.keyFile)
		if err == nil && f == nil {
			err = fmt.Errorf("kcp: the key in %s is in use by another client: two that show the same key take each other's seat", d.o.keyFile)
		}
		return seal.Key(k), func() { _ = f.Close() }, err // it was opened for the lock alone
	}
	var names []string
	for _, a := range remotes {
		names = append(names, a.String())
	}
	if j.Key != ([32]byte{}) {
		names = append(names, string(j.Key[:]))
	}
	if !o.Keys.Own(append(names, j.Address)...) {
		path, err := ownPath(clientFile)
		if err == nil {
			var own Key
			if own, err = loadKey(path); err == nil {
				if over, err = claim(filepath.Join(filepath.Dir(path), claimDir), names); err == nil && over != nil {
					return seal.Key(own), over, nil
				}
			}
		}
		if err != nil {
			slog.Warn("this client's key is not kept: a new program is another player to servers", "err", err)
		}
	}
	o.Keys.Keep(append(names, j.Address)...)
	return o.Key, func() {}, nil
}

// claimDir has an empty file for each name of a server at which a client of this user is.
const claimDir = "joined"

// claim takes the user's key for a server with these names. release is nil if another
// connection has it there.
func claim(dir string, names []string) (release func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	var files []*os.File
	release = func() {
		for _, f := range files {
			_ = os.Remove(f.Name()) // else an empty file is left
			_ = f.Close()           // it was opened for the lock alone
		}
	}
	for _, name := range names {
		sum := sha256.Sum256([]byte(name))
		f, err := locked(filepath.Join(dir, hex.EncodeToString(sum[:8])))
		if err != nil || f == nil {
			release()
			return nil, err
		}
		files = append(files, f)
	}
	return release, nil
}

// locked opens a file, or makes it, and locks it; nil if another client has it.
func locked(path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if !lock(f) {
			return nil, f.Close()
		}
		// Who had it before may have removed it meanwhile: then another file has its name now.
		here, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, err
		}
		switch there, err := os.Stat(path); {
		case err == nil && os.SameFile(here, there):
			return f, nil
		case err != nil && !os.IsNotExist(err):
			f.Close()
			return nil, fmt.Errorf("kcp: %w", err)
		}
		f.Close()
	}
}
