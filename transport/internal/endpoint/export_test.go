package endpoint

// Held is what an endpoint holds: connections, what leads to them, bytes of
// packets that await the game, segments that await a packet, messages queued.
func (e *Endpoint) Held() (opened, waiting, ids, questions, inbox, pending, messages int, dropped uint64) {
	for _, c := range e.conns {
		switch c.state {
		case halfOpen:
			waiting++
		case open:
			opened++
			pending = max(pending, c.lane.Pending())
			messages = max(messages, c.lane.Queued())
		}
	}
	e.inbox.mu.Lock()
	defer e.inbox.mu.Unlock()
	return opened, waiting, len(e.byID), len(e.asked), len(e.inbox.fill.bytes), pending, messages, e.inbox.dropped
}
