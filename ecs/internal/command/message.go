// Package command is what a client's commands are on the wire, and how a server keeps
// them until their ticks.
//
//	message.go    the message with a client's newest commands
//	drawn.go      what the client drew as it made them
//	others.go     when it names what it predicts of others
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
//	has                            1: 1 if it says what each tick was drawn from, 2 if it names
//	                               nodes of others
//	what each tick was drawn from  a varint: its two lowest bits say how the packets were to those of
//	                               the tick after: 0 the same, 1 a tick before, 2 those before them, 3
//	                               any; the rest is by how many 256ths of a tick drawn time was not a
//	                               tick before that of the tick after, in zigzag. Of 3 the rest is 0,
//	                               and then come: ticks from the command back to the packet after
//	                               (1), ticks between the packets (1), how far before the packet
//	                               after drawn time was, in 256ths, signed (2). The tick after the
//	                               newest counts as drawn at 0, from a packet of the newest tick
//	predicted                      1: of so many nodes of others, MaxOthers at most; then for each
//	  node                         two varints: its slot less that of the node before in the list, in
//	                               zigzag, and its tenant
//	streams                        1: then for each of them
//	  node                         as above
//	  command                      a varint, its number in the protocol
//	  values                       of each tick, in varints: 0 none; odd numbers 2 n + 1: of n + 1
//	                               ticks the same as of the tick after; else 2 + 2 × length, bytes
//
// It is sent again with every packet until the server says that it has the commands, so
// that a loss costs nothing.

// Limits of a message. MaxTicks is Most at the highest rate of steps, MaxStreams what one byte counts,
// and more than MaxBytes has room for, mostly: some 200 nodes with a byte each. MaxValues bounds what a
// server does for one message, about as if each value took a byte. maxRun is what one byte says.
const (
	MaxTicks   = 128
	MaxStreams = 255
	MaxValues  = 1024 // ticks times streams
	MaxValue   = 253  // bytes
	MaxBytes   = 1000 // of a message, so that it leaves room for the rest of its packet
	maxRun     = 64
)

// What a message has.
const (
	hasDrawn = 1 << iota
	hasOthers

	hasAt = 5 // where that is said
)

// ErrMessage is the error of a message that no client writes.
var ErrMessage = errors.New("commands: malformed")

// A Writer writes a message. Begin it, call Others, then for each stream Stream, and Value as often
// as it has ticks.
type Writer struct {
	B       []byte
	Pressed bool // a stream's newest command has a press, or is another than two that are the same
	Named   bool // it names nodes of others
	Plain   bool // messages do not say what was drawn: the server does not rewind

	kept    uint32  // of so many ticks the server keeps commands, see Kept
	drawn   []Drawn // by tick, as many as the owner keeps
	oldest  bool    // the last message told of the oldest ticks of too many
	cut     uint32  // of so many fewer than most messages tell, because they are too long
	others  others
	streams int      // where their number is
	begun   int      // where the newest begins
	node    rpl.Node // that of the newest
	ticks   int      // of so many it tells
	left    int      // streams that it has no room for
	unnamed int      // nodes of others that it has no room for
	none    bool     // the newest value is none
	run     int      // where the number of repeats of the newest value is; 0: there are none
	bits    bits.Writer
	args    []byte
}

// NewWriter returns a writer to a server that keeps the commands of so many ticks (see Kept).
func NewWriter(kept int) Writer {
	return Writer{kept: uint32(kept), drawn: make([]Drawn, OwnerKeeps(kept))}
}

// Forget has the next message name the nodes of others: the server begins a level, and knows of none.
func (w *Writer) Forget() { w.others = others{} }

func (w *Writer) slot(tick uint32) *Drawn { return &w.drawn[tick&uint32(len(w.drawn)-1)] }

// lengthBits is the width of a message's length in front of it.
const lengthBits = 10

// Arguments returns the message as the argument of its call, a byte slice of at most
// MaxBytes; it is valid until the next call.
func (w *Writer) Arguments() []byte {
	w.fit()
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
	most := w.kept/4 - w.cut
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
	w.cut = w.kept/4 - uint32(fewer)
	return newest, fewer
}

// Begin starts a message over so many ticks down from newest.
func (w *Writer) Begin(newest uint32, ticks int) {
	w.B = binary.BigEndian.AppendUint32(w.B[:0], newest)
	w.B = append(w.B, uint8(ticks), 0)
	if !w.Plain {
		w.B[hasAt] |= hasDrawn
		after := sight{to: newest}
		for i := range uint32(ticks) {
			s := sightOf(*w.slot(newest - i), newest-i)
			w.B = s.append(w.B, newest-i, after)
			after = s
		}
	}
	w.streams = len(w.B)
	w.B = append(w.B, 0)
	w.Pressed, w.Named, w.ticks, w.left, w.unnamed, w.node = false, false, ticks, 0, 0, 0
}

// Others names the nodes of others that the client predicts, the first MaxOthers, unless the server is
// known to have them; tick is that of the newest command, got the newest that the server has.
func (w *Writer) Others(nodes []rpl.Node, tick, got uint32) {
	all := len(nodes)
	nodes = nodes[:min(all, MaxOthers)]
	if w.Named = w.others.due(nodes, tick, got, w.kept/2); !w.Named {
		return
	}
	w.unnamed = all - len(nodes)
	w.B[hasAt] |= hasOthers
	w.B[w.streams] = uint8(len(nodes))
	before := rpl.Node(0)
	for _, n := range nodes {
		w.B, before = appendNode(w.B, n, before), n
	}
	w.streams = len(w.B)
	w.B = append(w.B, 0)
}

// Stream begins the values of a command on a node, and reports whether the message has room for them.
func (w *Writer) Stream(node rpl.Node, number int) bool {
	if w.fit(); w.left > 0 || w.B[w.streams] == MaxStreams {
		w.left++
		return false
	}
	w.B[w.streams]++
	w.begun, w.none, w.run = len(w.B), false, 0
	w.B, w.node = appendNode(w.B, node, w.node), node
	w.B = binary.AppendUvarint(w.B, uint64(number))
	return true
}

// Long reports whether the message takes too much, and could tell of fewer ticks.
func (w *Writer) Long() bool {
	return w.ticks > 1 && (len(w.B) > MaxBytes || int(w.B[w.streams])*w.ticks > MaxValues)
}

// Empty reports whether it has no command.
func (w *Writer) Empty() bool { return w.B[w.streams] == 0 }

// fit leaves the newest stream out of a message that is too long and cannot tell of fewer ticks.
func (w *Writer) fit() {
	if w.ticks <= 1 && len(w.B) > MaxBytes && w.B[w.streams] > 0 && w.left == 0 {
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

// Unnamed is the error of a message that names not all nodes of others; nil if it does.
func (w *Writer) Unnamed() error {
	if w.unnamed == 0 {
		return nil
	}
	return fmt.Errorf("%d nodes of others are predicted, and the server keeps %d in mind: some of them may be corrected for nothing; predict only what is near", MaxOthers+w.unnamed, MaxOthers)
}

// Value adds the value of the next older tick: none, the same as the tick after, or v.
func (w *Writer) Value(v []byte, here, same bool) {
	switch {
	case same || !here && w.none:
		if w.run == 0 || w.B[w.run] == 2*maxRun-1 {
			w.run = len(w.B)
			w.B = append(w.B, 1)
			return
		}
		w.B[w.run] += 2
		return
	case !here:
		w.B = append(w.B, 0)
	default:
		w.B = binary.AppendUvarint(w.B, uint64(2+2*len(v)))
		w.B = append(w.B, v...)
	}
	w.none, w.run = !here, 0
}

// A Message is what Parse has read.
type Message struct {
	Newest uint32
	Drawn  []Drawn    // by tick, the newest first; what it does not say is as if drawn at that tick
	Others []rpl.Node // of others, that the client predicts …
	Named  bool       // … if it says so
	bytes  []byte
	bits   bits.Reader
}

// Follows reports whether no tick is missing that the server has not come to, between the newest of
// which it has the command and those of the message; now is the tick that is about to run.
func (m *Message) Follows(got, now uint32) bool {
	return m.Newest-uint32(len(m.Drawn)) < max(got+1, now)
}

// ParseArguments is Parse for what Arguments has written.
func (m *Message) ParseArguments(args []byte, value func(node rpl.Node, number int, tick uint32, at int, v []byte)) error {
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
func (m *Message) Parse(b []byte, value func(node rpl.Node, number int, tick uint32, at int, v []byte)) error {
	if len(b) < 7 {
		return ErrMessage
	}
	m.Newest, m.Drawn, m.Others = binary.BigEndian.Uint32(b), m.Drawn[:0], m.Others[:0]
	n, has := int(b[4]), b[hasAt]
	b = b[hasAt+1:]
	if m.Named = has&hasOthers != 0; n > MaxTicks || uint32(n) > m.Newest || has > hasDrawn|hasOthers {
		return ErrMessage
	}
	s, ok := sight{to: m.Newest}, true
	for tick := m.Newest; tick > m.Newest-uint32(n); tick-- {
		if has&hasDrawn == 0 {
			m.Drawn = append(m.Drawn, Drawn{To: tick, At: float64(tick)})
			continue
		}
		if b, ok = s.parse(b, tick); !ok {
			return ErrMessage
		}
		m.Drawn = append(m.Drawn, s.drawn())
	}
	if b, ok = m.parseOthers(b); !ok || len(b) == 0 || n*int(b[0]) > MaxValues && n > 1 {
		return ErrMessage
	}
	streams := int(b[0]) // MaxStreams at most
	b = b[1:]
	node := rpl.Node(0)
	for range streams {
		if node, b, ok = parseNode(b, node); !ok {
			return ErrMessage
		}
		number, k := binary.Uvarint(b)
		if k <= 0 || number > math.MaxUint16 {
			return ErrMessage
		}
		b = b[k:]
		var v []byte
		here := false
		for at := 0; at < n; {
			says, k := binary.Uvarint(b)
			if k <= 0 {
				return ErrMessage
			}
			b = b[k:]
			times := 1
			switch {
			case says&1 == 1:
				if at == 0 || says/2 >= uint64(n-at) {
					return ErrMessage
				}
				times = int(says/2) + 1
			case says == 0:
				here = false
			case says/2-1 > uint64(len(b)):
				return ErrMessage
			default:
				v, b, here = b[:says/2-1], b[says/2-1:], true
			}
			for ; times > 0; times-- {
				if here {
					value(node, int(number), m.Newest-uint32(at), at, v)
				}
				at++
			}
		}
	}
	if len(b) > 0 {
		return ErrMessage
	}
	return nil
}

// parseOthers reads which nodes of others are named, and returns the rest of b.
func (m *Message) parseOthers(b []byte) ([]byte, bool) {
	if !m.Named {
		return b, true
	}
	if len(b) == 0 || b[0] > MaxOthers {
		return nil, false
	}
	n := int(b[0])
	node, ok := rpl.Node(0), true
	b = b[1:]
	for range n {
		if node, b, ok = parseNode(b, node); !ok {
			return nil, false
		}
		m.Others = append(m.Others, node)
	}
	return b, true
}
