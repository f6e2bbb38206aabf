package main

import (
	"image"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/tendonengine/tendon/demo/shot"
)

// clock is the time since the window's first update.
type clock struct{ begin time.Time }

func (c *clock) start() {
	if c.begin.IsZero() {
		c.begin = time.Now()
	}
}

func (c *clock) seconds() float64 {
	if c.begin.IsZero() {
		return 0
	}
	return time.Since(c.begin).Seconds()
}

// picture writes the frame that was just drawn, and its account, once it is
// time; then the program ends.
func (p *program) picture(screen *ebiten.Image) {
	at := p.clock.seconds()
	if p.done || at < p.options.Seconds {
		return
	}
	p.done = true
	img := image.NewRGBA(screen.Bounds())
	screen.ReadPixels(img.Pix)
	a := shot.Account{Width: img.Bounds().Dx(), Height: img.Bounds().Dy(), Seconds: at}
	for _, s := range p.seats {
		a.Panes = append(a.Panes, s.scene.Account(s.rep))
	}
	p.failed = shot.Write(p.options.Shot, img, a)
}
