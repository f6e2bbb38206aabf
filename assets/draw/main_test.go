package main

import (
	"image"
	"image/color"
	"strings"
	"testing"

	"github.com/tendonengine/tendon/assets"
	"github.com/tendonengine/tendon/assets/palette"
)

// The embedded pictures are those that this program draws. A channel may differ by two
// steps of 255, because floats round differently where the compiler fuses multiply and
// add.
func TestEmbeddedPicturesAreDrawnHere(t *testing.T) {
	licences, err := assets.Licences()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range palette.Sprites() {
		got, err := assets.Picture(s.Name)
		if err != nil {
			t.Error(err)
			continue
		}
		want := paint(s)
		if got.Bounds() != want.Bounds() {
			t.Errorf("%s is %v, drawn %v; run go generate ./assets", s.Name, got.Bounds(), want.Bounds())
			continue
		}
		if at, differs := difference(got, want, 2); differs {
			t.Errorf("%s differs at %v from what is drawn; run go generate ./assets", s.Name, at)
		}
		if !strings.Contains(licences, "| "+s.Name+".png |") {
			t.Errorf("%s has no line in LICENSES.md", s.Name)
		}
	}
}

// The middle of each sprite has one solid colour, because the window's tests compare
// screenshots with it.
func TestCoresAreSolid(t *testing.T) {
	for _, s := range palette.Sprites() {
		if palette.Ground[s.Name] != nil || s.Name == "shadow" {
			continue
		}
		img := paint(s)
		const half = palette.CoreSize/2 - 1
		for dy := -half; dy < half; dy++ {
			for dx := -half; dx < half; dx++ {
				if got := img.NRGBAAt(s.W/2+dx, s.H/2+dy); got != s.Core {
					t.Fatalf("%s: %v at %d,%d of the middle, want %v", s.Name, got, dx, dy, s.Core)
				}
			}
		}
	}
}

func TestCoresOfDifferentKindsDiffer(t *testing.T) {
	seen := map[color.NRGBA]string{}
	for _, s := range palette.Sprites() {
		if other := seen[s.Core]; other != "" {
			t.Errorf("%s and %s have the same core %v", s.Name, other, s.Core)
		}
		seen[s.Core] = s.Name
	}
}

func difference(a, b image.Image, tolerance int) (at image.Point, differs bool) {
	r := a.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			p := color.NRGBAModel.Convert(a.At(x, y)).(color.NRGBA)
			q := color.NRGBAModel.Convert(b.At(x, y)).(color.NRGBA)
			if far(p.R, q.R, tolerance) || far(p.G, q.G, tolerance) || far(p.B, q.B, tolerance) || far(p.A, q.A, tolerance) {
				return image.Pt(x, y), true
			}
		}
	}
	return image.Point{}, false
}

func far(a, b uint8, tolerance int) bool {
	return int(a)-int(b) > tolerance || int(b)-int(a) > tolerance
}
