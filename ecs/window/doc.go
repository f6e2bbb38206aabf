// Package window runs a game in an Ebitengine window. A game with a loop of its own does
// not need it.
//
// Run shows one session in a window; Split shows several side by side. Steps follow time:
// an unfocused window keeps stepping, and a slow one takes several steps for one drawn
// frame, 8 at most. While the window stands, as when it is dragged in Windows, steps go on.
//
// Importing this package imports Ebitengine. It builds without cgo; on Linux a program that
// imports it loads the C library when it starts, and libX11 and OpenGL when it opens a window.
// A dedicated server does not import it.
package window
