// Package loadtime keeps the load-time nodes of a session's world: those that every machine
// makes by itself under the same name, and of which only differences travel.
//
//	names.go    which there are, which were destroyed, and how they stood when they ended
//	shape.go    what each was built with, so that both ends number its items alike
//	buried.go   what was destroyed in a world that stays, for the next session
//	compare.go  the sets of two machines, when a client joins
package loadtime
