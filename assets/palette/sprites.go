package palette

import (
	"fmt"
	"image/color"
)

// Sprites lists every picture in a fixed order.
func Sprites() []Sprite {
	list := []Sprite{
		{"sheep", 64, 56, rgb(0xf6f1e4)},
		{"chicken", 44, 40, rgb(0xc9651e)},
		{"crate", 60, 60, rgb(0xc48a4a)},
		{"tree", 168, 168, rgb(0x2f7a3b)},
		{"rock", 112, 96, rgb(0x9a9ea6)},
		{"bullet", 24, 12, rgb(0xfff3b0)},
		{"explosion", 208, 208, rgb(0xfffbe6)},
		{"coin", 32, 32, rgb(0xffc93c)},
		{"button", 52, 52, rgb(0xd92f2f)},
		{"button-down", 52, 52, rgb(0x8f1d1d)},
		{"plate", 112, 112, rgb(0x6f7d8c)},
		{"plate-down", 112, 112, rgb(0x4fbf8b)},
		{"gate", 160, 28, rgb(0x7b4a22)},
		{"post", 28, 28, rgb(0x8a5a2c)},
		{"shadow", 64, 64, color.NRGBA{A: 0x50}},
		{"grass", 64, 64, Ground["grass"][0]},
		{"sand", 64, 64, Ground["sand"][0]},
		{"water", 64, 64, Ground["water"][0]},
	}
	for i, c := range Team {
		list = append(list,
			Sprite{Name: fmt.Sprintf("player-%d", i), W: 64, H: 56, Core: c},
			Sprite{Name: fmt.Sprintf("car-%d", i), W: 152, H: 88, Core: lighter(c)})
	}
	for i, c := range Sphere {
		list = append(list, Sprite{Name: fmt.Sprintf("sphere-%d", i), W: 56, H: 56, Core: c})
	}
	return list
}

// Core returns the solid colour of a sprite's middle; false if no sprite has that name.
func Core(name string) (color.NRGBA, bool) {
	for _, s := range Sprites() {
		if s.Name == name {
			return s.Core, true
		}
	}
	return color.NRGBA{}, false
}

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 0xff}
}

// lighter moves c a quarter of the way to white.
func lighter(c color.NRGBA) color.NRGBA {
	up := func(v uint8) uint8 { return v + (0xff-v)/4 }
	return color.NRGBA{R: up(c.R), G: up(c.G), B: up(c.B), A: c.A}
}
