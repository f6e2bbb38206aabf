// Package windowtest starts the demo as a player does and looks at its window.
// It does not import Ebitengine, whose import alone panics without a display: it
// builds the program, starts an X server of its own, and compares the picture
// that -shot writes with the account beside it and with the art's colours.
package windowtest
