// Package assets embeds the demo's pictures, which the program in assets/draw draws.
// png/LICENSES.md has a line for each.
package assets

import (
	"bytes"
	"embed"
	"fmt"
	"image"
	"image/png"
)

//go:generate go run ./draw png

//go:embed png
var files embed.FS

// Picture decodes the sprite with the given name, one of palette.Sprites.
func Picture(name string) (image.Image, error) {
	b, err := files.ReadFile("png/" + name + ".png")
	if err != nil {
		return nil, fmt.Errorf("assets: no picture %q; palette.Sprites lists them", name)
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("assets: %s: %w; `go generate ./assets` draws it anew", name, err)
	}
	return img, nil
}

// Licences returns the list of the pictures with the licence of each, in Markdown.
func Licences() (string, error) {
	b, err := files.ReadFile("png/LICENSES.md")
	return string(b), err
}
