package transport

import (
	"slices"
	"sync"
)

// A Keyring remembers to which servers a session's client has shown itself by the session's
// own key, because another program had the user's: to those it is the same client whenever
// it joins again. A session has one for its whole life and gives it to each Dial
// (Offer.Keys). The zero value is ready to use, a nil Keyring remembers nothing, and any
// goroutine may call the methods.
type Keyring struct {
	mu  sync.Mutex
	own []string
}

// Own reports whether the client has shown the session's own key to a server, named by its
// public key.
func (k *Keyring) Own(server string) bool {
	if k == nil {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Contains(k.own, server)
}

// Keep notes that a server is shown the session's own key, from now on. Of more than 256 servers
// the first is forgotten: whoever answers a client may make up some.
func (k *Keyring) Keep(server string) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if slices.Contains(k.own, server) {
		return
	}
	if len(k.own) >= maxOwn {
		k.own = slices.Delete(k.own, 0, 1)
	}
	k.own = append(k.own, server)
}

// maxOwn is how many servers a Keyring remembers: more than a player joins in one session.
const maxOwn = 256
