package scene

import (
	"fmt"
	"image"
	"math"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/assets/palette"
	"github.com/tendonengine/tendon/demo/island"
	"github.com/tendonengine/tendon/demo/shot"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/window"
	"github.com/tendonengine/tendon/rpl"
)

// leastZoom is the zoom of a pane of 106 pixels that shows both circles. Without it a
// window of one row of pixels would show a million units of sea, all to be baked.
const leastZoom = 0.1

// Options are the drawing options that a player may change while playing, for all panes.
type Options struct {
	Zoom    float64 // 1 shows what is near; 2 half as far
	Circles bool    // draw the enter and exit radius, and the map of what this machine has
	Figures bool    // draw the network statistics, and what the game's features cost
	Map     bool    // draw the map with the player's team
	Ghosts  bool    // draw where the authority, a proxy and the prediction have each body
}

// Scene is one session's pane.
type Scene struct {
	Name  string // shown in the corner
	Hint  string // one line at the bottom, "" for none
	Notes func() string

	game    *island.Game
	options *Options
	sprites *Sprites
	ground  ground
	query   *donburi.Query
	camera  Camera
	list    []figure
	chart   *ebiten.Image  // the map …
	land    *image.RGBA    // … and its background
	mates   *ebiten.Image  // the map screen's background
	costs   string         // as they were …
	costsAt rpl.Tick       // … at this tick
	told    []told         // where the authority has had …
	toldOf  donburi.Entity // … this body of this machine's player
	wrong   string         // the newest correction
	account *shot.Pane     // what the last frame drew, nil before the first
}

// New makes the pane of a session. Options are shared between panes and may change at any
// time.
func New(name string, g *island.Game, o *Options, s *Sprites) *Scene {
	return &Scene{
		Name: name, game: g, options: o, sprites: s, query: drawnQuery(),
		ground: ground{sprites: s, pieces: map[image.Point]*ebiten.Image{}},
	}
}

// Corrected notes that a prediction was wrong: it is told beside the figures.
func (s *Scene) Corrected(c tendon.Correction) {
	s.wrong = fmt.Sprintf("corrected: %s by %.2f, %d ticks again", c.Field, c.Size, c.Ticks)
}

// Draw draws one frame; it is a window.Pane's Draw.
func (s *Scene) Draw(r *tendon.Replication, screen *ebiten.Image) {
	s.account = &shot.Pane{Name: s.Name}
	s.look(r, screen.Bounds())
	screen.Fill(sea)
	s.ground.draw(screen, &s.camera)
	list := s.figures(r.World())
	for _, f := range list {
		s.drawShadow(screen, &f)
	}
	i := 0
	for ; i < len(list) && list[i].layer < air; i++ {
		s.drawFigure(screen, &list[i])
	}
	s.drawScenery(screen)
	for ; i < len(list); i++ {
		s.drawFigure(screen, &list[i])
	}
	if s.options.Circles {
		s.drawCircles(screen)
		s.drawMap(screen, list)
	}
	if s.options.Ghosts {
		s.drawGhosts(r, screen, list)
	}
	s.drawNames(r, screen, list)
	if s.options.Map {
		s.drawMates(r, screen)
	}
	s.drawHUD(r, screen)
	s.drawLoading(r, screen)
	if s.options.Figures {
		height := window.NetGraph(r, screen)
		b := screen.Bounds()
		s.noteBox(float64(b.Min.X), float64(b.Max.Y-height), float64(b.Dx()), float64(height))
	}
}

// look points the camera at this machine's player.
func (s *Scene) look(r *tendon.Replication, pane image.Rectangle) {
	s.camera.Pane, s.camera.Zoom = pane, s.zoom(pane)
	if me, ok := tendon.Mine(r, island.Walker); ok {
		at := place(me)
		if car, driving := island.ParentOf(me); driving {
			at = place(car)
		}
		s.camera.follow(at.Pos)
	} else if s.camera.At.IsZero() {
		s.camera.follow(island.Middle)
	}
	s.account.Box = boxOf(pane)
	s.account.Camera = shot.Camera{X: s.camera.At.X, Y: s.camera.At.Y, Zoom: s.camera.Zoom}
}

// zoom returns the pixels per unit. Without the circles nothing streams in within the
// view of a large pane; with them, both circles are in view, unless the pane is all but a
// line. The player's Zoom multiplies it.
func (s *Scene) zoom(pane image.Rectangle) float64 {
	if s.options.Circles {
		return s.options.Zoom * max(leastZoom, float64(min(pane.Dx(), pane.Dy()))/(2.1*island.Exit))
	}
	corner := math.Hypot(float64(pane.Dx()), float64(pane.Dy())) / 2
	return s.options.Zoom * max(1, corner/(island.Enter-5))
}

func (s *Scene) drawFigure(screen *ebiten.Image, f *figure) {
	img := s.sprites.images[f.sprite]
	radius := reach(img) * f.scale
	if !s.camera.Shows(f.pos, radius) {
		return
	}
	s.drawSprite(screen, img, f.pos, f.rot, f.scale, f.alpha)
	s.noteSprite(f, radius)
}

func (s *Scene) drawShadow(screen *ebiten.Image, f *figure) {
	if f.shadow == 0 || !s.camera.Shows(f.pos, 2*f.shadow) {
		return
	}
	img := s.sprites.images["shadow"]
	at := f.pos.Add(gmath.Vec{X: 3, Y: 5})
	scale := 2 * f.shadow / (float64(img.Bounds().Dx()) / palette.PixelsPerUnit)
	s.drawSprite(screen, img, at, 0, scale, 1)
	s.noteShadow(at, f.shadow)
}

// drawScenery draws the scenery, which consists of no nodes.
func (s *Scene) drawScenery(screen *ebiten.Image) {
	for _, t := range s.game.Scenery().Things {
		img := s.sprites.images[t.Kind]
		if radius := reach(img) * t.Scale; s.camera.Shows(t.Pos, radius) {
			s.drawSprite(screen, img, t.Pos, t.Rot, t.Scale, 1)
			s.noteRound(t.Pos, radius)
		}
	}
}

// drawSprite draws a picture around a place.
func (s *Scene) drawSprite(screen, img *ebiten.Image, at gmath.Vec, rot gmath.Rad, scale float64, alpha float32) {
	b := img.Bounds()
	k := s.camera.Zoom * scale / palette.PixelsPerUnit
	p := s.camera.Pixel(at)
	var op ebiten.DrawImageOptions
	op.Filter = ebiten.FilterLinear
	op.GeoM.Translate(-float64(b.Dx())/2, -float64(b.Dy())/2)
	op.GeoM.Rotate(float64(rot))
	op.GeoM.Scale(k, k)
	op.GeoM.Translate(p.X, p.Y)
	op.ColorScale.ScaleAlpha(alpha)
	screen.DrawImage(img, &op)
}

// reach returns the radius of a circle that encloses a picture, in units.
func reach(img *ebiten.Image) float64 {
	b := img.Bounds()
	return gmath.Vec{X: float64(b.Dx()), Y: float64(b.Dy())}.Len() / 2 / palette.PixelsPerUnit
}
