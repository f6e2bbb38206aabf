// Package window runs a game in an Ebitengine window. A game with a loop of its own does
// not need it.
//
// Run shows one session in a window; Split shows several side by side. Steps follow time:
// an unfocused window keeps stepping, and a slow one takes several steps for one drawn
// frame, 8 at most.
//
// Importing this package imports Ebitengine, which needs cgo and a display on Linux.
package window
