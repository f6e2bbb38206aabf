// Command draw paints every sprite of the demo and writes them, with a list of their
// licences, into a folder; `go generate ./assets` runs it. The pictures depend on this
// code alone.
package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"

	"github.com/tendonengine/tendon/assets/palette"
)

// painters has a function for each kind of sprite. The kind is the sprite's name up to
// the first dash, so variants share a painter.
var painters = map[string]func(*canvas, palette.Sprite){
	"player": player, "car": car, "sheep": sheep, "chicken": chicken,
	"crate": crate, "tree": tree, "rock": rock, "bullet": bullet,
	"explosion": explosion, "coin": coin, "button": button, "plate": plate,
	"gate": gate, "post": post, "sphere": sphere, "shadow": shadow,
	"grass": grass, "sand": sand, "water": water,
}

func main() {
	dir := "png"
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	if err := write(dir); err != nil {
		fmt.Fprintf(os.Stderr, "draw: %v\n", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, s := range palette.Sprites() {
		var b bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, paint(s)); err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, s.Name+".png"), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "LICENSES.md"), []byte(licences()), 0o644)
}

// paint draws one sprite; the same sprite always gives the same picture.
func paint(s palette.Sprite) *image.NRGBA {
	c := newCanvas(s.W, s.H)
	kind, _, _ := strings.Cut(s.Name, "-")
	painters[kind](c, s)
	return c.img
}

func licences() string {
	var b strings.Builder
	b.WriteString("# Licences of the pictures\n\nAll are drawn by the program in `assets/draw`; `go generate ./assets` makes them anew.\n\n")
	b.WriteString("| file | origin | licence |\n|---|---|---|\n")
	for _, s := range palette.Sprites() {
		fmt.Fprintf(&b, "| %s.png | drawn by assets/draw | MIT, as the project |\n", s.Name)
	}
	return b.String()
}
