package predict

import (
	"encoding/binary"
	"hash/fnv"
	"slices"

	"github.com/tendonengine/tendon/rpl"
)

// A Name names what one run of a command makes: the same on its owner's machine and on the
// authority, in the first run and in each replay.
type Name struct {
	Node    rpl.Node // that the command moves; of one that a command has spawned Spawned of its name
	Tick    rpl.Tick // in which it was given; 0: no name
	Command int      // its number in the protocol
	Key     int      // the game's own, for several by one command
}

// MaxName is the most bytes that a name takes.
const MaxName = 4*binary.MaxVarintLen32 + binary.MaxVarintLen64

// Append appends the name as it travels.
func (n Name) Append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(n.Node)&(1<<32-1)) // the slot and the tenant, both of which are small
	b = binary.AppendUvarint(b, uint64(n.Node)>>32)
	b = binary.AppendUvarint(b, uint64(n.Tick))
	b = binary.AppendUvarint(b, uint64(n.Command))
	return binary.AppendVarint(b, int64(n.Key))
}

// Spawned stands for the node that was spawned under the name where it moves on by commands of its
// own: its owner's machine runs those before the authority has given it an id, and again after.
func (n Name) Spawned() rpl.Node {
	h := fnv.New32a()
	h.Write(n.Append(make([]byte, 0, MaxName)))
	return rpl.Node(h.Sum32() | 1) // an id has a tenant
}

// ParseName reads what Append has written; it is false for anything else.
func ParseName(b []byte) (n Name, ok bool) {
	var v [4]uint64
	for i := range v {
		u, k := binary.Uvarint(b)
		if k <= 0 || u > 1<<32-1 {
			return Name{}, false
		}
		v[i], b = u, b[k:]
	}
	key, k := binary.Varint(b)
	if k <= 0 || k != len(b) {
		return Name{}, false
	}
	return Name{Node: rpl.Node(v[1]<<32 | v[0]), Tick: rpl.Tick(v[2]), Command: int(v[3]), Key: int(key)}, v[2] > 0
}

// Near is how many ticks a correction moves at most what it does not take back: what is made anew so
// near to what is not made any more is the same, a little sooner or later.
const Near = 5

// Called stands for the command in the name of what a call of the authority shows: no protocol has so
// many commands.
const Called = 1<<24 + 1

// Once remembers what has been shown of the last ticks, so that nothing is shown twice: neither by a
// rule in each replay, nor by a rule and by the authority's call that says the same. The zero Once is
// ready.
type Once struct {
	shown    map[Name]effect
	commands []int    // whose rules have shown any
	round    uint64   // of the latest replay
	from     rpl.Tick // which began behind this tick
	swept    rpl.Tick
}

// An effect is something that was shown.
type effect struct {
	round  uint64 // the replay in which a rule made it last
	paired bool   // both a rule and a call have made it
}

// Again begins a replay of the ticks behind from.
func (o *Once) Again(from rpl.Tick) { o.round, o.from = o.round+1, from }

// First reports whether a name comes for the first time; now is the newest tick. It does not if a
// replay has moved it: if what was shown under a tick nearby is not made there any more. What a call
// shows is what one rule has shown nearby, and the other way round, each of which counts once. Names
// that are older than any replay goes back are forgotten.
func (o *Once) First(n Name, now rpl.Tick, replay bool) bool {
	if o.shown == nil {
		o.shown = map[Name]effect{}
	}
	o.sweep(now)
	if n.Command == Called {
		was, paired := o.unpaired(n, o.commands...)
		if paired {
			e := o.shown[was]
			e.paired = true
			o.shown[was] = e
		} else {
			o.shown[n] = effect{} // of several calls of one name a rule is one
		}
		return !paired
	}
	e, known := o.shown[n]
	if !known {
		was, moved := o.moved(n, replay)
		if moved {
			e = o.shown[was]
		} else if was, moved = o.unpaired(n, Called); moved {
			e.paired = true
		}
		if known = moved; moved {
			delete(o.shown, was)
		}
	}
	if !slices.Contains(o.commands, n.Command) {
		o.commands = append(o.commands, n.Command)
	}
	e.round = o.round
	o.shown[n] = e
	return !known
}

// sweep forgets, now and then, what is old.
func (o *Once) sweep(now rpl.Tick) {
	if now <= o.swept+Ticks {
		return
	}
	o.swept = now
	for k := range o.shown {
		if k.Tick+2*Ticks < now {
			delete(o.shown, k)
		}
	}
}

// unpaired returns the nearest name that some commands have made of what n is, and nobody else.
func (o *Once) unpaired(n Name, commands ...int) (was Name, ok bool) {
	was = n
	for d := rpl.Tick(0); d <= Near; d++ {
		for _, was.Tick = range [...]rpl.Tick{n.Tick - min(n.Tick, d), n.Tick + d} {
			for _, was.Command = range commands {
				if e, known := o.shown[was]; known && !e.paired {
					return was, true
				}
			}
		}
	}
	return Name{}, false
}

// moved returns the first name near n that the latest replay has not made, or not yet: what follows in
// order is moved in order. In a replay it may also be the newest of those that were made up to the tick
// from which the replay began: the server may have moved it since.
func (o *Once) moved(n Name, replay bool) (was Name, ok bool) {
	was = n
	last := n.Tick + Near
	for was.Tick = max(o.from+1, n.Tick-min(n.Tick, Near)); was.Tick <= last; was.Tick++ {
		if o.isOpen(was) {
			return was, true
		}
	}
	for was.Tick = min(o.from, last); replay && was.Tick > 0 && was.Tick+Near >= n.Tick; was.Tick-- {
		if o.isOpen(was) {
			return was, true
		}
	}
	return Name{}, false
}

// isOpen reports whether a name was shown that the latest replay has not made.
func (o *Once) isOpen(n Name) bool {
	e, known := o.shown[n]
	return known && e.round != o.round
}
