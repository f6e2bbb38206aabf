// Package send sends the peers the nodes that they shall have, and keeps what each is known
// to have by its acks. Schedule plans the packets of all peers on one goroutine, so that an
// update that was coded once serves all peers with the same baseline; Encode packs what was
// planned for one peer.
//
// The files in the order of the data:
//
//	sender.go                   what there is, by name: Sender, and its parts tables, updates, planner, calls, receiver
//	peer.go                     what is kept of one peer; handle.go: of one node at a peer, lives.go: what is unusual
//	                            of how that comes and goes; trim.go: what is given back after a burst; connect.go: peers come and go; holders.go: what becomes of
//	                            a node at its holders; sharedhandles.go: handles that peers have in common
//	receive.go                  what peers send, and ask for again; acked.go: what acks and losses mean;
//	                            resync.go: what comes anew
//	rpc.go, waiting.go          calls
//	schedule.go                 the plan of a send; queue.go: the order of arrivals; afford.go: what the room
//	                            pays for; checksum.go: what is compared
//	update.go, plain.go, line.go
//	                            updates of any node, and of the usual one, and from what their lines start;
//	                            predicts.go, counts.go: of what a peer predicts, and of what counts;
//	                            cohort.go: of peers in the same state;
//	                            ownership.go, priority.go, copies.go: which of them go first, or again;
//	                            rates.go: which are sent less often
//	arrival.go                  nodes that the peer does not have; last.go: what those that go were in the end
//	bundle.go, recordsent.go, bases.go
//	                            what is planned, noted as sent, and remembered as a base; order.go: its order;
//	                            ahead.go: reading ahead
//	fit.go, heading.go          when code tables are learned, and how they reach the peers
//	encode.go, block.go         packets of what was planned; what no packet holds; again.go: names by runs
//	tally.go                    what is counted (package figures)
package send
