package kcp

// Writing several packets at once: the system is asked once for up to writeBatch of them.

import (
	"encoding/binary"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A leaving packet's address and control message.
type leaving struct {
	name    [syscall.SizeofSockaddrInet6]byte
	control [controlSize]byte
	vector  syscall.Iovec
}

// A batchWriter writes the packets of a batch. It is one goroutine's.
type batchWriter struct {
	s     *sender
	all   []leaving
	heads []datagram
	from  int // the first of heads that is still to be written
	to    int
	errno syscall.Errno
	try   func(fd uintptr) bool // kept, so that a write allocates nothing
}

func newBatchWriter(s *sender) *batchWriter {
	w := &batchWriter{s: s, all: make([]leaving, writeBatch), heads: make([]datagram, writeBatch)}
	for i := range w.all {
		l, m := &w.all[i], &w.heads[i].header
		m.Name, m.Iov, m.Iovlen = &l.name[0], &l.vector, 1
	}
	w.try = w.put
	return w
}

// put writes what the socket has room for. It returns false where it may wait for more.
func (w *batchWriter) put(fd uintptr) (done bool) {
	for w.from < w.to {
		n, _, errno := syscall.Syscall6(unix.SYS_SENDMMSG, fd, uintptr(unsafe.Pointer(&w.heads[w.from])), uintptr(w.to-w.from), syscall.MSG_DONTWAIT, 0, 0)
		switch w.errno = errno; errno {
		case 0:
			w.from += int(n)
		case syscall.EINTR:
		case syscall.EAGAIN:
			return !w.s.mayWait()
		default:
			return true
		}
	}
	return true
}

// send writes all packets, and returns how many the socket did not take.
func (w *batchWriter) send(b *batch) (lost int) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	w.from, w.to = 0, 0
	for i := range b.packets {
		if !w.add(b, i) {
			lost += w.write()
			w.s.mu.Unlock()
			if w.s.send(b.packet(i), b.packets[i].path) != nil {
				lost++
			}
			w.s.mu.Lock()
		} else if w.to == len(w.heads) {
			lost += w.write()
		}
	}
	return lost + w.write()
}

// write writes what was added, and returns how many packets the socket did not take.
func (w *batchWriter) write() (lost int) {
	for w.from < w.to {
		err := w.s.raw.Write(w.try)
		w.s.waited()
		switch {
		case w.from == w.to:
		case err != nil || w.errno == syscall.EAGAIN || w.errno == syscall.EINTR: // there is no room, or no socket any more
			lost += w.to - w.from
			w.from = w.to
		default: // it refuses one
			lost++
			w.from++
		}
	}
	w.from, w.to = 0, 0
	return lost
}

// add adds a packet to those that are written together. It returns false for an address that
// package net alone knows how to write to.
func (w *batchWriter) add(b *batch, i int) bool {
	to, local := b.packets[i].path.Remote, b.packets[i].path.Local
	if to.Addr().Zone() != "" || !w.s.six && !to.Addr().Is4() {
		return false
	}
	l, h := &w.all[w.to], &w.heads[w.to].header
	packet := b.packet(i)
	if len(packet) == 0 {
		return false
	}
	l.vector.Base = &packet[0]
	l.vector.SetLen(len(packet))
	binary.BigEndian.PutUint16(l.name[2:], to.Port())
	if w.s.six {
		binary.NativeEndian.PutUint16(l.name[:], syscall.AF_INET6)
		ip := to.Addr().As16()
		copy(l.name[8:24], ip[:])
		h.Namelen = syscall.SizeofSockaddrInet6
	} else {
		binary.NativeEndian.PutUint16(l.name[:], syscall.AF_INET)
		ip := to.Addr().As4()
		copy(l.name[4:8], ip[:])
		h.Namelen = syscall.SizeofSockaddrInet4
	}
	h.Control = nil
	h.SetControllen(0)
	if w.s.homing != nil && local.IsValid() {
		h.Control = &l.control[0]
		h.SetControllen(len(appendHome(l.control[:0], w.s.homing.six, local)))
	}
	w.to++
	return true
}
