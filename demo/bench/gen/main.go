// Command gen writes a synthetic workload trace for the bench.
//
//	go run ./demo/bench/gen -mix arena -o arena.rplt
//	go run ./demo/bench/gen -mix crowd -seed 7 -o crowd.rplt
//	go run ./demo/bench/gen -mix other -o other.rplt
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/tendonengine/tendon/demo/bench/internal/arena"
	"github.com/tendonengine/tendon/demo/bench/internal/livesim"
	"github.com/tendonengine/tendon/demo/bench/internal/othersim"
	"github.com/tendonengine/tendon/demo/bench/trace"
)

func main() {
	name := flag.String("mix", "arena", "arena, crowd, still, march; other: the bench's second simulator; platform, duel, street, pitch: as people move")
	slots := flag.Int("n", 0, "entity slots; 0 is the mix's own number")
	ticks := flag.Int("ticks", 0, "ticks; 0 is the mix's own number")
	edge := flag.Float64("size", 0, "world edge in units; 0 is the mix's own")
	seed := flag.Uint64("seed", 1, "of the simulation")
	out := flag.String("o", "", "output `file`")
	flag.Parse()
	t, err := record(*name, *slots, *ticks, *edge, *seed)
	if err == nil {
		err = write(*out, t)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "gen: %v\n", err)
		os.Exit(2)
	}
}

func record(name string, slots, ticks int, edge float64, seed uint64) (*trace.Trace, error) {
	if name == "other" {
		return othersim.Record(or(slots, othersim.Slots), or(ticks, othersim.Ticks), seed)
	}
	if m, err := livesim.Named(name); err == nil {
		m.Slots, m.Ticks = or(slots, m.Slots), or(ticks, m.Ticks)
		return livesim.Record(m, seed)
	}
	m, err := arena.Named(name)
	if err != nil {
		return nil, err
	}
	m.Slots, m.Ticks, m.Edge = or(slots, m.Slots), or(ticks, m.Ticks), or(edge, m.Edge)
	return arena.Record(m, seed)
}

// or returns v, or the default if v is 0.
func or[T int | float64](v, otherwise T) T {
	if v == 0 {
		return otherwise
	}
	return v
}

func write(path string, t *trace.Trace) error {
	if path == "" {
		return fmt.Errorf("there is no file to write: give one with -o FILE")
	}
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("the trace cannot be written: %w", err)
	}
	if _, err := t.WriteTo(f); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("the trace cannot be written: %w", err)
	}
	return nil
}
