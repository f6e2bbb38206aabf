//go:build !linux

package kcp

// Writing several packets, one after the other where the system takes no more at once.

// A batchWriter writes the packets of a batch.
type batchWriter struct{ s *sender }

func newBatchWriter(s *sender) *batchWriter { return &batchWriter{s} }

// send writes all packets, and returns how many the socket did not take.
func (w *batchWriter) send(b *batch) (lost int) {
	for i := range b.packets {
		if w.s.send(b.packet(i), b.packets[i].path) != nil {
			lost++
		}
	}
	return lost
}
