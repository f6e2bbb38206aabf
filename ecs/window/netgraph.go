package window

// The net graph: the figures of the connections, drawn over a game.

import (
	"bytes"
	"fmt"
	"image/color"
	"sync"
	"time"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/text/v2"
	"github.com/hajimehoshi/ebiten/v2/vector"
	"golang.org/x/image/font/gofont/gomono"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

const (
	graphSize    = 11 // size of the letters in pixels
	graphLine    = 15 // pixels from line to line
	graphMargin  = 6
	graphMaxRows = 8 // peers shown
)

// face is the net graph's font: Go Mono, under the licence of the Go fonts.
var face = sync.OnceValues(func() (*text.GoTextFace, error) {
	source, err := text.NewGoTextFaceSource(bytes.NewReader(gomono.TTF))
	if err != nil {
		return nil, err
	}
	return &text.GoTextFace{Source: source, Size: graphSize}, nil
})

// NetGraph draws the statistics of the connections, a line each, at the bottom of the
// screen, and returns its height in pixels. Call it in Draw.
func NetGraph(r *tendon.Replication, screen *ebiten.Image) (height int) {
	letters, err := face()
	if err != nil {
		return 0 // a picture without figures is better than none
	}
	rows := figures(r)
	height = len(rows)*graphLine + graphMargin
	b := screen.Bounds()
	x, y := float32(b.Min.X), float32(b.Max.Y-height)
	vector.FillRect(screen, x, y, float32(b.Dx()), float32(height), color.NRGBA{A: 0xa0}, false)
	for i, row := range rows {
		var op text.DrawOptions
		op.GeoM.Translate(float64(x)+graphMargin, float64(y)+graphMargin/2+float64(i*graphLine))
		text.Draw(screen, row, letters, &op)
	}
	return height
}

// figures returns the lines of the graph: one for the session, one for each connection.
func figures(r *tendon.Replication) []string {
	rows := []string{fmt.Sprintf("%s  tick %d  peer %d%s", r.Mode(), r.Tick(), r.Me(), commands(r.CommandStats()))}
	if r.Mode() == tendon.Client {
		return append(rows, connection("server", r.Stats(rpl.Server)))
	}
	for p := range r.Peers() {
		if p == r.Me() {
			continue
		}
		if len(rows) > graphMaxRows {
			rows = append(rows, "…")
			break
		}
		rows = append(rows, connection(fmt.Sprintf("peer %d", p), r.Stats(p)))
	}
	return rows
}

// commands says how often predictions were wrong, and how long before their time commands
// come; nothing where there are none.
func commands(s tendon.CommandStats) string {
	switch {
	case s.Ticks > 0:
		return fmt.Sprintf("  corrections %d (%.2f %%)  margin %d ms", s.Corrections, 100*float64(s.Corrections)/float64(s.Ticks), s.Lead.Milliseconds())
	case s.InTime > 0:
		return fmt.Sprintf("  late %.2f %%  margin %d ms", 100*float64(s.Missed)/float64(s.InTime+s.Missed), s.Margin.Milliseconds())
	}
	return ""
}

func connection(name string, s tendon.Stats) string {
	return fmt.Sprintf("%-7s rtt %3d ms  loss %4.1f %%  out %5.1f  in %5.1f kB/s  view -%d ms",
		name, s.RTT.Round(time.Millisecond).Milliseconds(), 100*s.Loss,
		float64(s.BytesOut)/1000, float64(s.BytesIn)/1000, s.ViewDelay.Milliseconds())
}
