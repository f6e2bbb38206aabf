//go:build !linux

package kcp

// Systems that are not asked to which address a packet was sent.

import (
	"net"
	"net/netip"
)

const controlSize = 1

// askHomes reports that the system chooses from which address to answer.
func askHomes(*net.UDPConn) (six, ok bool) { return false, false }

func appendHome(b []byte, _ bool, _ netip.Addr) []byte { return b }
