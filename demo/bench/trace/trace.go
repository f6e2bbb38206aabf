// Package trace reads and writes workload traces (RPLT version 2): what a
// server simulated, the quantised state of every entity slot at every tick.
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
// Field 0 is always `alive`. A dead slot's fields are all zero, and a slot that
// goes from 0 to 1 holds a new entity.
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
	Angle Role = "angle" // wraps: Max+1 means Min
)

// A Field is one column of a trace. Min and Max are inclusive.
type Field struct {
	Name     string
	Role     Role
	Min, Max int32
}

// A Trace is a whole recording in memory. It is not changed after it was read.
type Trace struct {
	Name   string
	Hz     int // ticks per second
	Fields []Field
	Slots  int
	Ticks  int

	rows []int32 // tick-major, then slot, then field
}

// Row is the state of a slot at a tick; the caller must not change it.
func (t *Trace) Row(tick, slot int) []int32 {
	f := len(t.Fields)
	at := (tick*t.Slots + slot) * f
	return t.rows[at : at+f : at+f]
}

// Alive reports whether a slot holds an entity at a tick.
func (t *Trace) Alive(tick, slot int) bool {
	return t.rows[(tick*t.Slots+slot)*len(t.Fields)] != 0
}

// Column is the index of the first field with a role, or -1.
func (t *Trace) Column(r Role) int {
	for i := range t.Fields {
		if t.Fields[i].Role == r {
			return i
		}
	}
	return -1
}

// SameFields reports whether two traces have the same columns in the same
// order, bounds apart.
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
