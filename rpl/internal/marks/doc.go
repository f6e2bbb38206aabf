// Package marks says which handles of a peer must be looked at when a send is planned, and takes
// them in batches. What a mark is for is not its business.
//
//	marks.go    Set: two marks a handle; Batch: marked handles that are planned together
package marks
