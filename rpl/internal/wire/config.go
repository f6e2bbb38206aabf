package wire

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/tendonengine/tendon/rpl/schema"
)

// CheckBasics checks the fields that both configurations have.
func CheckBasics(s *schema.Schema, hz int) error {
	switch {
	case s == nil:
		return errors.New("rpl: the configuration has no Schema")
	case hz < 1 || hz > 1000:
		return fmt.Errorf("rpl: the configuration's Hz is %d; 1 to 1000", hz)
	}
	return nil
}

func OrDiscard(log *slog.Logger) *slog.Logger {
	if log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return log
}

// ToBeLogged reports whether to log what has happened for the nth time: the first,
// second, fourth … time. The other end can cause it as often as it likes, and must not
// be able to fill the disk.
func ToBeLogged(n uint64) bool { return n&(n-1) == 0 }
