// Package schema turns Go types into words and back. What is declared of them is compiled
// once, to one table for each item type; that table drives reading, writing, comparing,
// tracing, hashing and documentation. It says nothing of how rows are streamed.
//
// What is declared:
//
//	schema.go               a schema; item.go: an item type, and the seam to programs without Go types; builder.go: such items
//	tag.go, untagged.go     what tags say, and what a field without one may be
//	args.go                 arguments of prefabs and RPCs; codec.go: a user's own kind of value; opt.go: values that may be absent
//	limits.go, faults.go    what a schema may hold; its mistakes, told together; errors.go: what callers tell apart
//
// Compiling it:
//
//	walk.go, layout.go      one Go type; resolve.go, freeze.go: names and all that follows;
//	                        reckon.go: what functions may move
//	leaf.go                 fields of words: int.go, float.go, quant.go
//	var.go                  values of variable length: var_text.go, var_textdelta.go, var_list.go, var_align.go,
//	                        var_pair.go, var_script.go, var_map.go, var_mapkey.go, var_mapdelta.go, var_row.go
//	digest.go               what both ends compare; digest_explain.go, describe.go: for people
//
// In each tick:
//
//	shadow.go               whether a component has changed at all; apart.go: by how much what two machines
//	                        computed differs
//	extract.go, extract_fast.go
//	                        a component to words; inject.go: words to a component
//	recall.go, repoint.go   references in values of variable length
package schema
