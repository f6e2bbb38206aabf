// Package palette lists every sprite of the demo, with its size and the solid colour of
// its middle. The drawing program paints with these colours, the scene finds sprites by
// these names, and the window's tests compare pictures with the colours.
package palette

import "image/color"

// PixelsPerUnit is the resolution of the sprites: two pixels for each unit of
// the island, so that they stay sharp when a window is zoomed in.
const PixelsPerUnit = 2

// A Sprite is one picture.
type Sprite struct {
	Name string
	W, H int // pixels
	// Core is the colour of the CoreSize × CoreSize pixels in the middle; no
	// two sprites that differ in kind share it.
	Core color.NRGBA
}

// CoreSize is the side of the solid square in the middle of a sprite, in
// pixels of the sprite.
const CoreSize = 8

// Variants is the number of colours of players and cars.
const Variants = 8

// Spheres is how many colours a sphere cycles through.
const Spheres = 9

// Team are the colours of players and their cars.
var Team = [Variants]color.NRGBA{
	{R: 0xe5, G: 0x3d, B: 0x4b, A: 0xff}, // red
	{R: 0x2f, G: 0x7d, B: 0xe8, A: 0xff}, // blue
	{R: 0xf2, G: 0x93, B: 0x1e, A: 0xff}, // orange
	{R: 0x8e, G: 0x4d, B: 0xd6, A: 0xff}, // violet
	{R: 0x12, G: 0xb5, B: 0xa6, A: 0xff}, // teal
	{R: 0xe8, G: 0x62, B: 0xb4, A: 0xff}, // pink
	{R: 0x7a, G: 0x5a, B: 0x3a, A: 0xff}, // brown
	{R: 0x3a, G: 0x46, B: 0x5c, A: 0xff}, // slate
}

// Sphere are the colours of spheres, in the order in which presses step through them.
var Sphere = [Spheres]color.NRGBA{
	{R: 0xff, G: 0x52, B: 0x52, A: 0xff},
	{R: 0xff, G: 0x9f, B: 0x40, A: 0xff},
	{R: 0xff, G: 0xe0, B: 0x4d, A: 0xff},
	{R: 0x9c, G: 0xec, B: 0x4f, A: 0xff},
	{R: 0x3d, G: 0xd6, B: 0x8c, A: 0xff},
	{R: 0x3f, G: 0xc8, B: 0xf0, A: 0xff},
	{R: 0x5a, G: 0x7d, B: 0xff, A: 0xff},
	{R: 0xa9, G: 0x6b, B: 0xff, A: 0xff},
	{R: 0xff, G: 0x6a, B: 0xd5, A: 0xff},
}

// Ground has the colours of each kind of ground: every pixel of a tile is one of them.
// Along shores two kinds blend.
var Ground = map[string][]color.NRGBA{
	"grass": {
		{R: 0x6d, G: 0xb3, B: 0x4e, A: 0xff},
		{R: 0x66, G: 0xab, B: 0x49, A: 0xff},
		{R: 0x77, G: 0xbb, B: 0x56, A: 0xff},
	},
	"sand": {
		{R: 0xe6, G: 0xd2, B: 0x9a, A: 0xff},
		{R: 0xdf, G: 0xc9, B: 0x8f, A: 0xff},
		{R: 0xec, G: 0xda, B: 0xa6, A: 0xff},
	},
	"water": {
		{R: 0x2b, G: 0x8f, B: 0xb8, A: 0xff},
		{R: 0x27, G: 0x86, B: 0xae, A: 0xff},
		{R: 0x35, G: 0x9a, B: 0xc2, A: 0xff},
	},
}
