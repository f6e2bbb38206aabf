// Package faults counts what goes wrong in a session, by name, and logs it so that nobody
// can fill a disk: what another machine may repeat at will is logged ever more rarely, and a
// mistake of the game is logged once, with its remedy.
package faults

import (
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"math/bits"
	"slices"
)

// MaxReported is how many mistakes of the game are told apart. A game has tens; a game with
// ever new combinations of components would otherwise make a session keep a name for each.
const MaxReported = 1000

// A Log counts and logs the faults of one session.
type Log struct {
	log      *slog.Logger
	debug    bool // mistakes of the game are logged, not only counted
	counters map[string]*uint64
	reported map[[2]string]bool // mistakes that have been logged: counter and what
}

// New makes a Log that writes to log. Mistakes of the game are only counted, unless debug
// is set.
func New(log *slog.Logger, debug bool) *Log {
	return &Log{log: log, debug: debug, counters: map[string]*uint64{}, reported: map[[2]string]bool{}}
}

// Counter returns a counter by name, made on first use.
func (l *Log) Counter(name string) *uint64 {
	c := l.counters[name]
	if c == nil {
		c = new(uint64)
		l.counters[name] = c
	}
	return c
}

// Counters returns all counters, in order of their names.
func (l *Log) Counters() iter.Seq2[string, uint64] {
	return func(yield func(string, uint64) bool) {
		for _, name := range slices.Sorted(maps.Keys(l.counters)) {
			if !yield(name, *l.counters[name]) {
				return
			}
		}
	}
}

// Count adds one to a counter, and Add n; adding 0 does not make the counter.
func (l *Log) Count(name string) { *l.Counter(name)++ }

func (l *Log) Add(name string, n uint64) {
	if n > 0 {
		*l.Counter(name) += n
	}
}

// Report counts and logs a fault that no other machine can repeat at will; nil is none.
func (l *Log) Report(what string, err error) {
	if err != nil {
		l.Count(what)
		l.log.Warn(what, "err", fmt.Sprint(err))
	}
}

// Refuse counts a fault that another machine, or a rule of the game, may repeat at will.
// It logs the first, the second, the fourth …, so that neither can fill a disk. nil is none.
func (l *Log) Refuse(what string, err error) {
	if err == nil {
		return
	}
	n := l.Counter(what)
	if *n++; *n&(*n-1) == 0 {
		l.log.Warn(what, "times", *n, "err", fmt.Sprint(err))
	}
}

// Lose counts n losses that a game may have at any rate. It logs the first, and whenever there are twice as many
// as then, with the remedy and attributes that say which.
func (l *Log) Lose(counter string, n uint64, what, remedy string, attributes ...any) {
	if n == 0 {
		return
	}
	c := l.Counter(counter)
	before := *c
	if *c += n; bits.Len64(*c) > bits.Len64(before) {
		l.log.Warn(counter, append([]any{"all", *c, "what", what, "remedy", remedy}, attributes...)...)
	}
}

// Scold counts a mistake of the game, and in debug mode logs it the first time. what
// identifies the mistake, so that it is logged only once: it names declarations of the
// game, never one of many entities, peers or values. Those are attributes.
func (l *Log) Scold(counter, what, remedy string, attributes ...any) {
	if l.debug {
		l.Warn(counter, what, remedy, attributes...)
	} else {
		l.Count(counter)
	}
}

// Warn is Scold for a mistake that is certain and costs nothing to find: it is logged without debug
// mode, too.
func (l *Log) Warn(counter, what, remedy string, attributes ...any) {
	l.Count(counter)
	key := [2]string{counter, what}
	if l.reported[key] || len(l.reported) >= MaxReported {
		return
	}
	l.reported[key] = true
	l.log.Warn(counter, append([]any{"what", what, "remedy", remedy}, attributes...)...)
}

// First returns the first of some mistakes, at most most, and one that says how many more there
// are. rpl.Schema does the same with the mistakes that it finds.
func First(all []error, most int) []error {
	all = slices.DeleteFunc(all, func(err error) bool { return err == nil })
	if n := len(all) - most; n > 0 {
		return append(all[:most:most], fmt.Errorf("tendon: and %d more mistakes; mend these first", n))
	}
	return all
}
