package ecs

// Session messages: what two sessions tell each other on the reliable lane, beside what
// their cores send. The first byte is the type of the message; the core's types are below
// firstMessage.

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/tendonengine/tendon/rpl"
)

const (
	firstMessage = 0x80

	msgWelcome = 0x80 // server → client, once
	msgReady   = 0x81 // client → server, after each welcome and level
	msgLevel   = 0x82 // server → client
	msgNames   = 0x83 // server → client, after each ready
	msgAsk     = 0x84 // client → server, at any time
)

var errMessage = errors.New("tendon: a session message that cannot be read")

// welcome is the first message to a client. It carries the first level, so the
// client answers it with ready.
//
//	type 1 = 0x80, peer 4, tick 4, steps 2, sends 2, host 1, level …
//
// host is the server's own peer: 1, or 0 where it has no player.
type welcome struct {
	peer         rpl.Peer
	tick         rpl.Tick
	steps, sends uint16
	host         rpl.Peer
	level        levelMessage
}

func appendWelcome(b []byte, m welcome) []byte {
	b = append(b, msgWelcome)
	b = binary.LittleEndian.AppendUint32(b, uint32(m.peer))
	b = binary.LittleEndian.AppendUint32(b, uint32(m.tick))
	b = binary.LittleEndian.AppendUint16(b, m.steps)
	b = binary.LittleEndian.AppendUint16(b, m.sends)
	b = append(b, byte(m.host))
	return m.level.appendBody(b)
}

func parseWelcome(b []byte) (m welcome, err error) {
	if len(b) < 14 || b[0] != msgWelcome {
		return m, errMessage
	}
	m.peer = rpl.Peer(binary.LittleEndian.Uint32(b[1:]))
	m.tick = rpl.Tick(binary.LittleEndian.Uint32(b[5:]))
	m.steps = binary.LittleEndian.Uint16(b[9:])
	m.sends = binary.LittleEndian.Uint16(b[11:])
	m.host = rpl.Peer(b[13])
	if m.peer <= rpl.Server || m.tick > rpl.MaxTick || m.host > rpl.Server || m.steps == 0 || m.sends == 0 || m.sends > m.steps {
		return m, fmt.Errorf("%w: peer %d of host %d, tick %d, %d steps, %d sends", errMessage, m.peer, m.host, m.tick, m.steps, m.sends)
	}
	err = m.level.parseBody(b[14:])
	return m, err
}

// levelMessage names the level that the server is in now.
//
//	type 1 = 0x82, epoch 1, after 8, name (to the end, at most 255 bytes)
//
// epoch counts levels. Datagrams whose sequence number is at most after belong
// to an earlier level, however late they come.
type levelMessage struct {
	epoch uint8
	after uint64
	name  string
}

func appendLevel(b []byte, m levelMessage) []byte { return m.appendBody(append(b, msgLevel)) }

func parseLevel(b []byte) (m levelMessage, err error) {
	if len(b) < 1 || b[0] != msgLevel {
		return m, errMessage
	}
	err = m.parseBody(b[1:])
	return m, err
}

func (m levelMessage) appendBody(b []byte) []byte {
	b = append(b, m.epoch)
	b = binary.LittleEndian.AppendUint64(b, m.after)
	return append(b, m.name...)
}

func (m *levelMessage) parseBody(b []byte) error {
	if len(b) < 9 || len(b) > 9+maxLevelName {
		return errMessage
	}
	m.epoch = b[0]
	m.after = binary.LittleEndian.Uint64(b[1:])
	m.name = string(b[9:])
	return nil
}

// askMessage asks to be let into a group, or out of it.
//
//	type 1 = 0x84, group 1 (in the order of names), in 1
type askMessage struct {
	group int
	in    bool
}

func appendAsk(b []byte, m askMessage) []byte {
	in := byte(0)
	if m.in {
		in = 1
	}
	return append(b, msgAsk, byte(m.group), in)
}

func parseAsk(b []byte) (m askMessage, err error) {
	if len(b) != 3 || b[0] != msgAsk || b[2] > 1 {
		return m, errMessage
	}
	return askMessage{group: int(b[1]), in: b[2] == 1}, nil
}

// ready says that a client has built its side of a level, so that its state may come.
//
//	type 1 = 0x81, epoch 1, after 8 (as in levelMessage, the other way),
//	load-time nodes 4, the sum of their names' hashes (FNV-1a) 8
type ready struct {
	epoch uint8
	after uint64
	names nameSum
}

func appendReady(b []byte, m ready) []byte {
	b = binary.LittleEndian.AppendUint64(append(b, msgReady, m.epoch), m.after)
	b = binary.LittleEndian.AppendUint32(b, m.names.count)
	return binary.LittleEndian.AppendUint64(b, m.names.sum)
}

func parseReady(b []byte) (m ready, err error) {
	if len(b) != 22 || b[0] != msgReady {
		return m, errMessage
	}
	names := nameSum{count: binary.LittleEndian.Uint32(b[10:]), sum: binary.LittleEndian.Uint64(b[14:])}
	return ready{epoch: b[1], after: binary.LittleEndian.Uint64(b[2:]), names: names}, nil
}
