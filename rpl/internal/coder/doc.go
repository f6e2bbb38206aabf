// Package coder turns rows into symbols, and symbols into rows. What it knows beyond the row
// types are the code tables, which the authority learns from its traffic and sends. Whose
// the rows are, and what packet holds them, is not its business.
//
// The files in the order of the data:
//
//	record.go                   a row against its base, or by itself: CodeUpdate, AppendKey
//	recordcoder.go              writing one; recordread.go: reading one
//	pattern.go, magnitude.go    which words differ, and by how much
//	update.go, name.go          which rows a packet carries, and of which node; arrival.go: its first state
//	line.go, heading.go, class.go
//	                            what a learned model expects of lines, angles, and context classes
//	source.go                   … and to which values words leap
//	levels.go                   what updates would take with tables fitted to them
//
// The tables:
//
//	coding.go, model.go         what the schema decides; all tables of the stream
//	defaults.go                 those before anything is learned
//	learn.go                    what is counted; fitter.go: tables that fit it; fit.go, fitting.go: what they save, and
//	                            a fit over some ticks
//	tableset.go, tables.go, tables_lists.go, tables_build.go
//	                            tables as they are sent, and the model that both ends build of them
package coder
