// Package proxy is the core of a client: packets become the state of the nodes that the
// authority shows, and what has changed is reported to the adapter. It shares the wire with an
// authority, and nothing else.
//
// The files in the order of the data:
//
//	proxy.go, config.go     what there is, and the calls of a tick; history.go: which packets were read; tickestimate.go: the
//	                        authority's tick; complete.go: of which ticks all has come that is predicted here
//	decode.go               a packet into the stage; decodearrival.go, decodeupdate.go: its arrivals and updates; line.go: the versions that they build on
//	commit.go               the stage into nodes and rows, whole
//	replica.go              a node; replicarow.go, replicaversion.go: its rows and their versions; versionslab.go: in memory
//	report.go               what is reported to the adapter; recall.go: values of variable length that it was given
//	proxysend.go            acks and calls for the authority; fragment.go: long messages in fragments
//
// What goes wrong:
//
//	checksum.go             whether both ends have the same; keyframerequest.go, resync.go: what is asked for again
//	trace.go                packets for people; faults.go: what tests do to a client
package proxy
