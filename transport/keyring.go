package transport

import "sync"

// A Keyring remembers by which key a session's client has shown itself to which server, so
// that it is the same client whenever it joins that server again. A session has one for its
// whole life and gives it to each Dial (Offer.Keys). The zero value is ready to use, and any
// goroutine may call the methods.
type Keyring struct {
	mu      sync.Mutex
	own     map[string]bool // servers that know the session's own key
	user    [32]byte        // the user's key, …
	release func()          // … while this session has it for itself; nil: it does not
}

// Choose returns the key to show to a server, which may have several names: its key, its
// address. That is the session's own key if any of the names has been shown that one. Else it
// is the user's, if the session has it or gets it now: take returns it with a release that is
// not nil if no other program has it. Where the user's key is not to be had, for another
// program has it or with an error, the server is shown the session's own from now on.
func (k *Keyring) Choose(session [32]byte, take func() (key [32]byte, release func(), err error), server ...string) ([32]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, name := range server {
		if k.own[name] {
			return session, nil
		}
	}
	if k.release != nil {
		return k.user, nil
	}
	key, release, err := take()
	if err == nil && release != nil {
		k.user, k.release = key, release
		return key, nil
	}
	if k.own == nil {
		k.own = map[string]bool{}
	}
	for _, name := range server {
		k.own[name] = true
	}
	return session, err
}

// Release lets other programs have the user's key. A session calls it when its game has left
// for good, and not when a connection was lost, after which it joins again.
func (k *Keyring) Release() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.release != nil {
		k.release()
		k.release = nil
	}
}
