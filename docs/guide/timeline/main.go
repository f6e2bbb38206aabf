// Command timeline draws the figure of the chapter on time: which tick each machine is at
// while a third of a second passes, and what becomes of one key press.
//
//	go run ./docs/guide/timeline > docs/guide/time.svg
package main

import (
	"fmt"
	"os"
	"strings"
)

// What is drawn: a line of 100 ms there and back, margins of two ticks, a view of 60 ms.
const (
	span   = 330.0 // ms on the x axis
	oneWay = 50.0
	margin = 33.0
	view   = 60.0 // that drawn time trails the newest state by
	press  = 60.0 // when the key is pressed

	left, top     = 70.0, 50.0
	width, height = 620.0, 330.0
)

func x(ms float64) float64 { return left + ms/span*width }

// y is where a tick is drawn, given in milliseconds of the server's clock.
func y(ms float64) float64 {
	return top + height - (ms+oneWay+view+10)/(span+2*oneWay+margin+view+20)*height
}

func main() {
	if _, err := os.Stdout.WriteString(figure()); err != nil {
		os.Exit(1)
	}
}

func figure() string {
	var b strings.Builder
	add := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line := func(x1, y1, x2, y2 float64, style string) {
		add(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" %s/>`, x1, y1, x2, y2, style)
	}
	text := func(px, py float64, style, words string) {
		add(`<text x="%.1f" y="%.1f" %s>%s</text>`, px, py, style, words)
	}
	add(`<svg xmlns="http://www.w3.org/2000/svg" width="760" height="490" viewBox="0 0 760 490" font-family="sans-serif" font-size="13">`)
	add(`<rect width="760" height="490" fill="#ffffff"/>`)
	text(left, 26, `font-size="15" font-weight="bold"`, "Three times at once: which tick each machine is at")
	line(left, top+height, left+width, top+height, `stroke="#444"`)
	line(left, top, left, top+height, `stroke="#444"`)
	for ms := 0.0; ms <= span; ms += 50 {
		line(x(ms), top+height, x(ms), top+height+4, `stroke="#444"`)
		text(x(ms), top+height+18, `text-anchor="middle" fill="#444"`, fmt.Sprintf("%.0f", ms))
	}
	text(left+width, top+height+34, `text-anchor="end" fill="#444"`, "real time, ms")
	text(left-10, top+10, `text-anchor="end" fill="#444"`, "tick")

	for _, l := range []struct {
		ahead  float64
		colour string
		words  string
	}{
		{oneWay + margin, "#1a8f3c", "commands are made for, and the own body is predicted at"},
		{0, "#222222", "the server steps"},
		{-oneWay - view, "#c07a00", "others are drawn at"},
	} {
		line(x(0), y(l.ahead), x(span), y(span+l.ahead), fmt.Sprintf(`stroke="%s" stroke-width="2.5"`, l.colour))
		at := 200.0
		slope := (y(span) - y(0)) / (x(span) - x(0)) * 57.3
		add(`<text x="%.1f" y="%.1f" fill="%s" text-anchor="middle" transform="rotate(%.1f %.1f %.1f)">%s</text>`,
			x(at), y(at+l.ahead)-7, l.colour, slope, x(at), y(at+l.ahead)-7, l.words)
	}
	// The press: made, taken, told.
	ahead := oneWay + margin
	tick := press + ahead
	dot := func(ms, at float64, colour string) {
		add(`<circle cx="%.1f" cy="%.1f" r="5" fill="%s"/>`, x(ms), y(at), colour)
	}
	dashed := `stroke="#2060c0" stroke-width="1.5" stroke-dasharray="5 4"`
	line(x(press), y(tick), x(tick), y(tick), dashed)
	line(x(tick), y(tick), x(tick+oneWay), y(tick), dashed)
	dot(press, tick, "#1a8f3c")
	dot(tick, tick, "#222222")
	dot(tick+oneWay, tick, "#2060c0")
	text(x(press)-6, y(tick)-10, `text-anchor="middle" fill="#2060c0"`, "1")
	text(x(tick)-2, y(tick)+20, `text-anchor="middle" fill="#2060c0"`, "2")
	text(x(tick+oneWay)+2, y(tick)+20, `text-anchor="middle" fill="#2060c0"`, "3")
	for i, words := range []string{
		"1  the key: your body moves in this frame, and the command leaves",
		"2  the server runs the same command, at the same tick, a little before which it has come",
		"3  you are told what came of it: usually nothing new, else you are corrected",
	} {
		text(left, top+height+58+float64(i)*18, `fill="#2060c0"`, words)
	}
	add(`</svg>`)
	return b.String()
}
