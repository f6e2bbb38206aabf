package endpoint

// Held is the memory that other machines make an endpoint keep, for tests of its
// limits. Pending and Messages are each the maximum over the connections.
type Held struct {
	Open, HalfOpen int // connections
	Leaving, Left  int // connections whose goodbyes are being said; that were said, and may be asked for
	IDs, Questions int // entries of the maps that find connections
	Requests       int // INITs that await the worker or the next Poll
	Denials        int // refusals whose repeats are answered
	Inbox          int // bytes of packets that await the next Poll
	Pending        int // bytes of segments that await a packet
	Messages       int // messages that await the reliable lane
}

// Held counts what the endpoint keeps. Call it on the goroutine that polls.
func (e *Endpoint) Held() (h Held) {
	for _, c := range e.snapshot() {
		c.mu.Lock()
		switch c.state {
		case halfOpen:
			h.HalfOpen++
		case open:
			h.Open++
			h.Pending = max(h.Pending, c.lane.Pending())
			h.Messages = max(h.Messages, c.lane.Queued())
		}
		c.mu.Unlock()
	}
	e.mu.RLock()
	h.IDs, h.Questions, h.Leaving, h.Left = len(e.byID), len(e.asked), len(e.leaving), len(e.left)
	e.mu.RUnlock()
	e.desk.mu.Lock()
	h.Requests, h.Denials = len(e.desk.known), len(e.desk.denied.order)
	e.desk.mu.Unlock()
	e.inbox.mu.Lock()
	defer e.inbox.mu.Unlock()
	h.Inbox = len(e.inbox.fill.bytes) + recordSize*len(e.inbox.fill.records)
	return h
}
