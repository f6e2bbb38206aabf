package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/schema"
)

// RPCs on the authority: routing a call by its target and the node's owner, checking
// that a peer may call, and sending calls on either lane. docs/SPEC.md has the table.

// A reliable message between cores begins with one of these types. Types from 0x80 up
// belong to the adapter.
const (
	MsgCall     = 0x01
	MsgBlock    = 0x02
	MsgTable    = 0x03
	MsgResynced = 0x04
	MsgPart     = 0x05
)

// A Call is an RPC that runs on this machine now.
type Call struct {
	Node ids.Node
	From ids.Peer // the peer that sent it; Server for the authority
	Tick ids.Tick // the tick in which it was called
	RPC  *schema.RPCType
	Args []byte // as sent; valid during the call
}

// CallQueue is the calls that wait to run on this machine.
type CallQueue struct {
	due, next []queued
	args      []byte
}

type queued struct {
	c        Call
	from, to int // in args
}

func (q *CallQueue) Add(c Call, args []byte) {
	at := len(q.args)
	q.args = append(q.args, args...)
	q.due = append(q.due, queued{c, at, len(q.args)})
}

// Run runs the calls that are due. Calls made meanwhile wait for the next run.
func (q *CallQueue) Run(fn func(Call)) {
	list := q.due
	q.due, q.next = q.next[:0], list
	args := q.args
	q.args = nil
	for i := range list {
		c := list[i].c
		c.Args = args[list[i].from:list[i].to]
		fn(c)
		list[i] = queued{}
	}
	if q.args == nil {
		q.args = args[:0]
	}
}

// CheckArgs returns an error that wraps ErrArgs if arguments are too long for the RPC's lane.
func CheckArgs(rpc *schema.RPCType, args []byte) error {
	limit := MaxUnreliableArgs
	if rpc.Lane == ids.Reliable {
		limit = MaxReliableArgs
	}
	if len(args) > limit {
		return fmt.Errorf("rpl: RPC %s with %d bytes, at most %d: %w", rpc.Name, len(args), limit, ids.ErrArgs)
	}
	return nil
}

// AppendCall appends a call as both lanes carry it: handle, gen 1 byte, RPC, tick 4
// bytes, arguments; handle and RPC as uvarints.
func AppendCall(b []byte, h uint32, gen uint8, rpc *schema.RPCType, tick ids.Tick, args []byte) []byte {
	b = binary.AppendUvarint(b, uint64(h))
	b = append(b, gen)
	b = binary.AppendUvarint(b, uint64(rpc.Index))
	b = binary.LittleEndian.AppendUint32(b, uint32(tick))
	return append(b, args...)
}

// Spares are the buffers of calls that have left, for the next ones.
type Spares [][]byte

// spareCalls is how many buffers are kept: what is called in every tick needs few.
const spareCalls = 64

// Take returns an empty buffer.
func (s *Spares) Take() []byte {
	n := len(*s)
	if n == 0 {
		return nil
	}
	b := (*s)[n-1]
	*s = (*s)[:n-1]
	return b[:0]
}

// Put takes the buffers of calls that nobody reads any more.
func (s *Spares) Put(bs [][]byte) {
	for i, b := range bs {
		if len(*s) < spareCalls {
			*s = append(*s, b)
		}
		bs[i] = nil
	}
}

var errCall = errors.New("rpl: a call that cannot be read")

type WireCall struct {
	Handle uint32
	Gen    uint8
	Rpc    *schema.RPCType
	Tick   ids.Tick
	Args   []byte
}

// Callee is the handle of the node that a call is on, which AppendCall has written, and 1.
func Callee(call []byte) uint32 {
	h, _ := binary.Uvarint(call)
	return uint32(h) + 1
}

// Missed returns how many of some unreliable calls that AppendCall has written are missed where they are
// dropped, and the name of one's RPC.
func Missed(calls [][]byte, s *schema.Schema) (n int, name string) {
	for _, b := range calls {
		if c, err := ParseCall(b, s, ids.Unreliable); err == nil && !c.Rpc.Spare {
			n, name = n+1, c.Rpc.Name
		}
	}
	return n, name
}

// ParseCall reads what AppendCall has written; the arguments stay where they are in b.
func ParseCall(b []byte, s *schema.Schema, lane ids.Lane) (c WireCall, err error) {
	h, n := binary.Uvarint(b)
	if n <= 0 || h >= MaxHandles || len(b) < n+1 {
		return c, errCall
	}
	c.Handle, c.Gen = uint32(h), b[n]
	b = b[n+1:]
	r, n := binary.Uvarint(b)
	if n <= 0 || r >= uint64(len(s.RPCs())) || len(b) < n+4 {
		return c, errCall
	}
	c.Rpc = s.RPCs()[r]
	c.Tick = ids.Tick(binary.LittleEndian.Uint32(b[n:]))
	c.Args = b[n+4:]
	if c.Rpc.Lane != lane || CheckArgs(c.Rpc, c.Args) != nil {
		return c, errCall
	}
	return c, nil
}

// Size is the bytes that a call takes while it waits.
func (c *WireCall) Size() int { return len(c.Args) + int(unsafe.Sizeof(*c)) }

const NoHandle = ^uint32(0)
