package scene

import (
	"bytes"
	"fmt"
	"image"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/text/v2"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"

	"github.com/tendonengine/tendon/assets"
	"github.com/tendonengine/tendon/assets/palette"
)

// Sprites are the pictures and fonts of all panes: load them once.
type Sprites struct {
	images map[string]*ebiten.Image
	tiles  map[string]image.Image // the ground is baked from these
	small  *text.GoTextFace
	bold   *text.GoTextFace
	large  *text.GoTextFace
}

// Load decodes the embedded pictures and fonts.
func Load() (*Sprites, error) {
	s := &Sprites{images: map[string]*ebiten.Image{}, tiles: map[string]image.Image{}}
	for _, sprite := range palette.Sprites() {
		img, err := assets.Picture(sprite.Name)
		if err != nil {
			return nil, fmt.Errorf("scene: %w", err)
		}
		if palette.Ground[sprite.Name] != nil {
			s.tiles[sprite.Name] = img
			continue
		}
		s.images[sprite.Name] = ebiten.NewImageFromImage(img)
	}
	// Go and Go Bold, under the licence of the Go fonts.
	regular, err := text.NewGoTextFaceSource(bytes.NewReader(goregular.TTF))
	if err != nil {
		return nil, fmt.Errorf("scene: letters: %w", err)
	}
	heavy, err := text.NewGoTextFaceSource(bytes.NewReader(gobold.TTF))
	if err != nil {
		return nil, fmt.Errorf("scene: letters: %w", err)
	}
	s.small = &text.GoTextFace{Source: regular, Size: 12}
	s.bold = &text.GoTextFace{Source: heavy, Size: 14}
	s.large = &text.GoTextFace{Source: heavy, Size: 24}
	return s, nil
}
