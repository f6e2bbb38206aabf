package play

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
)

// A Report has the figures of a run. Its JSON is the last line that the bench prints.
// The bench's README.md defines each figure.
type Report struct {
	Trace   string  `json:"trace"`
	Clients int     `json:"clients"`
	Sends   int     `json:"sends"`
	Nodes   float64 `json:"nodes_mean"`

	Payload    float64 `json:"payload_bytes_per_send_mean"`
	PayloadP99 int     `json:"payload_bytes_per_send_p99"`
	Wire       float64 `json:"wire_bytes_per_send_mean"`
	Up         float64 `json:"up_bytes_per_send_mean"`
	FirstFull  float64 `json:"first_full_bytes"`

	ServerMs    float64 `json:"server_ms_per_send"`
	ServerMsP99 float64 `json:"server_ms_per_send_p99"`
	ExtractMs   float64 `json:"extract_ms_per_send"`
	EncodeNs    float64 `json:"encode_ns_per_entity_client"`
	DecodeNs    float64 `json:"decode_ns_per_changed"`

	AllocsServer  float64 `json:"allocs_per_send_server"`
	AllocsClient  float64 `json:"allocs_per_send_client"`
	HeapPerClient int64   `json:"heap_bytes_per_client"`

	StreamIns      int     `json:"stream_ins"`
	StreamOuts     int     `json:"stream_outs"`
	SendsPerChange float64 `json:"sends_per_change"`
	ArrivalP99     float64 `json:"arrival_ms_p99"`
	AgeP99         float64 `json:"age_ms_p99"`
	AgeMax         float64 `json:"age_ms_max"`
	BudgetExcess   float64 `json:"budget_excess_max"`
	Oversize       int     `json:"dropped_oversize"`
	QuietMs        float64 `json:"quiet_ms"`
	Extract        string  `json:"extract"`
	Mismatches     int     `json:"mismatches"`

	// Not in the JSON; some of it is in the printed table.
	Split   Split      `json:"-"`
	Kinds   Mismatches `json:"-"`
	Refused int        `json:"-"` // packets that a client could not read
	Short   int        `json:"-"` // clients measured on fewer than half of the trace's sends
}

// Split has the median processor time of each stage of a send, in ms.
type Split struct{ Receive, Extract, Stream, Schedule, Encode float64 }

// JSON returns the report as one line.
func (r Report) JSON() string {
	b, err := json.Marshal(r)
	if err != nil {
		panic(err) // numbers and strings always marshal; none is NaN
	}
	return string(b)
}

// Print writes the report as a table.
func (r Report) Print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, format string, v ...any) { fmt.Fprintf(t, "%s\t%s\n", name, fmt.Sprintf(format, v...)) }
	row("trace", "%s, extracted %s, %d clients, %.1f nodes each, %d sends measured", r.Trace, r.Extract, r.Clients, r.Nodes, r.Sends)
	row("payload a send", "%.1f bytes, p99 %d; on the wire %.1f; up %.1f", r.Payload, r.PayloadP99, r.Wire, r.Up)
	row("to join", "%.0f bytes", r.FirstFull)
	row("server a send", "%.3f ms, p99 %.3f: receive %.3f, extract %.3f, stream %.3f, schedule %.3f, encode %.3f", r.ServerMs, r.ServerMsP99,
		r.Split.Receive, r.Split.Extract, r.Split.Stream, r.Split.Schedule, r.Split.Encode)
	row("encode", "%.1f ns per entity and client", r.EncodeNs)
	row("decode", "%.1f ns per record applied", r.DecodeNs)
	row("allocations a send", "server %.3g, clients %.3g (-1: no steady tick)", r.AllocsServer, r.AllocsClient)
	row("heap", "%d bytes per client", r.HeapPerClient)
	row("streamed", "%d in, %d out; arrival p99 %.1f ms", r.StreamIns, r.StreamOuts, r.ArrivalP99)
	row("sends per change", "%.4f", r.SendsPerChange)
	row("age", "p99 %.1f ms, max %.1f ms", r.AgeP99, r.AgeMax)
	row("budget", "worst excess %.1f bytes; %d packets too long", r.BudgetExcess, r.Oversize)
	row("quiet", "after %.1f ms", r.QuietMs)
	row("mismatches", "%d: %+v; %d packets refused", r.Mismatches, r.Kinds, r.Refused)
	t.Flush()
}
