package ecs_test

import (
	"strings"
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
)

type aimData struct {
	Name   string
	target *donburi.Entry
	In     struct {
		List []*donburi.Entry
		By   map[string]*donburi.Entry
	}
	Deep []aimData
}

// An entry that a component keeps while its place goes to an entity of another kind is named once. Nothing is said while
// the place is free, where a like entity has it, or where the holder goes as well or looks elsewhere.
func TestKeptEntries(t *testing.T) {
	aim := donburi.NewComponentType[aimData]().SetName("aim")
	for _, tc := range []struct {
		name, what string
		keep       func(a *aimData, e *donburi.Entry)
	}{
		{"nothing", "", func(*aimData, *donburi.Entry) {}},
		{"a field", "aim.target", func(a *aimData, e *donburi.Entry) { a.target = e }},
		{"a list", "aim.In.List", func(a *aimData, e *donburi.Entry) { a.In.List = []*donburi.Entry{nil, e} }},
		{"a map", "aim.In.By", func(a *aimData, e *donburi.Entry) { a.In.By = map[string]*donburi.Entry{"": e} }},
		{"in itself", "aim.Deep.target", func(a *aimData, e *donburi.Entry) { a.Deep = []aimData{{target: e}} }},
	} {
		var log journal
		m := newLab(t, lan).server(tendon.Config{Debug: true, Log: log.logger()})
		w := m.World()
		steps := func() {
			for range 3 {
				m.Receive()
				m.Send()
			}
		}
		said := func(when, what string) {
			t.Helper()
			steps()
			lines := 0
			for _, line := range log.lines() {
				if strings.Contains(line, `msg="entry of another entity"`) {
					if lines++; what == "" || !strings.Contains(line, "what="+what+" ") || !strings.Contains(line, "World.Valid") {
						t.Errorf("%s, %s: it says %q", tc.name, when, line)
					}
				}
			}
			if (what != "") != (lines == 1) {
				t.Errorf("%s, %s: %d lines", tc.name, when, lines)
			}
		}
		holder := w.Entry(w.Create(components.RplNode, Paint, aim))
		target := w.Create(Paint)
		tc.keep(aim.Get(holder), w.Entry(target))
		said("it is there", "")
		w.Remove(target)
		said("it has gone", "")
		target = w.Create(Paint)
		said("a like one has its place", "")
		gun := w.Entry(w.Create(components.RplNode, Body, aim))
		mount := w.Create(Paint)
		tc.keep(aim.Get(gun), w.Entry(mount))
		steps()
		w.Remove(mount)
		gun.Remove()
		w.Create(Paint, Local)
		w.Create(Paint, Local)
		said("the holder went as well", "")
		was := *aim.Get(holder)
		aim.SetValue(holder, aimData{})
		w.Remove(target)
		target = w.Create(Local)
		said("it looks elsewhere", "")
		aim.SetValue(holder, was)
		said("it looks there again", "")
		w.Remove(target)
		w.Create(Body)
		said("another has its place", tc.what)
		check(t, tc.name+": it is counted", *m.Counter("entry of another entity") > 0, tc.what != "")
	}
}
