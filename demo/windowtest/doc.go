// Package windowtest tests the demo's window: it builds the program, starts an X server
// of its own, runs the program on it, and compares the picture that -shot writes with
// the account beside it and with the colours of the sprites. How windows of ecs/window end
// is tested with the program in quitter. Package windowtest does not import Ebitengine,
// because its import alone panics without a display.
package windowtest
