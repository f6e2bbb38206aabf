package trace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
)

// Open reads a whole trace from a file. Its error is one sentence that begins
// with the path.
func Open(path string) (*Trace, error) {
	t, err := open(path)
	if err != nil {
		var pe *os.PathError
		if errors.As(err, &pe) {
			return nil, fmt.Errorf("trace %s cannot be read: %w", path, pe.Err)
		}
		return nil, fmt.Errorf("trace %s: %w", path, err)
	}
	return t, nil
}

func open(path string) (*Trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if st.Mode().IsRegular() {
		return Read(f, st.Size())
	}
	b, err := io.ReadAll(f) // a pipe has no known length
	if err != nil {
		return nil, err
	}
	return Read(bytes.NewReader(b), int64(len(b)))
}

// Read reads a whole trace of size bytes and checks that the header is valid, that the
// size matches the counts, that every value is within its bounds and that dead slots
// are zero. It compares the counts with the size before it allocates anything by them.
func Read(r io.Reader, size int64) (*Trace, error) {
	var pre [preamble]byte
	if size < preamble {
		return nil, fmt.Errorf("%d bytes are too short for a trace, whose preamble has %d", size, preamble)
	}
	if err := fill(r, pre[:]); err != nil {
		return nil, err
	}
	if string(pre[:4]) != "RPLT" {
		return nil, fmt.Errorf("it begins with %q and not with \"RPLT\": it is no trace", pre[:4])
	}
	u := func(i int) uint32 { return binary.LittleEndian.Uint32(pre[i:]) }
	if v := u(4); v != version {
		return nil, fmt.Errorf("it has version %d, and only version %d can be read", v, version)
	}
	n, ticks, f, h := u(8), u(12), u(16), u(20)
	switch {
	case n == 0 || n > maxSlots:
		return nil, fmt.Errorf("it has %d entity slots and must have 1 to %d", n, maxSlots)
	case ticks == 0:
		return nil, errors.New("it has no ticks")
	case f < 2 || f > maxFields:
		return nil, fmt.Errorf("it has %d fields per entity and must have 2 to %d", f, maxFields)
	case h > maxHeader:
		return nil, fmt.Errorf("its JSON header has %d bytes and may have %d", h, maxHeader)
	}
	over, rows := bits.Mul64(uint64(n)*uint64(f), uint64(ticks)*4)
	want := preamble + uint64(h) + rows
	if over != 0 || want < rows || want > 1<<62 {
		return nil, fmt.Errorf("%d ticks of %d slots of %d fields cannot be in a file", ticks, n, f)
	}
	if got := uint64(size); got < want {
		return nil, fmt.Errorf("it is truncated: the header promises %d bytes and there are %d", want, got)
	} else if got > want {
		return nil, fmt.Errorf("the header promises %d bytes and there are %d, so one of them is wrong", want, got)
	}
	js := make([]byte, h)
	if err := fill(r, js); err != nil {
		return nil, err
	}
	head, err := parseHeader(js, f)
	if err != nil {
		return nil, err
	}
	t := &Trace{Name: head.Name, Hz: head.Hz, Slots: int(n), Ticks: int(ticks)}
	for _, hf := range head.Fields {
		t.Fields = append(t.Fields, Field{hf.Name, hf.Role, *hf.Min, *hf.Max})
	}
	t.rows = make([]int32, rows/4)
	return t, t.readRows(r)
}

// readRows fills and checks the rows, one tick at a time.
func (t *Trace) readRows(r io.Reader) error {
	width := len(t.Fields)
	buf := make([]byte, t.Slots*width*4)
	for tick := range t.Ticks {
		if err := fill(r, buf); err != nil {
			return err
		}
		at := tick * t.Slots * width
		dst := t.rows[at : at+t.Slots*width]
		for i := range dst {
			dst[i] = int32(binary.LittleEndian.Uint32(buf[i*4:]))
		}
		for slot := range t.Slots {
			if err := t.checkRow(dst[slot*width:(slot+1)*width], tick, slot); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *Trace) checkRow(row []int32, tick, slot int) error {
	switch row[0] {
	case 0:
		for k, v := range row {
			if v != 0 {
				return fmt.Errorf("slot %d is dead at tick %d, but its field %q is %d and not 0", slot, tick, t.Fields[k].Name, v)
			}
		}
		return nil
	case 1:
	default:
		return fmt.Errorf("slot %d has %d in %q at tick %d, which must be 0 or 1", slot, row[0], t.Fields[0].Name, tick)
	}
	for k, v := range row {
		if f := &t.Fields[k]; v < f.Min || v > f.Max {
			return fmt.Errorf("slot %d has %d in field %q at tick %d, outside its bounds %d to %d", slot, v, f.Name, tick, f.Min, f.Max)
		}
	}
	return nil
}

// fill reads exactly len(b) bytes. The size was checked, so an early end means that the
// file shrank or that the caller gave a wrong size.
func fill(r io.Reader, b []byte) error {
	if _, err := io.ReadFull(r, b); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return errors.New("it is truncated: it ended while it was read")
		}
		return err
	}
	return nil
}
