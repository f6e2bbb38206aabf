package scene

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strings"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/text/v2"
	"github.com/hajimehoshi/ebiten/v2/vector"
	"github.com/quasilyte/gmath"

	"github.com/tendonengine/tendon/assets/palette"
	"github.com/tendonengine/tendon/demo/island"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

const (
	margin   = 8  // pixels to the edge of the pane
	row      = 18 // pixels from line to line
	boardMax = 6  // rows of the score board
)

var (
	paper = color.NRGBA{R: 0xff, G: 0xff, B: 0xf6, A: 0xff}
	shade = color.NRGBA{A: 0x90}
)

// drawHUD draws points, health and ammunition, the time, and a hint what to press.
func (s *Scene) drawHUD(r *tendon.Replication, screen *ebiten.Image) {
	b := screen.Bounds()
	x, y := float64(b.Min.X+margin), float64(b.Min.Y+margin)
	s.letters(screen, s.Name, s.sprites.bold, x, y, text.AlignStart)
	if me, ok := tendon.Mine(r, island.Walker); ok {
		w := island.Walker.Get(me)
		s.bar(screen, x, y+row+2, float64(w.Health)/island.FullHealth)
		s.letters(screen, fmt.Sprintf("%d shots", w.Ammo), s.sprites.small, x, y+2*row, text.AlignStart)
		if w.Health == 0 {
			if c, ok := tendon.Mine(r, island.Controller); ok {
				s.banner(screen, "Down", fmt.Sprintf("up again in %d s", island.Controller.Get(c).Respawn))
			}
		}
		if c, ok := tendon.Mine(r, island.Controller); ok {
			s.letters(screen, carried(island.Controller.Get(c).Pack), s.sprites.small, x, y+3*row, text.AlignStart)
		}
	}
	s.board(r, screen)
	if m, ok := island.Match.First(r.World()); ok {
		d := island.Match.Get(m)
		middle := float64(b.Min.X+b.Max.X) / 2
		s.letters(screen, fmt.Sprintf("%d:%02d", d.Left/60, d.Left%60), s.sprites.bold, middle, y, text.AlignCenter)
		if d.Over {
			s.banner(screen, d.Winner+" wins", fmt.Sprintf("%d points; the next round begins in %d s", d.Best, d.Left))
		}
	}
	bottom := float64(b.Max.Y - margin - row)
	if s.options.Figures {
		bottom -= 2 * row
		if t := r.Tick(); s.costs == "" || t < s.costsAt || t > s.costsAt+island.Steps {
			s.costs, s.costsAt = s.game.Costs(), t
		}
		s.letters(screen, s.costs, s.sprites.small, x, bottom, text.AlignStart)
		bottom -= row
		if s.wrong != "" {
			s.letters(screen, s.wrong, s.sprites.small, x, bottom, text.AlignStart)
			bottom -= row
		}
	}
	hint := wrapped(s.Hint, s.sprites.small, float64(b.Dx()-2*margin))
	for i := len(hint) - 1; i >= 0; i-- {
		s.letters(screen, hint[i], s.sprites.small, x, bottom-float64((len(hint)-1-i)*row), text.AlignStart)
	}
	bottom -= float64((len(hint) - 1) * row)
	if s.Notes != nil {
		bottom -= row
		s.letters(screen, s.Notes(), s.sprites.small, x, bottom, text.AlignStart)
	}
	heard := s.game.Heard()
	for i, line := range heard {
		up := float64((len(heard) - i) * row)
		s.letters(screen, line.Name+": "+line.Text, s.sprites.small, x, bottom-up, text.AlignStart)
	}
}

// carried returns a pack as a line of text.
func carried(pack []island.Item) string {
	var words []string
	for _, item := range pack {
		words = append(words, fmt.Sprintf("%d %s", item.Count, item.Name))
	}
	return strings.Join(words, ", ")
}

// board lists the players by their points.
func (s *Scene) board(r *tendon.Replication, screen *ebiten.Image) {
	var rows []island.ScoreData
	for e := range island.Score.Iter(r.World()) {
		rows = append(rows, *island.Score.Get(e))
	}
	slices.SortFunc(rows, func(a, b island.ScoreData) int {
		return cmp.Or(cmp.Compare(b.Points, a.Points), cmp.Compare(a.Name, b.Name))
	})
	b := screen.Bounds()
	x, y := float64(b.Max.X-margin), float64(b.Min.Y+margin)
	for i, d := range rows[:min(len(rows), boardMax)] {
		at := y + float64(i*row)
		vector.FillRect(screen, float32(x-10), float32(at+3), 10, 10, palette.Team[d.Colour%palette.Variants], false)
		s.letters(screen, fmt.Sprintf("%s  %d", d.Name, d.Points), s.sprites.small, x-16, at, text.AlignEnd)
		s.noteBox(x-10, at+3, 10, 10)
	}
}

// drawNames writes the players' names over their heads.
func (s *Scene) drawNames(r *tendon.Replication, screen *ebiten.Image, list []figure) {
	names := map[rpl.Peer]string{}
	for e := range island.Score.Iter(r.World()) {
		names[tendon.Owner(e)] = island.Score.Get(e).Name
	}
	for i := range list {
		f := &list[i]
		if f.kind != island.Player || !s.camera.Shows(f.pos, 0) {
			continue
		}
		p := s.camera.Pixel(f.pos.Add(gmath.Vec{Y: -20}))
		s.letters(screen, names[tendon.Owner(r.World().Entry(f.entity))], s.sprites.small, p.X, p.Y-row, text.AlignCenter)
	}
}

// bar draws the health.
func (s *Scene) bar(screen *ebiten.Image, x, y, full float64) {
	const w, h = 90, 8
	vector.FillRect(screen, float32(x-1), float32(y-1), w+2, h+2, shade, false)
	vector.FillRect(screen, float32(x), float32(y), float32(w*full), h, color.NRGBA{R: 0xe0, G: 0x4b, B: 0x4b, A: 0xff}, false)
	s.noteBox(x-1, y-1, w+2, h+2)
}

// banner draws two lines in the middle.
func (s *Scene) banner(screen *ebiten.Image, head, line string) {
	b := screen.Bounds()
	x, y := float64(b.Min.X+b.Max.X)/2, float64(b.Min.Y)+float64(b.Dy())*0.28
	s.letters(screen, head, s.sprites.large, x, y, text.AlignCenter)
	s.letters(screen, line, s.sprites.bold, x, y+32, text.AlignCenter)
}

// letters writes a line with a shade behind it, so that it can be read on any
// ground.
func (s *Scene) letters(screen *ebiten.Image, line string, face *text.GoTextFace, x, y float64, align text.Align) {
	if line == "" {
		return
	}
	w, h := text.Measure(line, face, face.Size*1.2)
	left := x
	switch align {
	case text.AlignCenter:
		left = x - w/2
	case text.AlignEnd:
		left = x - w
	}
	vector.FillRect(screen, float32(left-3), float32(y-1), float32(w+6), float32(h+2), shade, false)
	var op text.DrawOptions
	op.PrimaryAlign = align
	op.GeoM.Translate(float64(int(x)), float64(int(y)))
	op.ColorScale.ScaleWithColor(paper)
	text.Draw(screen, line, face, &op)
	s.noteBox(left-3, y-1, w+6, h+2)
}

// wrapped breaks a line between words where it is wider than there is room for.
func wrapped(line string, face *text.GoTextFace, room float64) (lines []string) {
	now := ""
	for _, word := range strings.Fields(line) {
		longer := strings.TrimSpace(now + " " + word)
		if wide, _ := text.Measure(longer, face, 0); now != "" && wide > room {
			lines, longer = append(lines, now), word
		}
		now = longer
	}
	return append(lines, now)
}

// loading says how far a machine has come in words.
func loading(p tendon.Progress) string {
	if p.Want == 0 {
		return "joining"
	}
	return fmt.Sprintf("loading %d of %d", p.Have, p.Want)
}
