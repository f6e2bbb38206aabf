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
	for _, m := range regexp.MustCompile(`(mag|both|flags)\(([^()]*)\)|[0-9.]+`).FindAllStringSubmatch(formula, -1) {
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
		case "both":
			for _, x := range specMag(int(args[0]), args[1]) {
				w = append(w, x, x*args[2])
			}
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
		if !regexp.MustCompile(`^fit\([0-9.,() magflsboth]*\)$`).MatchString(formula) {
			continue // the page describes this table in words
		}
		fitted++
		if got := specFit(specWeights(t, formula[len("fit("):])); !slices.Equal(got, costs(table)) {
			t.Errorf("table %s is\n%d, the page's %s is\n%d", name, costs(table), formula, got)
		}
	}
	if fitted != 20 {
		t.Errorf("%d tables of the page were fitted, not 20", fitted)
	}
	specQuads(t, page, s)
}

// specQuads compares tables of quads with those made of the page's weights.
func specQuads(t *testing.T, page string, s *rpl.Schema) {
	weights := func(line string) (w [2][4]uint64) {
		m := regexp.MustCompile(`(?m)^\| ` + line + ` \| ([0-9, ]+) \| ([0-9, ]+) \|$`).FindStringSubmatch(page)
		if m == nil {
			t.Fatalf("the page does not say the weights of %s", line)
		}
		for prev := range 2 {
			for k, n := range strings.Split(m[1+prev], ", ") {
				w[prev][k], _ = strconv.ParseUint(n, 10, 64)
			}
		}
		return w
	}
	whether, counts := rpl.NewSchema("whether"), rpl.NewSchema("counts")
	whether.Item("item", reflect.TypeFor[struct {
		Maybe rpl.Opt[uint8] `rpl:""`
	}](), nil)
	counts.Item("item", reflect.TypeFor[struct {
		Clock uint32 `rpl:""`
		A, B  uint8  `rpl:""`
	}](), nil)
	for _, s := range []*rpl.Schema{whether, counts} {
		if err := s.Freeze(20); err != nil {
			t.Fatal(err)
		}
	}
	const (
		other, predicted, any = "updates: any other", "updates: predicted", "keyframes: any other"
		presence, within      = "keyframes: the presence of some word", "keyframes: a word that has a presence"
		count                 = "keyframes: the inferred velocity of a word that may count"
	)
	for _, x := range []struct {
		s     *rpl.Schema
		table string
		words []string
	}{
		{s, "quad of updates", []string{other, predicted, other}},
		{s, "quad of keyframes", []string{any, any, any}},
		{whether, "quad of keyframes", []string{presence, within}},
		{counts, "quad of updates", []string{other, predicted, other, other}},
		{counts, "quad of keyframes", []string{count, any, any, any}},
	} {
		for prev := range 2 {
			var all []uint64
			for symbol := range 1 << (2 * len(x.words)) {
				p, was := uint64(1<<40), prev
				for i, line := range x.words {
					state := symbol >> (2 * i) & 3
					p = p * weights(line)[was][state] / 1024
					was = min(state, 1)
				}
				all = append(all, max(p, 1<<20))
			}
			if got, want := prefix.Lengths(all), costs(rpl.SpecDefaults(x.s).Table(x.table, prev)); !slices.Equal(got, want) {
				t.Errorf("%s of %v, %d: the table is %d, the page's weights make %d", x.table, x.words, prev, want, got)
			}
		}
	}
}
