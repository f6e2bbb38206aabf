// Package address decides which address a host of the demo listens on: a loopback
// address, unless the player has asked for a public one.
package address

import (
	"fmt"
	"net"
)

// Warning is printed when a session may be reachable from other machines.
const Warning = "This session is public: it is neither encrypted nor authenticated, so anybody who reaches it can join, read and forge it."

// Bind returns the address to listen on. Without public the host must be a loopback
// address; any other is an error, since other machines could reach it. An empty host
// means 127.0.0.1 without public, and every interface with it.
func Bind(addr string, public bool) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("address %q is not HOST:PORT, as in 127.0.0.1:7777", addr)
	}
	switch {
	case public:
		return addr, nil
	case host == "":
		host = "127.0.0.1"
	case host == "localhost":
	default:
		if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
			return "", fmt.Errorf("address %s can be reached from elsewhere: give -public as well, or 127.0.0.1:%s", addr, port)
		}
	}
	return net.JoinHostPort(host, port), nil
}
