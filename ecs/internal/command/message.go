// Package command is what a client's commands are on the wire, and how a server keeps
// them until their ticks.
//
//	message.go    the message with a client's newest commands
//	codec.go      a command's values as they travel
//	heard.go      what a server has heard of a peer, and tells it
//	queue.go      the commands of one node that wait for their ticks, each used once
//	stream.go     a queue with the presses that wait, and what the owner sends
package command

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/bits"
)

// A message of commands, in bytes:
//
//	tick of the newest command     4, big endian
//	ticks                          1: it tells of so many ticks, the newest first, MaxTicks at most
//	what each tick was drawn from  4 each: ticks from the command back to the packet after (1),
//	                               ticks between the packets (1), how far before the packet
//	                               after drawn time was, in 1,024ths of a tick, signed (2)
//	streams                        1: then for each of them
//	  node                         a varint
//	  command                      a varint, its number in the protocol
//	  values                       for each tick: 0 none, 1 as the tick after, else 2 + length, bytes
//	predicted                      1: of so many nodes of others, MaxOthers at most; then for each
//	  node                         a varint
//
// It is sent again with every packet until the server says that it has the commands, so
// that a loss costs nothing.

// Limits of a message. MaxTicks is Most at the highest rate of steps. MaxStreams is what one byte
// counts, and more than MaxBytes mostly has room for: some 120 nodes with a byte each. MaxOthers is
// more than are near enough to be pushed. DrawnUnit is the fraction of a tick in which drawn time
// moves: far less than anybody sees.
const (
	MaxTicks   = 128
	MaxStreams = 255
	MaxOthers  = 32
	MaxValue   = 253
	MaxBytes   = 1000 // of a message, so that it leaves room for the rest of its packet
	DrawnUnit  = 1024
)

// ErrMessage is the error of a message that no client writes.
var ErrMessage = errors.New("commands: malformed")

// Drawn is what a client drew in a tick: between the states of two packets, or beyond the
// second.
type Drawn struct {
	To   uint32  // tick of the packet after
	Span uint32  // ticks from the packet before
	At   float64 // drawn time
}

// Share is how far drawn time was from the packet before to the packet after.
func (d *Drawn) Share() float64 {
	if d.Span == 0 {
		return 1
	}
	return (d.At - float64(d.To-d.Span)) / float64(d.Span)
}

// A Writer writes a message. Begin it, then for each stream call Stream, and Value as often
// as it has ticks.
type Writer struct {
	B       []byte
	Changed bool // a stream's newest command is another than the one before, or its first

	drawn   []Drawn // by tick, as many as are kept
	oldest  bool    // the last message told of the oldest ticks of too many
	cut     uint32  // of so many fewer than most messages tell, because they are too long
	streams int     // where their number is
	begun   int     // where the newest begins
	ticks   int     // of so many it tells
	left    int     // streams that it has no room for
	others  int     // bytes that are kept for Others
	bits    bits.Writer
	args    []byte
}

// NewWriter returns a writer for the commands of so many ticks (see Kept).
func NewWriter(kept int) Writer { return Writer{drawn: make([]Drawn, kept)} }

func (w *Writer) slot(tick uint32) *Drawn { return &w.drawn[tick&uint32(len(w.drawn)-1)] }

// lengthBits is the width of a message's length in front of it.
const lengthBits = 10

// Arguments returns the message as the argument of its call, a byte slice of at most
// MaxBytes; it is valid until the next call.
func (w *Writer) Arguments() []byte {
	w.bits.Reset(w.args[:0])
	w.bits.Write(uint64(len(w.B)), lengthBits)
	w.bits.Raw(w.B, 8*len(w.B))
	w.args = w.bits.Bytes()
	return w.args
}

// Drew notes what the client draws as it makes the command of a tick.
func (w *Writer) Drew(tick uint32, d Drawn) { *w.slot(tick) = d }

// Span returns of which ticks the next message tells, by the newest and their number: of all that
// follow the newest tick that the server has. Where those are too many, messages tell of the newest;
// and every other one of the oldest that the server, now at the tick at, has not come to, if those
// alone are too many. So they are after it has stood still, when some were refused as too early.
func (w *Writer) Span(newest, got, at uint32) (uint32, int) {
	w.cut -= min(w.cut, 1) // what they take may have become less
	most := uint32(len(w.drawn)/4) - w.cut
	first := max(got, at, newest-min(uint32(len(w.drawn)), newest))
	if w.oldest = !w.oldest && newest > first+most; w.oldest {
		newest = first + most
	}
	return newest, int(min(newest-min(got, newest), most))
}

// Shorten returns of which ticks a message tells in place of those that Span has said, which take too
// many bytes: of fewer of the newest, or of the oldest. The next ones tell of about as many.
func (w *Writer) Shorten(newest uint32, ticks int) (uint32, int) {
	fewer := ticks * 3 / 4
	if w.oldest {
		newest -= uint32(ticks - fewer)
	}
	w.cut = uint32(len(w.drawn)/4 - fewer)
	return newest, fewer
}

// Begin starts a message over so many ticks down from newest, which ends with so many nodes of others.
func (w *Writer) Begin(newest uint32, ticks, others int) {
	w.B = binary.BigEndian.AppendUint32(w.B[:0], newest)
	w.B = append(w.B, uint8(ticks))
	for i := range uint32(ticks) {
		d := w.slot(newest - i)
		back := int64(newest) - int64(i) - int64(d.To)
		before := math.Round((float64(d.To) - d.At) * DrawnUnit)
		w.B = append(w.B, uint8(min(max(back, 0), 255)), uint8(min(d.Span, 255)))
		w.B = binary.BigEndian.AppendUint16(w.B, uint16(int16(min(max(before, math.MinInt16), math.MaxInt16))))
	}
	w.streams = len(w.B)
	w.B = append(w.B, 0)
	w.Changed, w.ticks, w.left, w.others = false, ticks, 0, 1+others*othersBytes
}

// Stream begins the values of a command on a node, and reports whether the message has room for them.
func (w *Writer) Stream(node uint64, number int) bool {
	if w.fit(); w.left > 0 || w.B[w.streams] == MaxStreams {
		w.left++
		return false
	}
	w.B[w.streams]++
	w.begun = len(w.B)
	w.B = binary.AppendUvarint(w.B, node)
	w.B = binary.AppendUvarint(w.B, uint64(number))
	return true
}

// othersBytes is what Others takes for a node of a usual id.
const othersBytes = 3

// fit leaves the newest stream out of a message that is too long and cannot tell of fewer ticks.
func (w *Writer) fit() {
	if w.ticks <= 1 && len(w.B) > MaxBytes-w.others && w.B[w.streams] > 0 && w.left == 0 {
		w.B = w.B[:w.begun]
		w.B[w.streams]--
		w.left++
	}
}

// Left is the error of a message that has no room for all commands of its one tick; nil if it has.
func (w *Writer) Left() error {
	if w.left == 0 {
		return nil
	}
	return fmt.Errorf("those of one tick for %d nodes do not fit in %d bytes with the others: make commands smaller, drive fewer nodes, or have one command of the player say what they all do", w.left, MaxBytes)
}

// Value adds the value of the next older tick: none, the same as the tick after, or v.
func (w *Writer) Value(v []byte, here, same bool) {
	switch {
	case !here:
		w.B = append(w.B, 0)
	case same:
		w.B = append(w.B, 1)
	default:
		w.B = append(append(w.B, uint8(2+len(v))), v...)
	}
}

// Others ends the message with the nodes of others that the client predicts.
func (w *Writer) Others(nodes []rpl.Node) {
	w.fit()
	at := len(w.B)
	w.B = append(w.B, 0)
	for _, n := range nodes {
		if w.ticks <= 1 && len(binary.AppendUvarint(w.B, uint64(n))) > MaxBytes {
			break
		}
		w.B = binary.AppendUvarint(w.B, uint64(n))
		w.B[at]++
	}
}

// A Message is what Parse has read.
type Message struct {
	Newest uint32
	Drawn  []Drawn    // by tick, the newest first
	Others []rpl.Node // of others, that the client predicts
	bytes  []byte
	bits   bits.Reader
}

// Follows reports whether no tick is missing that the server has not come to, between the newest of
// which it has the command and those of the message; now is the tick that is about to run.
func (m *Message) Follows(got, now uint32) bool {
	return m.Newest-uint32(len(m.Drawn)) < max(got+1, now)
}

// ParseArguments is Parse for what Arguments has written.
func (m *Message) ParseArguments(args []byte, value func(node uint64, number int, tick uint32, at int, v []byte)) error {
	m.bits = bits.NewReader(args)
	n := int(m.bits.Read(lengthBits))
	if n > MaxBytes || n > m.bits.Left()/8 {
		return ErrMessage
	}
	m.bytes = m.bytes[:0]
	for range n {
		m.bytes = append(m.bytes, byte(m.bits.Read(8)))
	}
	if m.bits.End() != nil {
		return ErrMessage
	}
	return m.Parse(m.bytes, value)
}

// Parse reads a message: it calls value for each value. It stops at the first thing that
// no client writes.
func (m *Message) Parse(b []byte, value func(node uint64, number int, tick uint32, at int, v []byte)) error {
	if len(b) < 7 {
		return ErrMessage
	}
	m.Newest, m.Drawn = binary.BigEndian.Uint32(b), m.Drawn[:0]
	n := int(b[4])
	b = b[5:]
	if n > MaxTicks || uint32(n) > m.Newest || len(b) < 4*n+1 {
		return ErrMessage
	}
	for i := range n {
		back, before := uint32(b[0]), int16(binary.BigEndian.Uint16(b[2:]))
		to := m.Newest - uint32(i)
		to -= min(back, to)
		m.Drawn = append(m.Drawn, Drawn{To: to, Span: min(uint32(b[1]), to), At: float64(to) - float64(before)/DrawnUnit})
		b = b[4:]
	}
	streams := int(b[0]) // MaxStreams at most
	b = b[1:]
	for range streams {
		node, k := binary.Uvarint(b)
		if k <= 0 {
			return ErrMessage
		}
		b = b[k:]
		number, k := binary.Uvarint(b)
		if k <= 0 || number > math.MaxUint16 {
			return ErrMessage
		}
		b = b[k:]
		var last []byte
		known := false
		for i := range n {
			if len(b) == 0 {
				return ErrMessage
			}
			says := int(b[0])
			b = b[1:]
			switch {
			case says == 0:
				known = false
				continue
			case says == 1 && !known, says > 1 && len(b) < says-2:
				return ErrMessage
			case says > 1:
				last, b, known = b[:says-2], b[says-2:], true
			}
			value(node, int(number), m.Newest-uint32(i), i, last)
		}
	}
	if len(b) == 0 || b[0] > MaxOthers {
		return ErrMessage
	}
	n = int(b[0])
	b, m.Others = b[1:], m.Others[:0]
	for range n {
		node, k := binary.Uvarint(b)
		if k <= 0 {
			return ErrMessage
		}
		b, m.Others = b[k:], append(m.Others, rpl.Node(node))
	}
	if len(b) > 0 {
		return ErrMessage
	}
	return nil
}
