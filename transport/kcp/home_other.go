//go:build !linux

package kcp

// Systems that are not asked to which address a packet was sent.

import "net"

const controlSize = 0

// tellHomes reports that the system chooses from which address to answer.
func tellHomes(*net.UDPConn) (index int, ok bool) { return 0, false }

func homeSize(int) int { return 0 }
