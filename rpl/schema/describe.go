package schema

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// Describe returns the schema as a table for people: components, their fields, and
// what these take on the wire; prefabs, RPCs, groups. Valid after Freeze.
func (s *Schema) Describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "schema %s, %d ticks per second, hash %016x\n", s.name, s.hz, s.hash)
	for _, it := range s.items {
		b.WriteString("\n" + it.Describe())
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, p := range s.prefabs {
		fmt.Fprintf(w, "\nprefab %s\t%s", p.Name, p.Args.describe())
	}
	for _, r := range s.rpcs {
		fmt.Fprintf(w, "\nrpc %s\t%s, %s, %s", r.Name, r.Args.describe(), targetNames[r.To], laneNames[r.Lane])
	}
	for i := range s.groups { // in the order of names, like all else
		g, _ := s.GroupAt(i)
		fmt.Fprintf(w, "\ngroup %s", s.groups[g-ids.FirstGroup])
	}
	w.Flush()
	return strings.TrimRight(b.String(), "\n") + "\n"
}

var (
	targetNames = map[ids.Target]string{ids.ToServer: "to server", ids.ToOwner: "to owner", ids.Broadcast: "broadcast", ids.Everywhere: "everywhere"}
	laneNames   = map[ids.Lane]string{ids.Reliable: "reliable", ids.Unreliable: "unreliable"}
)

// Describe returns the item as a table, one line per prop.
func (t *ItemType) Describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "component %s: %s", t.Name, count(len(t.Words), "word"))
	if len(t.Vars) > 0 {
		fmt.Fprintf(&b, ", %s", count(len(t.Vars), "var"))
	}
	if t.Explicit {
		b.WriteString(", explicit")
	}
	if t.Reckoned {
		b.WriteString(", reckoned")
	}
	b.WriteByte('\n')
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for i := range t.Props {
		p := &t.Props[i]
		fmt.Fprintf(w, "  %s\t%s\t%s", p.Name, t.Layout.describeProp(i), p.predicted(t))
		fmt.Fprintln(w)
	}
	w.Flush()
	return trimLines(b.String())
}

// predicted names the velocity of a prop, "" if it has none.
func (p *Prop) predicted(t *ItemType) string {
	if p.Words[0] == p.Words[1] {
		return ""
	}
	switch w := &t.Words[p.Words[0]]; {
	case w.Velocity >= 0:
		return fmt.Sprintf("grows with %s × %d/2³² a tick", t.Props[t.Words[w.Velocity].Prop].Name, w.Rate)
	case w.VelocityItem != "":
		return fmt.Sprintf("grows with a word of %s × %d/2³² a tick", w.VelocityItem, w.Rate)
	}
	return ""
}

func (t *ArgType) describe() string {
	if t.None() {
		return "no arguments"
	}
	return t.lay.describe()
}

// trimLines removes trailing blanks from each line.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
