package rpl_test

import (
	"math/bits"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// The default tables of docs/spec-schema.md, computed from the formulas of the page and
// compared with the code's tables.

// specWeights returns the weights of one fit( … ) of the page.
func specWeights(t *testing.T, formula string) (w []float64) {
	for _, m := range regexp.MustCompile(`(mag|flags)\(([^()]*)\)|[0-9.]+`).FindAllStringSubmatch(formula, -1) {
		var args []float64
		for _, a := range regexp.MustCompile(`[0-9.]+`).FindAllString(m[0], -1) {
			x, err := strconv.ParseFloat(a, 64)
			if err != nil {
				t.Fatal(err)
			}
			args = append(args, x)
		}
		switch m[1] {
		case "mag":
			w = append(w, specMag(int(args[0]), args[1])...)
		case "flags":
			w = append(w, specFlags(args)...)
		default:
			w = append(w, args[0])
		}
	}
	return w
}

func specMag(c int, f float64) (w []float64) {
	for sym := 1; sym < 66; sym++ {
		d, single := bits.Len(uint(sym)), sym < 8
		if !single {
			d = 1 + 3 + (sym-8)/2
		}
		x := 1.0
		for range max(d-c, c-d) {
			x *= f
		}
		if single {
			x /= float64(int(1) << (d - 1))
		} else {
			x /= 2
		}
		w = append(w, x)
	}
	return w
}

func specFlags(p []float64) (w []float64) {
	for s := range 1 << len(p) {
		x := 1.0
		for i, y := range p {
			if s>>i&1 == 0 {
				y = 1 - y
			}
			x *= y
		}
		w = append(w, x)
	}
	return w
}

func specFit(w []float64) []uint8 {
	sum := 0.0
	for _, x := range w {
		sum += x
	}
	whole := make([]uint64, len(w))
	for i, x := range w {
		whole[i] = 1 + uint64(x/sum*(1<<32))
	}
	return prefix.Lengths(whole)
}

func costs(table *prefix.Table) (lens []uint8) {
	for i := range table.Len() {
		lens = append(lens, uint8(table.Cost(i)))
	}
	return lens
}

func TestSpecTables(t *testing.T) {
	b, err := os.ReadFile("../docs/spec-schema.md")
	if err != nil {
		t.Fatal(err)
	}
	_, page, _ := strings.Cut(string(b), "\n## 3. Default tables\n")
	page, _, _ = strings.Cut(page, "\n## 4.")
	s, _ := specCarts()
	if err := s.Freeze(20); err != nil {
		t.Fatal(err)
	}
	fitted := 0
	for _, m := range regexp.MustCompile(`(?m)^\| ([a-z ]+) \| ([0-9]+) \| (fit.*) \|$`).FindAllStringSubmatch(page, -1) {
		name, symbols, formula := m[1], m[2], m[3]
		table := rpl.SpecDefaults(s).Table(name, 0)
		if table == nil || strconv.Itoa(table.Len()) != symbols {
			t.Errorf("the page says that table %s has %s symbols", name, symbols)
			continue
		}
		if !regexp.MustCompile(`^fit\([0-9.,() magfls]*\)$`).MatchString(formula) {
			continue // the page describes this table in words
		}
		fitted++
		if got := specFit(specWeights(t, formula[len("fit("):])); !slices.Equal(got, costs(table)) {
			t.Errorf("table %s is\n%d, the page's %s is\n%d", name, costs(table), formula, got)
		}
	}
	if fitted != 15 {
		t.Errorf("%d tables of the page were fitted, not 15", fitted)
	}
	whether := rpl.NewSchema("whether")
	whether.Item("item", reflect.TypeFor[struct {
		Maybe rpl.Opt[uint8] `rpl:""`
	}](), nil)
	if err := whether.Freeze(20); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		line  string
		s     *rpl.Schema
		table string
		word  int
	}{
		{"updates: predicted", s, "state of updates", 1},
		{"updates: any other", s, "state of updates", 0},
		{"keyframes: the presence of some word", whether, "state of keyframes", 0},
		{"keyframes: a word that has a presence", whether, "state of keyframes", 1},
		{"keyframes: any other", s, "state of keyframes", 0},
	} {
		m := regexp.MustCompile(`(?m)^\| ` + x.line + ` \| ([0-9, ]+) \| ([0-9, ]+) \|$`).FindStringSubmatch(page)
		if m == nil {
			t.Errorf("the page does not say the weights of %s", x.line)
			continue
		}
		for prev := range 2 {
			var weights []uint64
			for w := range strings.SplitSeq(m[1+prev], ", ") {
				n, _ := strconv.ParseUint(w, 10, 64)
				weights = append(weights, n)
			}
			if got, want := prefix.Lengths(weights), costs(rpl.SpecDefaults(x.s).Table(x.table, 2*x.word+prev)); !slices.Equal(got, want) {
				t.Errorf("%s, %d: the table is %d, the page's weights make %d", x.line, prev, want, got)
			}
		}
	}
}
