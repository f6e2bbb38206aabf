package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/tendonengine/tendon/rpl"
)

// A lab's peers come in and are told of what they see, at every kind of scene.
func TestLab(t *testing.T) {
	for name, s := range map[string]scene{
		"all is seen":   {nodes: 50, peers: 2, explicit: true, moving: 5, seed: 1},
		"a radius":      {nodes: 300, peers: 3, sees: 20, moving: 30, roaming: true, seed: 2},
		"two observers": {nodes: 300, peers: 2, sees: 20, observers: 2, explicit: true, seed: 3},
		"a policy":      {nodes: 300, peers: 2, sees: 20, interest: circle{rpl.Grid{Enter: radius, Exit: 1.1 * radius}}, sends: 20, seed: 4},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := newLab(s)
			if err != nil {
				t.Fatal(err)
			}
			defer l.close()
			for i, c := range l.clients {
				if c.Me() == 0 || c.World().Len() < 2 {
					t.Errorf("client %d is peer %d and has %d entities", i, c.Me(), c.World().Len())
				}
			}
			l.timeStages()
			if samples := l.measure(5); len(samples) != 5 || l.stages.stream <= 0 {
				t.Errorf("%d samples, stream stage %v", len(samples), l.stages.stream)
			}
			if _, err := l.joinCost(1); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestArguments(t *testing.T) {
	var out, errs strings.Builder
	if code := run([]string{"-only", "z"}, &out, &errs); code != exitUsage || !strings.Contains(errs.String(), `no row "z"`) {
		t.Errorf("an unknown row ends with %d: %s", code, errs.String())
	}
	chosen, err := choose("a, f8")
	if err != nil || len(chosen) != 2 || chosen[1].name != "f8" {
		t.Errorf("two rows: %v, %v", chosen, err)
	}
}

// The last line is one JSON object with a row's figures by its name.
func TestOutput(t *testing.T) {
	defer func(was []row) { rows = was }(rows)
	rows = []row{{"x", "a row", func(uint64) (any, error) { return sendTimes{1, 2}, nil }}}
	var out, errs strings.Builder
	if code := run([]string{"-json"}, &out, &errs); code != 0 {
		t.Fatalf("it ends with %d: %s", code, errs.String())
	}
	var got map[string]sendTimes
	if err := json.Unmarshal([]byte(out.String()), &got); err != nil || got["x"].MedianMs != 2 {
		t.Errorf("%s: %v", out.String(), err)
	}
}

// The picture of the curves is XML with a point for each figure, within its panel.
func TestCurvesAreDrawn(t *testing.T) {
	charts := []chart{
		{"over nodes & such", "nodes", []point{{1000, 95}, {10_000, 180}, {100_000, 1200}}},
		{"over peers", "peers", []point{{16, 80}, {1000, 9000}}},
	}
	d := xml.NewDecoder(strings.NewReader(svg(charts)))
	points := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok || e.Name.Local != "circle" {
			continue
		}
		points++
		for _, a := range e.Attr {
			v, most := 0.0, map[string]float64{"cx": 2 * panelW, "cy": panelH}[a.Name.Local]
			if _, err := fmt.Sscan(a.Value, &v); most > 0 && (err != nil || v < up || v > most-right) {
				t.Errorf("a point has %s=%q", a.Name.Local, a.Value)
			}
		}
	}
	if points != 5 {
		t.Errorf("%d points are drawn, not 5", points)
	}
}
