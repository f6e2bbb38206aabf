package scene

import (
	"image"
	"image/color"
	"math"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/quasilyte/gmath"

	"github.com/tendonengine/tendon/assets/palette"
	"github.com/tendonengine/tendon/demo/island"
)

// The ground is baked in square pieces, one pixel per unit, when the camera first comes
// near; baking the whole island at once would take a second.
const (
	piece   = 256 // units, and pixels, of a side
	lattice = 8   // units between two places whose height is computed

	// around is how far beyond the map the sea is drawn, in units: as far as a pane shows
	// from the map's edge at the farthest zoom.
	around = 4 * island.Enter
)

// ground is what lies under everything: the pieces that were baked so far.
type ground struct {
	sprites *Sprites
	pieces  map[image.Point]*ebiten.Image
}

// draw covers the pane where there is an island or the sea around it. What a wide pane
// shows beyond is left as it is.
func (g *ground) draw(screen *ebiten.Image, c *Camera) {
	from := c.Place(gmath.Vec{X: float64(c.Pane.Min.X), Y: float64(c.Pane.Min.Y)})
	to := c.Place(gmath.Vec{X: float64(c.Pane.Max.X), Y: float64(c.Pane.Max.Y)})
	for y := pieceOf(from.Y); y <= pieceOf(to.Y); y++ {
		for x := pieceOf(from.X); x <= pieceOf(to.X); x++ {
			var op ebiten.DrawImageOptions
			op.GeoM.Scale(c.Zoom, c.Zoom)
			at := c.Pixel(gmath.Vec{X: float64(x * piece), Y: float64(y * piece)})
			op.GeoM.Translate(at.X, at.Y)
			screen.DrawImage(g.piece(image.Pt(x, y)), &op)
		}
	}
}

// pieceOf returns the piece in which a coordinate lies, or the nearest one that is drawn.
func pieceOf(v float64) int {
	return int(math.Floor(max(-around, min(v, island.Size+around)) / piece))
}

func (g *ground) piece(at image.Point) *ebiten.Image {
	if img := g.pieces[at]; img != nil {
		return img
	}
	img := ebiten.NewImage(piece, piece)
	img.WritePixels(g.bake(at).Pix)
	g.pieces[at] = img
	return img
}

// bake paints one piece. Heights are computed on a lattice and interpolated linearly in
// between.
func (g *ground) bake(at image.Point) *image.RGBA {
	var h [piece/lattice + 1][piece/lattice + 1]float64
	for j := range h {
		for i := range h[j] {
			h[j][i] = island.Height(gmath.Vec{
				X: float64(at.X*piece + i*lattice), Y: float64(at.Y*piece + j*lattice),
			})
		}
	}
	img := image.NewRGBA(image.Rect(0, 0, piece, piece))
	for y := range piece {
		for x := range piece {
			i, j := x/lattice, y/lattice
			fx, fy := float64(x%lattice)/lattice, float64(y%lattice)/lattice
			height := (h[j][i]*(1-fx)+h[j][i+1]*fx)*(1-fy) + (h[j+1][i]*(1-fx)+h[j+1][i+1]*fx)*fy
			place := gmath.Vec{X: float64(at.X*piece + x), Y: float64(at.Y*piece + y)}
			img.SetRGBA(x, y, g.colour(place, height))
		}
	}
	return img
}

// colour returns the ground's colour at a place: its tile's, or that of a line along the
// shore.
func (g *ground) colour(p gmath.Vec, height float64) color.RGBA {
	foam := color.RGBA{R: 0xd8, G: 0xf0, B: 0xf4, A: 0xff}
	wet := color.RGBA{R: 0xc9, G: 0xb2, B: 0x7c, A: 0xff}
	switch {
	case height >= -5 && height < 0:
		return foam
	case height >= 0 && height < 6:
		return wet
	}
	kind := island.GroundFor(p, height).String()
	tile := g.sprites.tiles[kind]
	r, gr, b, _ := tile.At(int(p.X)&63, int(p.Y)&63).RGBA()
	return color.RGBA{R: uint8(r >> 8), G: uint8(gr >> 8), B: uint8(b >> 8), A: 0xff}
}

// sea is drawn where there is no island at all.
var sea = palette.Ground["water"][0]
