package play

import (
	"fmt"

	"github.com/tendonengine/tendon/demo/bench/trace"
	"github.com/tendonengine/tendon/rpl"
)

// A phase is the playing of one trace: it maps the authority's ticks and nodes to the
// ticks and lives of the trace.
type phase struct {
	t     *trace.Trace
	lives *trace.Lives
	base  rpl.Tick // the authority's tick at the trace's tick 0
	tick  int      // tick of the trace; it goes on beyond the end, where the world stands still

	node     []rpl.Node       // by life; 0 before it is born
	life     map[rpl.Node]int // the inverse of node
	turnover int              // how many nodes were made and removed at this tick
	err      error            // set when a node was made where the trace has no birth
}

func newPhase(t *trace.Trace, base rpl.Tick) *phase {
	p := &phase{t: t, lives: trace.NewLives(t), base: base, life: map[rpl.Node]int{}}
	p.node = make([]rpl.Node, len(p.lives.All))
	return p
}

// last returns the trace's last tick.
func (p *phase) last() int { return p.t.Ticks - 1 }

// row returns the tick whose rows are the world at a tick: beyond the trace's end, the
// last tick.
func (p *phase) row(tick int) int { return min(tick, p.last()) }

// at converts an authority's tick to the trace's tick; negative before the first.
func (p *phase) at(t rpl.Tick) int { return int(int64(t) - int64(p.base)) }

func (p *phase) born(slot int, n rpl.Node) {
	life := p.lives.At(slot, p.row(p.tick))
	if life < 0 || p.node[life] != 0 {
		p.err = fmt.Errorf("slot %d got a node at tick %d that the trace has not", slot, p.tick)
		return
	}
	p.node[life], p.life[n] = n, life
	p.turnover++
}

func (p *phase) gone(int, rpl.Node) { p.turnover++ }

// state returns the trace's row, at a tick, of a node that a client holds.
func (p *phase) state(h *holding, tick int) []int32 { return p.t.Row(p.row(tick), int(h.slot)) }
