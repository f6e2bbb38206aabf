package kcp

import "github.com/tendonengine/tendon/transport"

// Start hosts or joins as a game's flags say: it joins the join string or address join if
// that is not empty, else hosts on the address host if that is not empty, else leaves the
// session single player. It returns an error for a malformed join string or address and for
// a port that is taken. The session's Log is told the join string of what it hosts. It does not
// wait for a connection: when nobody answers, the session's OnEnd reports it.
func Start(s transport.Session, host, join string, opts ...Option) error {
	switch {
	case join != "":
		j, err := where(join)
		if err != nil {
			return err
		}
		if _, _, err := target(j.Address); err != nil {
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
