package rpl

import (
	"errors"
	"fmt"
)

// faults collects a schema's mistakes, so that a user hears of all at once.
type faults struct{ errs []error }

func (f *faults) add(format string, args ...any) {
	f.errs = append(f.errs, fmt.Errorf(format, args...))
}

func (f *faults) len() int { return len(f.errs) }

// err is all of them joined, nil without one.
func (f *faults) err() error { return errors.Join(f.errs...) }
