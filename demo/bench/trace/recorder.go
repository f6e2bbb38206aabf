package trace

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// A Recorder gathers the rows of a running simulation and makes a trace of them. It
// finds the bounds of fields from the recorded values; angle fields keep the bounds
// that they were given.
type Recorder struct {
	name   string
	hz     int
	slots  int
	fields []Field
	rows   []int32
}

// NewRecorder starts a recording of slots entity slots at hz ticks per second. Field 0
// must have the role Alive. Min and Max are used for angle fields only; the recorder
// finds those of all others.
func NewRecorder(name string, hz, slots int, fields []Field) *Recorder {
	r := &Recorder{name: name, hz: hz, slots: slots, fields: append([]Field(nil), fields...)}
	for i := range r.fields {
		if f := &r.fields[i]; f.Role != Angle {
			f.Min, f.Max = math.MaxInt32, math.MinInt32
		}
	}
	return r
}

// Add appends the row of the next slot: all slots of a tick in order, then those of the
// next tick. A nil row is a dead slot.
func (r *Recorder) Add(row []int32) {
	if row == nil {
		for range r.fields {
			r.rows = append(r.rows, 0)
		}
		row = r.rows[len(r.rows)-len(r.fields):]
	} else {
		r.rows = append(r.rows, row[:len(r.fields)]...)
	}
	for i, v := range row[:len(r.fields)] {
		if f := &r.fields[i]; f.Role != Angle {
			f.Min, f.Max = min(f.Min, v), max(f.Max, v)
		}
	}
}

// Trace returns the recording as a trace, after the checks that Read makes.
func (r *Recorder) Trace() (*Trace, error) {
	width := r.slots * len(r.fields)
	if width == 0 || len(r.rows) == 0 || len(r.rows)%width != 0 {
		return nil, errors.New("a recording must have whole ticks of at least one slot and one field")
	}
	t := &Trace{Name: r.name, Hz: r.hz, Fields: r.fields, Slots: r.slots, Ticks: len(r.rows) / width, rows: r.rows}
	if _, err := parseHeader(t.header(), uint32(len(t.Fields))); err != nil {
		return nil, err
	}
	for tick := range t.Ticks {
		for slot := range t.Slots {
			if err := t.checkRow(t.Row(tick, slot), tick, slot); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

func (t *Trace) header() []byte {
	h := header{Hz: t.Hz, Name: t.Name}
	for i := range t.Fields {
		f := &t.Fields[i]
		h.Fields = append(h.Fields, headerField{f.Name, f.Role, &f.Min, &f.Max})
	}
	b, err := json.Marshal(h)
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	return b
}

// WriteTo writes the trace in the file's format.
func (t *Trace) WriteTo(w io.Writer) (int64, error) {
	js := t.header()
	b := append(make([]byte, 0, preamble+len(js)), "RPLT"...)
	for _, v := range []int{version, t.Slots, t.Ticks, len(t.Fields), len(js)} {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	b = append(b, js...)
	bw := bufio.NewWriterSize(w, 1<<16)
	n := int64(len(b))
	_, err := bw.Write(b)
	var word [4]byte
	for _, v := range t.rows {
		if err != nil {
			break
		}
		binary.LittleEndian.PutUint32(word[:], uint32(v))
		_, err = bw.Write(word[:])
		n += 4
	}
	if err == nil {
		err = bw.Flush()
	}
	if err != nil {
		return n, fmt.Errorf("the trace could not be written: %w", err)
	}
	return n, nil
}
