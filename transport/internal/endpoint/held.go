package endpoint

// Held is what an endpoint keeps of others, for tests of its limits. Pending and
// Messages are those of the connection that has most.
type Held struct {
	Open, HalfOpen int // connections
	IDs, Questions int // what leads to them
	Inbox          int // bytes of packets that await the game
	Pending        int // bytes of segments that await a packet
	Messages       int // that wait for the reliable lane
}

// Held counts what the endpoint keeps, on the goroutine that polls.
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
	h.IDs, h.Questions = len(e.byID), len(e.asked)
	e.mu.RUnlock()
	e.inbox.mu.Lock()
	defer e.inbox.mu.Unlock()
	h.Inbox = len(e.inbox.fill.bytes) + recordSize*len(e.inbox.fill.records)
	return h
}
