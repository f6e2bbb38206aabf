package kcp

// Which key a client shows itself by.

import (
	"fmt"
	"log/slog"
	"os"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/seal"
)

// identity returns the key of a client, and what to do when its connection is over. The key
// in the user's configuration belongs to one connection at a time, of one program: a second
// window on the same machine is another player, who has the session's own key, and goes on
// with it towards a server that has seen it. server has the names of the one that is joined.
func (d *dialer) identity(o transport.Offer, server ...string) (k seal.Key, over func(), err error) {
	over = func() {}
	switch {
	case d.o.key != nil:
		return seal.Key(*d.o.key), over, nil
	case d.o.keyFile != "":
		own, over, err := lockedKey(d.o.keyFile)
		if err == nil && over == nil {
			err = fmt.Errorf("kcp: the key in %s is in use by another client: two that show the same key take each other's seat", d.o.keyFile)
		}
		return own, over, err
	}
	if !o.Keys.Own(server...) {
		path, err := ownPath(clientFile)
		if err == nil {
			var own [32]byte
			if own, over, err = lockedKey(path); err == nil && over != nil {
				return own, over, nil
			}
		}
		if err != nil {
			slog.Warn("this client's key is not kept: a new program is another player to servers", "err", err)
		}
	}
	o.Keys.Keep(server...)
	return o.Key, func() {}, nil
}

// lockedKey reads a key and locks its file. over is nil if another client has it.
func lockedKey(path string) (k [32]byte, over func(), err error) {
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
	return own, func() { _ = f.Close() }, nil // it was opened for the lock alone
}
