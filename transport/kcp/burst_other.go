//go:build !linux

package kcp

// Writing several packets, one after the other where the system takes no more at once.

// A bursting sender writes the packets of a burst.
type bursting struct{ s *sender }

func newBursting(s *sender) *bursting { return &bursting{s} }

// send writes all packets, and returns how many the socket did not take.
func (w *bursting) send(b *burst) (lost int) {
	for i := range b.packets {
		if w.s.send(b.packet(i), b.packets[i].path) != nil {
			lost++
		}
	}
	return lost
}
