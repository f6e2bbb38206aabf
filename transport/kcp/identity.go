package kcp

// Which key a client shows itself by.

import (
	"fmt"
	"log/slog"
	"os"

	"github.com/tendonengine/tendon/transport/internal/seal"
)

// identity returns the key of a client, and what to do when its connection is over. The key
// in the user's configuration belongs to one connection at a time, of one program: a second
// window on the same machine is another player, who has the session's own key. key is that.
func (o *options) identity(key [32]byte) (k seal.Key, over func(), err error) {
	over = func() {}
	switch {
	case o.key != nil:
		return seal.Key(*o.key), over, nil
	case o.keyFile != "":
		k, over, err := lockedKey(o.keyFile)
		if err == nil && over == nil {
			err = fmt.Errorf("kcp: the key in %s is in use by another client: two that show the same key take each other's seat", o.keyFile)
		}
		return k, over, err
	}
	path, err := ownPath(clientFile)
	if err == nil {
		if k, over, err = lockedKey(path); err == nil && over != nil {
			return k, over, nil
		}
	}
	if err != nil {
		slog.Warn("this client's key is not kept: a new program is another player to servers", "err", err)
	}
	return seal.Key(key), func() {}, nil
}

// lockedKey reads a key and locks its file. over is nil if another client has it.
func lockedKey(path string) (k seal.Key, over func(), err error) {
	own, err := loadKey(path)
	if err != nil {
		return k, nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return k, nil, err
	}
	if !lock(f) {
		return k, nil, f.Close()
	}
	return seal.Key(own), func() { _ = f.Close() }, nil // it was opened for the lock alone
}
