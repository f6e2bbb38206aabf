package play

import (
	"fmt"

	"github.com/tendonengine/tendon/demo/bench/trace"
	"github.com/tendonengine/tendon/rpl"
)

// A phase is one trace while it is played: what ties the authority's ticks and
// nodes to the trace's.
type phase struct {
	t     *trace.Trace
	lives *trace.Lives
	base  rpl.Tick // the authority's tick at the trace's tick 0
	tick  int      // of the trace; beyond its end the world stands still

	node []rpl.Node       // by life; 0 before it is born
	life map[rpl.Node]int // the other way round
	made int              // nodes made and removed at this tick
	err  error            // the first disagreement between feed and trace
}

func newPhase(t *trace.Trace, base rpl.Tick) *phase {
	p := &phase{t: t, lives: trace.NewLives(t), base: base, life: map[rpl.Node]int{}}
	p.node = make([]rpl.Node, len(p.lives.All))
	return p
}

// last is the trace's last tick.
func (p *phase) last() int { return p.t.Ticks - 1 }

// row is the tick whose rows hold at a tick: the last one's for ever.
func (p *phase) row(tick int) int { return min(tick, p.last()) }

// at is the trace's tick of an authority's tick; negative before the first.
func (p *phase) at(t rpl.Tick) int { return int(int64(t) - int64(p.base)) }

func (p *phase) born(slot int, n rpl.Node) {
	life := p.lives.At(slot, p.row(p.tick))
	if life < 0 || p.node[life] != 0 {
		p.err = fmt.Errorf("slot %d got a node at tick %d that the trace has not", slot, p.tick)
		return
	}
	p.node[life], p.life[n] = n, life
	p.made++
}

func (p *phase) gone(slot int, n rpl.Node) { p.made++ }

// state is the trace's row of a node that a client holds, at a tick.
func (p *phase) state(h *holding, tick int) []int32 { return p.t.Row(p.row(tick), int(h.slot)) }
