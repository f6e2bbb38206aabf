package send

// What an entry of a packet is about.
const (
	recRow     = iota // a version of a row
	recArrival        // a node; the versions of its rows come before it as recRow
	recRemoval
	recOwnership   // owner and parent
	recForget      // a row is taken away from the peer
	recLayout      // the definition of a layout: handle is its number, ver its edition
	recSpeculative // a version of a row that builds on an arrival that is not acked
	recCheck       // a checksum that the peer asked for
)
