package main

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/tendonengine/tendon/demo/island"
)

// report is what happened in a run, as numbers.
type report struct {
	Mode          string  `json:"mode"`
	Transport     string  `json:"transport"` // the transport's name for itself
	Seconds       float64 `json:"seconds"`   // played
	Ticks         uint32  `json:"ticks"`
	Clients       int     `json:"clients"`
	Nodes         int     `json:"nodes"`         // in the server's world
	StreamIns     uint64  `json:"stream_ins"`    // of all clients
	StreamOuts    uint64  `json:"stream_outs"`   // of all clients
	RPCs          uint64  `json:"rpcs"`          // RPCs that ran on the server
	StatePackets  uint64  `json:"state_packets"` // from the server
	BytesOut      uint64  `json:"bytes_out"`     // from the server, UDP payload
	KbpsPerClient float64 `json:"kbps_per_client"`
	RTT           float64 `json:"rtt_ms"` // measured, mean of the clients
	Loss          float64 `json:"loss"`   // measured, share of the server's packets
	QuietMS       int64   `json:"quiet_ms"`
	Mismatches    int     `json:"mismatches"`

	first string // the first mismatch
}

// A meter samples the connections twice a second and averages, because their present
// figures say little of the whole run.
type meter struct {
	next  time.Time
	count int
	rtt   time.Duration
	loss  float64
}

func (m *meter) sample(s *session) {
	if s.server == nil || time.Now().Before(m.next) {
		return
	}
	m.next = time.Now().Add(time.Second / 2)
	for p := range s.server.rep.Peers() {
		st := s.server.rep.Stats(p)
		if st.RTT == 0 {
			continue
		}
		m.count++
		m.rtt += st.RTT
		m.loss += st.Loss
	}
}

// report sums up what was played so far.
func (s *session) report() report {
	r := report{Mode: "client", Seconds: time.Since(s.began).Seconds()}
	for _, b := range s.bots {
		if b.rep.Me() != 0 {
			r.Clients++
		}
		r.StreamIns += *b.rep.Counter("stream in")
		r.StreamOuts += *b.rep.Counter("stream out")
		r.Transport = b.rep.Stats(0).Conn.Transport
	}
	if s.server == nil {
		return r
	}
	rep := s.server.rep
	r.Mode, r.Ticks, r.Nodes = "dedicated", uint32(rep.Tick()), len(nodesOf(rep))
	r.RPCs = *rep.Counter(island.CountCalls)
	for p := range rep.Peers() {
		c := rep.Stats(p).Conn
		r.Transport = c.Transport
		r.StatePackets += c.PacketsOut
		r.BytesOut += c.BytesOut
	}
	if r.Clients > 0 {
		r.KbpsPerClient = float64(r.BytesOut) * 8 / 1000 / r.Seconds / float64(r.Clients)
	}
	if n := s.meter.count; n > 0 {
		r.RTT = float64(s.meter.rtt.Microseconds()) / 1000 / float64(n)
		r.Loss = s.meter.loss / float64(n)
	}
	return r
}

func (r *report) writeJSON(w io.Writer) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", b)
	return err
}

// tell prints the report in sentences.
func (r *report) tell(w io.Writer) error {
	lines := fmt.Sprintf("Played %.1f s as %s: %d steps, %d nodes, %d bots.\n", r.Seconds, r.Mode, r.Ticks, r.Nodes, r.Clients)
	if r.Clients > 0 {
		lines += fmt.Sprintf("Nodes streamed in %d times and out %d times; %d calls came from the clients.\n", r.StreamIns, r.StreamOuts, r.RPCs)
	}
	switch {
	case r.StatePackets == 0:
	case r.Clients == 0: // players alone, who are not asked what they see
		lines += fmt.Sprintf("The server sent %d packets over %s to those who are still here, %.1f kB in all.\n",
			r.StatePackets, r.Transport, float64(r.BytesOut)/1000)
	default:
		lines += fmt.Sprintf("The server sent %d packets over %s, %.1f kB in all, %.1f kbit/s to each client; the round trip was %.0f ms, the loss %.1f %%.\n",
			r.StatePackets, r.Transport, float64(r.BytesOut)/1000, r.KbpsPerClient, r.RTT, 100*r.Loss)
		lines += fmt.Sprintf("Then the world stood still: after %d ms %s.\n", r.QuietMS, equality(r.Mismatches))
	}
	_, err := io.WriteString(w, lines)
	return err
}

func equality(mismatches int) string {
	if mismatches == 0 {
		return "every client saw exactly what it should"
	}
	return fmt.Sprintf("%d things still differed", mismatches)
}
