// Package space is the index of places that a game's questions are answered by: what is in a
// rectangle, within a radius, nearest, what a shape touches, what a ray hits. It knows what
// is in it by numbers that its user chooses, and nothing of worlds and entities.
//
//	shape.go    shapes, and the exact tests that decide
//	index.go    what is in the index: levels by size, and how the size of cells follows the density
//	level.go    one grid: cells in pages, found by a hash of where they are
//	find.go     rectangles and circles
//	nearest.go  the nearest few
//	ray.go      the first hit of a ray
package space
