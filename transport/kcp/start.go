package kcp

import "github.com/tendonengine/tendon/transport"

// Start is what a game's flags ask for: it joins where join is not empty, else
// hosts where host is not empty, else leaves the session single player. It
// does not wait for a connection: what is no address and a port that is taken are
// errors, and that nobody answers OnEnd tells.
func Start(s transport.Session, host, join string, opts ...Option) error {
	switch {
	case join != "":
		if _, _, err := target(join); err != nil {
			return err
		}
		s.Join(Dialer(join, opts...))
	case host != "":
		l, err := Listen(host, opts...)
		if err != nil {
			return err
		}
		s.Host(l)
	}
	return nil
}
