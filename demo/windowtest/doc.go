// Package windowtest tests the demo's window: it builds the program, starts an X server
// of its own, runs the program on it, and compares the picture that -shot writes with
// the account beside it and with the colours of the sprites. How windows of ecs/window end
// is tested with the program in quitter. The programs run as processes of their own, because
// Ebitengine opens one window in the life of a process and needs its main goroutine.
package windowtest
