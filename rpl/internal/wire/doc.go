// Package wire is what the authority and its clients must agree on beside the coding of rows.
// It belongs to neither, and the two share nothing else.
//
//	limits.go               every limit of the core, with its reason
//	config.go               what both configurations have
//	sink.go                 where packets and messages go
//	header.go, estimate.go  a packet's header, and times that are measured again and again
//	layout.go               which items a node has, as a number
//	twins.go                words that stand in several rows of a node
//	rpc.go                  calls; latest.go: which of them a newer one has overtaken
//	checksum.go, nack.go whether both ends have the same, and what is done if not
//	bitset.go, slab.go      sets of handles; rows in memory; sentset.go: which handles packets told of, runs.go: by runs
//	dump.go                 rows for people
package wire
