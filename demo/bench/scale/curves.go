package main

// Curves: how the time of a step grows with the nodes, the peers and the nodes in view, as a
// picture.

import (
	"fmt"
	"html"
	"io"
	"math"
	"os"
	"strings"
)

// A chart is one curve over a quantity, both axes logarithmic.
type chart struct {
	title, unit string
	points      []point
}

type point struct{ x, us float64 }

// A sweep is the scenes of one chart.
type sweep struct {
	title, unit string
	at          []int
	scene       func(n int) scene
}

var sweeps = []sweep{
	{"nodes in the world, 10 % turn; 64 peers see 100 each", "nodes", []int{1000, 3000, 10_000, 30_000, 100_000}, func(n int) scene {
		return scene{nodes: n, peers: 64, sees: inView, moving: n / 10}
	}},
	{"peers that see 100 of 10,000 nodes each, 10 % turn", "peers", []int{16, 64, 256}, func(n int) scene {
		return scene{nodes: 10_000, peers: n, sees: inView, moving: 1000}
	}},
	{"nodes in the view of each of 64 peers, of 10,000, 10 % turn", "nodes in view", []int{25, 50, 100, 200, 400}, func(n int) scene {
		return scene{nodes: 10_000, peers: 64, sees: n, moving: 1000}
	}},
}

// curveSteps is the steps of which each point is the shortest.
const curveSteps = 2 * hz

// drawCurves measures all sweeps and writes the picture to a file.
func drawCurves(file string, seed uint64, progress io.Writer) error {
	var charts []chart
	for _, s := range sweeps {
		c := chart{title: s.title, unit: s.unit}
		for _, n := range s.at {
			sc := s.scene(n)
			sc.explicit, sc.seed = true, seed
			l, err := newLab(sc)
			if err != nil {
				return err
			}
			least := us(spreadOf(l.measure(curveSteps)).min)
			l.close()
			fmt.Fprintf(progress, "%s: %d: %.0f µs\n", s.title, n, least)
			c.points = append(c.points, point{float64(n), least})
		}
		charts = append(charts, c)
	}
	if err := os.WriteFile(file, []byte(svg(charts)), 0o644); err != nil {
		return fmt.Errorf("the picture: %w", err)
	}
	return nil
}

const (
	panelW, panelH       = 340.0, 260.0
	left, right, up, low = 52.0, 16.0, 40.0, 40.0 // margins round a panel's plot
)

// svg draws charts side by side, with the same vertical axis.
func svg(charts []chart) string {
	least, most := math.Inf(1), 0.0
	for _, c := range charts {
		for _, p := range c.points {
			least, most = min(least, p.us), max(most, p.us)
		}
	}
	least, most = math.Pow(10, math.Floor(math.Log10(least))), math.Pow(10, math.Ceil(math.Log10(most)))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="sans-serif" font-size="11">`+"\n", panelW*float64(len(charts)), panelH)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="white"/>`+"\n")
	for i, c := range charts {
		c.draw(&b, panelW*float64(i), least, most)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// draw draws one chart at an offset; least and most are the ends of the vertical axis.
func (c *chart) draw(b *strings.Builder, at, least, most float64) {
	first, last := c.points[0].x, c.points[len(c.points)-1].x
	x := func(v float64) float64 {
		return at + left + (panelW-left-right)*math.Log(v/first)/math.Log(last/first)
	}
	y := func(v float64) float64 {
		return panelH - low - (panelH-low-up)*math.Log(v/least)/math.Log(most/least)
	}
	fmt.Fprintf(b, `<text x="%.1f" y="20">%s</text>`+"\n", at+8, html.EscapeString(c.title))
	for v := least; v <= most*1.01; v *= 10 {
		fmt.Fprintf(b, `<path d="M%.1f %.1fH%.1f" stroke="#ccc"/><text x="%.1f" y="%.1f" text-anchor="end">%s</text>`+"\n",
			at+left, y(v), at+panelW-right, at+left-6, y(v)+4, duration(v))
	}
	var path strings.Builder
	for i, p := range c.points {
		path.WriteString(map[bool]string{true: "M", false: "L"}[i == 0])
		fmt.Fprintf(&path, "%.1f %.1f", x(p.x), y(p.us))
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="#1565c0"/><text x="%.1f" y="%.1f" text-anchor="middle">%.0f</text>`+"\n",
			x(p.x), y(p.us), x(p.x), panelH-low+16, p.x)
	}
	fmt.Fprintf(b, `<path d="%s" fill="none" stroke="#1565c0" stroke-width="1.5"/>`+"\n", path.String())
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`+"\n", at+(left+panelW-right)/2, panelH-8, c.unit)
}

// duration writes microseconds.
func duration(us float64) string {
	if us >= 1000 {
		return fmt.Sprintf("%.0f ms", us/1000)
	}
	return fmt.Sprintf("%.0f µs", us)
}
