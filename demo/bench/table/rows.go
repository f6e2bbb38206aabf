package main

import (
	"time"

	"github.com/tendonengine/tendon/demo/bench/internal/play"
)

// A row is one run of the bench and the figures of it that the table shows, one line
// each.
type row struct {
	name    string
	trace   string
	warm    bool // play a recording of another seed first
	runs    int  // how often it runs; the median by processor time is reported; 0 is once
	options func(o *play.Options)
	figures []figure
}

// A figure is one number of a report. For all figures, less is better.
type figure struct {
	name   string
	format string
	of     func(r play.Report) float64
	target float64 // none if there is no target
	peer   float64 // the figure of Teeworlds; none if it has none
}

// none stands for a missing number.
const none = -1

func payload(target, peer float64) figure {
	return figure{"payload bytes a send", "%.0f", func(r play.Report) float64 { return r.Payload }, target, peer}
}

func serverMs(target, peer float64) figure {
	return figure{"server CPU ms a send", "%.3f", func(r play.Report) float64 { return r.ServerMs }, target, peer}
}

func decode() figure {
	return figure{"decode ns a record", "%.0f", func(r play.Report) float64 { return r.DecodeNs }, 60, 1700}
}

func allocs() []figure {
	return []figure{
		{"allocations a send, server", "%.2f", func(r play.Report) float64 { return r.AllocsServer }, 0, none},
		{"allocations a send, client", "%.2f", func(r play.Report) float64 { return r.AllocsClient }, 0, none},
	}
}

func mismatches() figure {
	return figure{"mismatches", "%.0f", func(r play.Report) float64 { return float64(r.Mismatches) }, 0, none}
}

// near has 64 clients, each of which sees what players see: 400 units around them.
func near(o *play.Options) { o.Clients, o.Radius = 64, 12_800 }

// rows returns the whole table. Every row also shows its mismatches.
func rows() []row {
	var all []row
	for _, part := range [][]row{bytesRows(), timeRows(), lossRows()} {
		all = append(all, part...)
	}
	for i := range all {
		all[i].figures = append(all[i].figures, mismatches())
	}
	return all
}

// bytesRows measure bytes, each with code tables learnt from another seed and, as a
// "cold" row, without.
func bytesRows() []row {
	rs := []row{
		{name: "arena, whole world", trace: "arena", figures: []figure{payload(850, 4408)}},
		{name: "crowd, whole world", trace: "crowd", figures: []figure{payload(10_500, 81_058)}},
		{name: "still, whole world", trace: "still", figures: []figure{payload(250, 1629)}},
		{name: "arena, 64 near", trace: "arena", options: near, figures: []figure{payload(90, 194)}},
		{name: "crowd, 64 near", trace: "crowd", options: near, figures: []figure{payload(140, 640)}},
		{name: "still, 64 near", trace: "still", options: near, figures: []figure{payload(30, 52)}},
		{name: "cave, whole world", trace: "cave", figures: []figure{payload(none, none)}},
	}
	var cold []row
	for i := range rs {
		rs[i].warm = true
		c := rs[i]
		c.name, c.warm = c.name+", cold", false
		c.figures = []figure{c.figures[0]}
		if t := c.figures[0].target; t != none {
			c.figures[0].target = 1.25 * t // learning during play may cost a quarter more
		}
		switch c.name {
		case "crowd, whole world, cold":
			c.figures = append(c.figures, decode())
		case "still, whole world, cold":
			c.figures = append(c.figures, allocs()...)
			// The target allows for arrivals, of which copies are sent: one repeat in
			// two thousand records. Changes are sent once.
			c.figures = append(c.figures, figure{"times a change is sent", "%.4f", func(r play.Report) float64 { return r.SendsPerChange }, 1.0005, none})
		}
		cold = append(cold, c)
	}
	return append(rs, cold...)
}

// timeRows measure processor time, as medians of three runs.
func timeRows() []row {
	march := func(o *play.Options) { o.Clients = 20 }
	rs := []row{
		{name: "arena, 64 near, time", trace: "arena", options: near, figures: []figure{serverMs(0.20, 0.55)}},
		{name: "crowd, 64 near, time", trace: "crowd", options: near, figures: []figure{serverMs(0.80, 2.39)}},
		{name: "still, 64 near, time", trace: "still", options: near, figures: []figure{serverMs(0.20, 1.92)}},
		{name: "still, 64 near, explicit", trace: "still", options: func(o *play.Options) {
			near(o)
			o.Explicit = true
		}, figures: []figure{serverMs(none, none)}},
		{name: "march, 20 peers at one baseline", trace: "march", options: march, figures: []figure{serverMs(0.6, none)}},
		{name: "march, 20 peers at 20 baselines", trace: "march", options: func(o *play.Options) {
			march(o)
			o.Jitter = 50 * time.Millisecond
		}, figures: []figure{serverMs(none, none)}},
	}
	for i := range rs {
		rs[i].runs = 3
	}
	return rs
}

// lossRows measure how the library copes with a bad network and a small budget.
func lossRows() []row {
	age := figure{"age ms, max", "%.0f", func(r play.Report) float64 { return r.AgeMax }, 1000, none}
	excess := figure{"budget excess, bytes", "%.0f", func(r play.Report) float64 { return r.BudgetExcess }, 0, none}
	arrival := figure{"arrival ms, p99", "%.0f", func(r play.Report) float64 { return r.ArrivalP99 }, none, none}
	rs := []row{
		{name: "crowd, 64 near, 8 kB/s each", trace: "crowd", options: func(o *play.Options) {
			near(o)
			o.Budget = 8000
		}, figures: []figure{excess, age}},
	}
	for _, c := range []struct {
		name         string
		loss, target float64
	}{{"5 % lost", 0.05, 95}, {"20 % lost", 0.2, 130}} {
		arrival.target = c.target
		rs = append(rs, row{name: "arena, 64 near, " + c.name, trace: "arena", options: func(o *play.Options) {
			near(o)
			o.Loss, o.RTT, o.Jitter = c.loss, 110*time.Millisecond, 5*time.Millisecond
		}, figures: []figure{arrival}})
	}
	for _, c := range []struct {
		trace  string
		radius float64
	}{{"arena", 12_800}, {"crowd", 12_800}, {"still", 12_800}, {"cave", 2000}} {
		rs = append(rs,
			row{name: c.trace + ", whole world, 30 % lost", trace: c.trace, options: lossy},
			row{name: c.trace + ", 16 near, 30 % lost", trace: c.trace, options: func(o *play.Options) {
				lossy(o)
				o.Clients, o.Radius = 16, c.radius
			}})
	}
	return rs
}

func lossy(o *play.Options) { o.Loss, o.Jitter = 0.3, 40*time.Millisecond }
