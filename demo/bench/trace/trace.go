// Package trace reads and writes workload traces (RPLT version 2). A trace is the
// recording of a simulation: the quantised state of every entity slot at every tick.
//
// A file is, little-endian:
//
//	0     "RPLT"
//	4     u32 version, 2
//	8     u32 N, entity slots
//	12    u32 T, ticks
//	16    u32 F, fields per entity
//	20    u32 H, length of the JSON header
//	24    H bytes of JSON: {"hz":60,"name":"arena","fields":[{"name":"alive","role":"alive","min":0,"max":1},…]}
//	24+H  T × N × F × i32: for each tick, for each slot, its fields
//
// Field 0 is always `alive`, 0 or 1. All fields of a dead slot are zero, and a slot
// whose `alive` goes from 0 to 1 holds a new entity.
package trace

// A Role says what a field means; the empty role is plain data.
type Role string

const (
	Plain Role = ""
	Alive Role = "alive"
	PosX  Role = "pos.x" // in the trace's own unit
	PosY  Role = "pos.y"
	VelX  Role = "vel.x" // in that unit per second
	VelY  Role = "vel.y"
	Angle Role = "angle" // wraps: Max+1 is Min again
)

// A Field is one column of a trace. Min and Max are inclusive.
type Field struct {
	Name     string
	Role     Role
	Min, Max int32
}

// A Trace is a whole recording in memory. It is never changed after it was made or
// read.
type Trace struct {
	Name   string
	Hz     int // ticks per second
	Fields []Field
	Slots  int
	Ticks  int

	rows []int32 // ordered by tick, then slot, then field
}

// Row returns the fields of a slot at a tick. The caller must not change them.
func (t *Trace) Row(tick, slot int) []int32 {
	f := len(t.Fields)
	at := (tick*t.Slots + slot) * f
	return t.rows[at : at+f : at+f]
}

// Alive reports whether a slot holds an entity at a tick.
func (t *Trace) Alive(tick, slot int) bool {
	return t.rows[(tick*t.Slots+slot)*len(t.Fields)] != 0
}

// Column returns the index of the first field with the given role, or -1.
func (t *Trace) Column(r Role) int {
	for i := range t.Fields {
		if t.Fields[i].Role == r {
			return i
		}
	}
	return -1
}

// SameFields reports whether two traces have the same rate, and fields with the same
// names and roles in the same order. Bounds may differ.
func (t *Trace) SameFields(o *Trace) bool {
	if len(t.Fields) != len(o.Fields) || t.Hz != o.Hz {
		return false
	}
	for i := range t.Fields {
		if t.Fields[i].Name != o.Fields[i].Name || t.Fields[i].Role != o.Fields[i].Role {
			return false
		}
	}
	return true
}
