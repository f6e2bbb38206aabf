package transport

import "sync"

// A Keyring remembers to which servers a session's client has shown itself by the session's
// own key, because another program had the user's: to those it is the same client whenever
// it joins again. A session has one for its whole life and gives it to each Dial
// (Offer.Keys). The zero value is ready to use, a nil Keyring remembers nothing, and any
// goroutine may call the methods.
type Keyring struct {
	mu  sync.Mutex
	own map[string]bool
}

// Own reports whether the client has shown the session's own key to a server, which may have
// several names: its key, its address.
func (k *Keyring) Own(server ...string) bool {
	if k == nil {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, name := range server {
		if k.own[name] {
			return true
		}
	}
	return false
}

// Keep notes that a server is shown the session's own key, from now on.
func (k *Keyring) Keep(server ...string) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.own == nil {
		k.own = map[string]bool{}
	}
	for _, name := range server {
		k.own[name] = true
	}
}
