package sessionmsg

// welcome: a peer is let in, told of its level, and says that it has built it.

import (
	"encoding/binary"
	"fmt"

	"github.com/tendonengine/tendon/rpl"
)

// Welcome is the first message to a client. It carries the first level, so the client
// answers it with Ready.
//
//	type 1 = 0x80, peer 4, tick 4, steps 2, sends 2, flags 1, level …
//
// Flags are 1 where the server has a player, whose peer number is Host, 1, and else 0; and 2 where it rewinds.
type Welcome struct {
	Peer         rpl.Peer
	Tick         rpl.Tick
	Steps, Sends uint16
	Host         rpl.Peer // the server's own peer: 1, or 0 where it has no player
	Rewinds      bool     // it judges commands by what their players saw
	Level        Level
}

// AppendWelcome and ParseWelcome write and read a Welcome.
func AppendWelcome(b []byte, m Welcome) []byte {
	b = append(b, TypeWelcome)
	b = binary.LittleEndian.AppendUint32(b, uint32(m.Peer))
	b = binary.LittleEndian.AppendUint32(b, uint32(m.Tick))
	b = binary.LittleEndian.AppendUint16(b, m.Steps)
	b = binary.LittleEndian.AppendUint16(b, m.Sends)
	flags := byte(m.Host)
	if m.Rewinds {
		flags |= 2
	}
	b = append(b, flags)
	return m.Level.appendBody(b)
}

func ParseWelcome(b []byte) (m Welcome, err error) {
	if len(b) < 14 || b[0] != TypeWelcome {
		return m, ErrMessage
	}
	m.Peer = rpl.Peer(binary.LittleEndian.Uint32(b[1:]))
	m.Tick = rpl.Tick(binary.LittleEndian.Uint32(b[5:]))
	m.Steps = binary.LittleEndian.Uint16(b[9:])
	m.Sends = binary.LittleEndian.Uint16(b[11:])
	m.Host, m.Rewinds = rpl.Peer(b[13]&^2), b[13]&2 != 0
	if m.Peer <= rpl.Server || m.Tick > rpl.MaxTick || m.Host > rpl.Server || m.Steps == 0 || m.Sends == 0 || m.Sends > m.Steps {
		return m, fmt.Errorf("%w: peer %d of host %d, tick %d, %d steps, %d sends", ErrMessage, m.Peer, m.Host, m.Tick, m.Steps, m.Sends)
	}
	err = m.Level.parseBody(b[14:])
	return m, err
}

// Level names the level that the server is in now.
//
//	type 1 = 0x82, epoch 1, after 8, name (to the end, at most 255 bytes)
//
// epoch counts levels. Datagrams whose sequence number is at most after belong
// to an earlier level, however late they come.
type Level struct {
	Epoch uint8
	After uint64
	Name  string
}

// AppendLevel and ParseLevel write and read a Level.
func AppendLevel(b []byte, m Level) []byte { return m.appendBody(append(b, TypeLevel)) }

func ParseLevel(b []byte) (m Level, err error) {
	if len(b) < 1 || b[0] != TypeLevel {
		return m, ErrMessage
	}
	err = m.parseBody(b[1:])
	return m, err
}

func (m Level) appendBody(b []byte) []byte {
	b = append(b, m.Epoch)
	b = binary.LittleEndian.AppendUint64(b, m.After)
	return append(b, m.Name...)
}

func (m *Level) parseBody(b []byte) error {
	if len(b) < 9 || len(b) > 9+MaxLevelName {
		return ErrMessage
	}
	m.Epoch = b[0]
	m.After = binary.LittleEndian.Uint64(b[1:])
	m.Name = string(b[9:])
	return nil
}

// Ready says that a client has built its side of a level, so that its state may come.
//
//	type 1 = 0x81, epoch 1, after 8 (as in Level, the other way),
//	load-time nodes 4, the sum of their names' hashes (FNV-1a) 8
type Ready struct {
	Epoch uint8
	After uint64
	Names NameSum
}

// AppendReady and ParseReady write and read a Ready.
func AppendReady(b []byte, m Ready) []byte {
	b = binary.LittleEndian.AppendUint64(append(b, TypeReady, m.Epoch), m.After)
	b = binary.LittleEndian.AppendUint32(b, m.Names.count)
	return binary.LittleEndian.AppendUint64(b, m.Names.sum)
}

func ParseReady(b []byte) (m Ready, err error) {
	if len(b) != 22 || b[0] != TypeReady {
		return m, ErrMessage
	}
	names := NameSum{count: binary.LittleEndian.Uint32(b[10:]), sum: binary.LittleEndian.Uint64(b[14:])}
	return Ready{Epoch: b[1], After: binary.LittleEndian.Uint64(b[2:]), Names: names}, nil
}
