package kcp

import "github.com/tendonengine/tendon/transport"

// Start hosts or joins as a game's flags say: it joins the address join if that is
// not empty, else hosts on the address host if that is not empty, else leaves the
// session single player. It returns an error for a malformed address and for a
// port that is taken. It does not wait for a connection: when nobody answers, the
// session's OnEnd reports it.
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
