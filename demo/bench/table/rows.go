package main

import (
	"time"

	"github.com/tendonengine/tendon/demo/bench/internal/play"
)

// A row is one line of the table: a run of the bench, and the figures of it
// that have a target.
type row struct {
	name    string
	trace   string
	warm    bool // a recording of another seed is played before
	runs    int  // of which the median by processor time is reported
	options func(o *play.Options)
	figures []figure
}

// A figure is one number of a report. Less is better in all of them.
type figure struct {
	name      string
	of        func(r play.Report) float64
	peer      float64 // what Teeworlds needs, 0 where it has no such figure
	target    float64
	format    string
	allowZero bool // the target is 0
}

func payload(peer, target float64) figure {
	return figure{"payload bytes a send", func(r play.Report) float64 { return r.Payload }, peer, target, "%.0f", false}
}

func serverMs(peer, target float64) figure {
	return figure{"server CPU ms a send", func(r play.Report) float64 { return r.ServerMs }, peer, target, "%.3f", false}
}

func atMost(name, format string, target float64, of func(r play.Report) float64) figure {
	return figure{name, of, 0, target, format, target == 0}
}

// mismatches stands in every row.
func mismatches() figure {
	return atMost("mismatches", "%.0f", 0, func(r play.Report) float64 { return float64(r.Mismatches) })
}

// radius is 400 units, what a player sees.
const radius = 12_800

func near(o *play.Options) { o.Clients, o.Radius = 64, radius }

// rows are the workloads, in the order of the table. Bytes are taken with
// tables learnt from another seed, and without; times are medians of three.
func rows() []row {
	decode := atMost("decode ns a record", "%.0f", 60, func(r play.Report) float64 { return r.DecodeNs })
	rs := []row{
		{name: "arena, whole world", trace: "arena", warm: true, figures: []figure{payload(4408, 850), decode}},
		{name: "crowd, whole world", trace: "crowd", warm: true, figures: []figure{payload(81_058, 10_500), decode}},
		{name: "still, whole world", trace: "still", warm: true, figures: []figure{payload(1629, 250)}},
		{name: "arena, 64 near", trace: "arena", warm: true, options: near, figures: []figure{payload(194, 90)}},
		{name: "crowd, 64 near", trace: "crowd", warm: true, options: near, figures: []figure{payload(640, 140)}},
		{name: "still, 64 near", trace: "still", warm: true, options: near, figures: []figure{payload(52, 30)}},

		{name: "arena, whole world, cold", trace: "arena", figures: []figure{payload(4408, 1063)}},
		{name: "crowd, whole world, cold", trace: "crowd", figures: []figure{payload(81_058, 13_125)}},
		{name: "still, whole world, cold", trace: "still", figures: []figure{
			payload(1629, 313),
			atMost("times a change is sent", "%.4f", 1.0005, func(r play.Report) float64 { return r.SendsPerChange }),
			atMost("allocations a send, server", "%.2f", 0, func(r play.Report) float64 { return r.AllocsServer }),
			atMost("allocations a send, client", "%.2f", 0, func(r play.Report) float64 { return r.AllocsClient }),
		}},

		{name: "arena, 64 near, time", trace: "arena", runs: 3, options: near, figures: []figure{serverMs(0.55, 0.20)}},
		{name: "crowd, 64 near, time", trace: "crowd", runs: 3, options: near, figures: []figure{serverMs(2.39, 0.80)}},
		{name: "still, 64 near, time", trace: "still", runs: 3, options: near, figures: []figure{serverMs(1.92, 0.20)}},
		{name: "march, 20 whole world", trace: "march", runs: 3, options: func(o *play.Options) { o.Clients = 20 }, figures: []figure{
			atMost("server CPU ms a send", "%.3f", 0.6, func(r play.Report) float64 { return r.ServerMs }),
		}},

		{name: "cave, whole world", trace: "cave", figures: []figure{
			{"payload bytes a send", func(r play.Report) float64 { return r.Payload }, 0, 0, "%.0f", false},
		}},
		{name: "crowd, 64 near, 8 kB/s", trace: "crowd", options: func(o *play.Options) { near(o); o.Budget = 8000 }, figures: []figure{
			atMost("budget excess", "%.0f", 0, func(r play.Report) float64 { return r.BudgetExcess }),
			atMost("age ms, max", "%.0f", 1000, func(r play.Report) float64 { return r.AgeMax }),
		}},
	}
	for _, name := range []string{"arena", "crowd", "still", "cave"} {
		rs = append(rs, row{name: name + ", whole world, 30 % lost", trace: name, options: lossy},
			row{name: name + ", 16 near, 30 % lost", trace: name, options: func(o *play.Options) {
				lossy(o)
				o.Clients, o.Radius = 16, radius
				if name == "cave" {
					o.Radius = 2000
				}
			}})
	}
	for _, p := range []struct{ loss, target float64 }{{0.05, 95}, {0.2, 130}} {
		rs = append(rs, row{name: "arena, 64 near, loss " + percent(p.loss), trace: "arena", options: func(o *play.Options) {
			near(o)
			o.Loss, o.RTT, o.Jitter, o.Seed = p.loss, 110*time.Millisecond, 5*time.Millisecond, 5
		}, figures: []figure{
			atMost("arrival ms, p99", "%.0f", p.target, func(r play.Report) float64 { return r.ArrivalP99 }),
		}})
	}
	for i := range rs {
		rs[i].figures = append(rs[i].figures, mismatches())
	}
	return rs
}

func lossy(o *play.Options) { o.Loss, o.Jitter, o.Seed = 0.3, 40*time.Millisecond, 11 }

func percent(share float64) string {
	if share == 0.05 {
		return "5 %"
	}
	return "20 %"
}
