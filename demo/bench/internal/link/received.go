package link

import "time"

// A Datagram is a datagram that Collect has gathered.
type Datagram struct {
	Seq  uint64
	At   time.Duration // when it arrived, by the session's clock
	Data []byte
}

// received is what has arrived. Its bytes are in buf; when buf grows, slices of the old
// buffer stay valid.
type received struct {
	datagrams []Datagram
	messages  [][]byte
	buf       []byte
}

func (r *received) clear() {
	r.datagrams = r.datagrams[:0]
	r.messages = r.messages[:0]
	r.buf = r.buf[:0]
}

func (r *received) keep(b []byte) []byte {
	at := len(r.buf)
	r.buf = append(r.buf, b...)
	return r.buf[at:len(r.buf):len(r.buf)]
}

func (r *received) datagram(seq uint64, at time.Duration, b []byte) {
	r.datagrams = append(r.datagrams, Datagram{seq, at, r.keep(b)})
}

func (r *received) message(b []byte) { r.messages = append(r.messages, r.keep(b)) }
