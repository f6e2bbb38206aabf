// Package window runs a game in an Ebitengine window. A game with a loop of its
// own does not need it.
//
// Run is one session in a window; Split is several beside each other, each a
// session of its own. Steps follow time: an unfocused window keeps stepping, and
// a slow one takes several steps for one drawn frame, 8 at most.
//
// Importing it imports Ebitengine, which needs cgo and a display on Linux.
package window
