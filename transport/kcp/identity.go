package kcp

// Which key a client shows itself by.

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/seal"
)

// An identity is what a client shows itself by.
type identity struct {
	master seal.Key                       // zero: that of own
	own    func(server seal.Key) seal.Key // nil: master, whoever the server is
	over   func()                         // to be called when the connection is over and own is not called any more
}

// identity chooses a client's key.
//
// Towards each server the key in the user's configuration belongs to one connection at a
// time, the first that asks for it: a second window at the same server is another player, who
// has the session's own key, and goes on with it towards a server that has seen it. So a seat
// that a server keeps belongs to whichever of the user's windows comes for it first, while
// none of them has it. Servers are told apart by their keys, which the handshake says: one
// has several addresses.
func (d *dialer) identity(o transport.Offer) (who identity, err error) {
	switch {
	case d.o.key != nil:
		return identity{master: seal.Key(*d.o.key), over: func() {}}, nil
	case d.o.keyFile != "":
		k, err := loadKey(d.o.keyFile)
		if err != nil {
			return identity{}, err
		}
		f, err := locked(d.o.keyFile)
		if err == nil && f == nil {
			err = fmt.Errorf("kcp: the key in %s is in use by another client: two that show the same key take each other's seat", d.o.keyFile)
		}
		return identity{master: seal.Key(k), over: func() { _ = f.Close() }}, err // it was opened for the lock alone
	}
	path, err := ownPath(clientFile)
	var user Key
	if err == nil {
		user, err = loadKey(path)
	}
	kept := err == nil
	warn := func(err error) {
		slog.Warn("this client's key is not kept: a new program is another player to servers", "err", err)
	}
	if !kept {
		warn(err)
	}
	chosen := map[seal.Key]seal.Key{} // a second claim of this connection's would fail
	var claims []func()
	choose := func(server seal.Key) seal.Key {
		if name := string(server[:]); kept && !o.Keys.Own(name) {
			switch release, err := claim(filepath.Join(filepath.Dir(path), claimDir), name); {
			case err != nil:
				warn(err)
			case release != nil:
				claims = append(claims, release)
				return seal.Key(user)
			}
		}
		o.Keys.Keep(string(server[:]))
		return o.Key
	}
	return identity{own: func(server seal.Key) seal.Key {
		if _, known := chosen[server]; !known { // few are asked for, whoever forges answers
			chosen[server] = choose(server)
		}
		return chosen[server]
	}, over: func() {
		for _, release := range claims {
			release()
		}
	}}, nil
}

// claimDir has an empty file for each server at which a client of this user is.
const claimDir = "joined"

// claim takes the user's key for a server of this name. release is nil if another connection has
// it there.
func claim(dir, name string) (release func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(name))
	f, err := locked(filepath.Join(dir, hex.EncodeToString(sum[:8])))
	if err != nil || f == nil {
		return nil, err
	}
	return func() {
		_ = os.Remove(f.Name()) // else an empty file is left
		_ = f.Close()           // it was opened for the lock alone
	}, nil
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
