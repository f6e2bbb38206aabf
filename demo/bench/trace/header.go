package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// header is the JSON header of a trace. Bounds are pointers, so that a missing bound
// differs from zero.
type header struct {
	Hz     int           `json:"hz"`
	Name   string        `json:"name"`
	Fields []headerField `json:"fields"`
}

type headerField struct {
	Name string `json:"name"`
	Role Role   `json:"role,omitempty"`
	Min  *int32 `json:"min"`
	Max  *int32 `json:"max"`
}

// parseHeader reads and checks the JSON header. f is the number of fields according to
// the file's preamble.
func parseHeader(b []byte, f uint32) (header, error) {
	var h header
	d := json.NewDecoder(bytes.NewReader(b))
	if err := d.Decode(&h); err != nil {
		return h, fmt.Errorf("the JSON header cannot be read: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return h, errors.New("the JSON header is followed by something else than the rows")
	}
	if h.Hz < 1 || h.Hz > maxHz {
		return h, fmt.Errorf("hz is %d and must be 1 to %d", h.Hz, maxHz)
	}
	if uint64(len(h.Fields)) != uint64(f) {
		return h, fmt.Errorf("the JSON header names %d fields and the rows have %d", len(h.Fields), f)
	}
	return h, checkFields(h.Fields)
}

func checkFields(fields []headerField) error {
	names := map[string]bool{}
	roles := map[Role]string{}
	for i, f := range fields {
		switch {
		case f.Name == "":
			return fmt.Errorf("field %d has no name", i)
		case names[f.Name]:
			return fmt.Errorf("two fields are named %q", f.Name)
		case f.Min == nil || f.Max == nil:
			return fmt.Errorf("field %q has no min or no max", f.Name)
		case *f.Min > *f.Max:
			return fmt.Errorf("field %q has min %d above max %d", f.Name, *f.Min, *f.Max)
		case (f.Role == Alive) != (i == 0):
			return fmt.Errorf("field %d is %q with role %q, but the role alive belongs to field 0 alone", i, f.Name, f.Role)
		}
		names[f.Name] = true
		switch f.Role {
		case Plain, Angle:
			continue // any number of them
		case Alive, PosX, PosY, VelX, VelY:
		default:
			return fmt.Errorf("field %q has the unknown role %q", f.Name, f.Role)
		}
		if other, twice := roles[f.Role]; twice {
			return fmt.Errorf("fields %q and %q both have the role %s", other, f.Name, f.Role)
		}
		roles[f.Role] = f.Name
	}
	if a := fields[0]; *a.Min < 0 || *a.Max > 1 {
		return fmt.Errorf("field %q is alive and must be 0 or 1, but its bounds are %d to %d", a.Name, *a.Min, *a.Max)
	}
	if (roles[PosX] == "") != (roles[PosY] == "") {
		return errors.New("a position needs both roles, pos.x and pos.y, and the header has one of them")
	}
	return nil
}
