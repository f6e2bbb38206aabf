package ecs_test

// OnChange where other callbacks have changed the same component since.

import (
	"fmt"
	"strings"
	"testing"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
)

// What OnChange gives as old is what a game saw last, and what is as it was is not told:
// what other callbacks do to it meanwhile is part of the same change.
func TestChangedByAnotherCallback(t *testing.T) {
	for _, c := range []struct {
		in, back uint8 // what the step and what a callback make it
		want     string
	}{
		{5, 6, "1 to 6"},
		{5, 1, ""},
		{1, 6, "1 to 6"},
	} {
		t.Run(fmt.Sprintf("%d, then %d", c.in, c.back), func(t *testing.T) {
			l := newLab(t, lan)
			m := l.machine("alone", tendon.Config{})
			old := m.Create(Paint, Plan).Entity()
			tendon.OnChange(m.Replication, Paint, func(e *donburi.Entry, old PaintData) {
				m.say("%d to %d", old.Colour, Paint.Get(e).Colour)
			})
			l.steps(3)
			check(t, "changes", strings.Join(m.said(), ", "), "")
			m.OnStreamIn(Paint, func(e *donburi.Entry) { Paint.Get(e).Colour = c.back })
			tendon.OnChange(m.Replication, Plan, func(e *donburi.Entry, _ PlanData) { Paint.Get(e).Colour = c.back })

			Paint.Get(m.Create(Paint)).Colour = c.in
			l.steps(3)
			check(t, "changes of what is new", strings.Join(m.said(), ", "), c.want)
			e := m.World().Entry(old)
			Paint.Get(e).Colour, Plan.Get(e).Raised = c.in, true
			l.steps(3)
			check(t, "changes of what was there", strings.Join(m.said(), ", "), c.want)
		})
	}
}

// A component that another callback has taken away has not changed: there is nothing to
// look at. One that comes again begins anew.
func TestTakenByAnotherCallback(t *testing.T) {
	l := newLab(t, lan)
	m := l.machine("alone", tendon.Config{})
	ent := m.Create(Paint, Plan).Entity()
	here := func() *donburi.Entry { return m.World().Entry(ent) }
	tendon.OnChange(m.Replication, Paint, func(e *donburi.Entry, old PaintData) {
		m.say("%d to %d", old.Colour, Paint.Get(e).Colour)
	})
	tendon.OnChange(m.Replication, Plan, func(e *donburi.Entry, _ PlanData) { carry(e, Paint, false, PaintData{}) })
	l.steps(3)
	Paint.Get(here()).Colour, Plan.Get(here()).Raised = 5, true
	l.steps(3)
	check(t, "changes of what was taken", strings.Join(m.said(), ", "), "")
	carry(here(), Paint, true, PaintData{Colour: 7})
	l.steps(3)
	Paint.Get(here()).Colour = 8
	l.steps(3)
	check(t, "changes of what came again", strings.Join(m.said(), ", "), "1 to 7, 7 to 8")
}
