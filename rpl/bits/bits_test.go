package bits

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type step struct {
			kind int
			v    uint64
			n    uint
			s    string
		}
		steps := rapid.SliceOf(rapid.Custom(func(t *rapid.T) step {
			return step{
				kind: rapid.IntRange(0, 7).Draw(t, "kind"),
				v:    rapid.Uint64().Draw(t, "v"),
				n:    uint(rapid.IntRange(0, 64).Draw(t, "n")),
				s:    rapid.StringN(0, 20, 40).Draw(t, "s"),
			}
		})).Draw(t, "steps")
		w := NewWriter(make([]byte, 0, rapid.IntRange(0, 64).Draw(t, "cap")))
		for _, s := range steps {
			switch s.kind {
			case 0:
				w.Write(s.v, s.n)
			case 1:
				w.Bool(s.v&1 != 0)
			case 2:
				w.Uvarint(s.v)
			case 3:
				w.Varint(int64(s.v))
			case 4:
				w.Float32(math.Float32frombits(uint32(s.v)))
			case 5:
				w.Float64(math.Float64frombits(s.v))
			case 6:
				w.String(s.s)
			case 7:
				w.Align()
			}
		}
		total := w.Len()
		b := w.Bytes()
		r := NewReader(b)
		for i, s := range steps {
			ok := true
			switch s.kind {
			case 0:
				want := s.v
				if s.n < 64 {
					want &= 1<<s.n - 1
				}
				ok = r.Read(s.n) == want
			case 1:
				ok = r.Bool() == (s.v&1 != 0)
			case 2:
				ok = r.Uvarint() == s.v
			case 3:
				ok = r.Varint() == int64(s.v)
			case 4:
				ok = math.Float32bits(r.Float32()) == uint32(s.v) || math.IsNaN(float64(math.Float32frombits(uint32(s.v))))
			case 5:
				ok = math.Float64bits(r.Float64()) == s.v
			case 6:
				ok = r.String(len(s.s)) == s.s
			case 7:
				r.Align()
			}
			if !ok {
				t.Fatalf("step %d (%+v) came back different", i, s)
			}
		}
		if r.Pos() != total {
			t.Fatalf("read %d bits of %d", r.Pos(), total)
		}
		if err := r.End(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestTruncateAndRaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		head := rapid.SliceOf(rapid.Byte()).Draw(t, "head")
		headBits := rapid.IntRange(0, 8*len(head)).Draw(t, "headBits")
		tail := rapid.SliceOf(rapid.Byte()).Draw(t, "tail")
		tailBits := rapid.IntRange(0, 8*len(tail)).Draw(t, "tailBits")

		var plain, cut Writer
		plain.Raw(head, headBits)
		cut.Raw(head, headBits)
		cut.Raw(tail, tailBits)
		cut.Truncate(headBits)
		if cut.Len() != headBits {
			t.Fatalf("%d bits after Truncate(%d)", cut.Len(), headBits)
		}
		plain.Raw(tail, tailBits)
		cut.Raw(tail, tailBits)
		if !bytes.Equal(plain.Bytes(), cut.Bytes()) {
			t.Fatalf("truncated and written again: %x, want %x", cut.Bytes(), plain.Bytes())
		}
		r := NewReader(plain.Bytes())
		for i := range headBits {
			if got, want := r.Read(1), uint64(head[i/8]>>(i%8)&1); got != want {
				t.Fatalf("head bit %d is %d", i, got)
			}
		}
		for i := range tailBits {
			if got, want := r.Read(1), uint64(tail[i/8]>>(i%8)&1); got != want {
				t.Fatalf("tail bit %d is %d", i, got)
			}
		}
	})
}

func TestReaderErrors(t *testing.T) {
	long := bytes.Repeat([]byte{0xff}, 11)
	tests := []struct {
		name string
		in   []byte
		read func(r *Reader)
		want error
	}{
		{"bits past the end", []byte{1}, func(r *Reader) { r.Read(9) }, ErrShort},
		{"64 bits past the end", long[:7], func(r *Reader) { r.Read(64) }, ErrShort},
		{"skip past the end", []byte{1}, func(r *Reader) { r.Skip(9) }, ErrShort},
		{"skip backwards", []byte{1}, func(r *Reader) { r.Skip(-1) }, ErrShort},
		{"open varint", []byte{0x80}, func(r *Reader) { r.Uvarint() }, ErrShort},
		{"long varint", long, func(r *Reader) { r.Uvarint() }, ErrVarint},
		{"varint of 65 bits", append(bytes.Repeat([]byte{0x80}, 9), 2), func(r *Reader) { r.Uvarint() }, ErrVarint},
		{"string too long", []byte{4, 'a', 'b', 'c', 'd'}, func(r *Reader) { r.String(3) }, ErrLong},
		{"string cut", []byte{4, 'a', 'b', 'c'}, func(r *Reader) { r.String(9) }, ErrShort},
		{"string of 2³⁰ bytes", append(bytes.Repeat([]byte{0x80}, 4), 4), func(r *Reader) { r.String(math.MaxInt) }, ErrShort},
		{"string of 2⁶² bytes", append(bytes.Repeat([]byte{0x80}, 8), 0x40), func(r *Reader) { r.String(math.MaxInt32) }, ErrLong},
		{"a byte left", []byte{0, 0}, func(r *Reader) { r.Read(8); _ = r.End() }, ErrTrailing},
		{"padding not zero", []byte{0x10}, func(r *Reader) { r.Read(3); _ = r.End() }, ErrTrailing},
		{"first error stays", []byte{1}, func(r *Reader) { r.Fail(ErrLong); r.Read(64) }, ErrLong},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := NewReader(tt.in)
			tt.read(&r)
			if !errors.Is(r.Err(), tt.want) {
				t.Fatalf("error %v, want %v", r.Err(), tt.want)
			}
			if v := r.Read(8); v != 0 {
				t.Errorf("read %d after an error", v)
			}
		})
	}
}

func TestPeek(t *testing.T) {
	r := NewReader([]byte{0b1010_0110, 0b11})
	if got := r.Peek(4); got != 0b0110 {
		t.Errorf("peek %b", got)
	}
	r.Skip(3)
	if got := r.Peek(56); got != 0b11_10100 {
		t.Errorf("peek past the end %b", got)
	}
	if r.Pos() != 3 || r.Err() != nil {
		t.Errorf("peek moved to %d, error %v", r.Pos(), r.Err())
	}
}

func TestZigzag(t *testing.T) {
	for _, v := range []int64{0, 1, -1, 2, -2, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64} {
		if got := Unzigzag(Zigzag(v)); got != v {
			t.Errorf("%d became %d", v, got)
		}
		if w := int32(v); Unzigzag32(Zigzag32(w)) != w {
			t.Errorf("word %d became %d", w, Unzigzag32(Zigzag32(w)))
		}
	}
	if Zigzag(-1) != 1 || Zigzag(1) != 2 || Zigzag32(-2) != 3 {
		t.Error("zigzag order")
	}
}

func TestNoAllocation(t *testing.T) {
	buf := make([]byte, 0, 64)
	var sum uint64
	if n := testing.AllocsPerRun(100, func() {
		w := NewWriter(buf)
		for i := range 20 {
			w.Write(uint64(i), 13)
			w.Varint(int64(-i))
		}
		r := NewReader(w.Bytes())
		for range 20 {
			sum += r.Read(13) + uint64(r.Varint())
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	_ = sum
}

// FuzzReader: no sequence of reads on any bytes panics, and the position never
// leaves the bytes.
func FuzzReader(f *testing.F) {
	f.Add([]byte{}, []byte{})
	f.Add([]byte{0xff, 0x80, 3}, []byte{0, 1, 2, 3, 4, 5, 6, 7, 8})
	f.Fuzz(func(t *testing.T, in, program []byte) {
		r := NewReader(in)
		for _, c := range program {
			switch n := uint(c >> 1); c % 9 {
			case 0:
				r.Read(n % 65)
			case 1:
				r.Uvarint()
			case 2:
				r.Varint()
			case 3:
				if s := r.String(int(n)); len(s) > int(n) {
					t.Fatalf("string of %d bytes, at most %d", len(s), n)
				}
			case 4:
				r.Align()
			case 5:
				r.Skip(int(n))
			case 6:
				r.Peek(n % 57)
			case 7:
				r.Float64()
			case 8:
				r.Bool()
			}
			if r.Left() < 0 {
				t.Fatalf("position %d of %d bytes", r.Pos(), len(in))
			}
		}
		_ = r.End()
	})
}

func BenchmarkWrite(b *testing.B) {
	buf := make([]byte, 0, 4096)
	w := NewWriter(buf)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i&1023 == 0 {
			w.Reset(buf)
		}
		w.Write(uint64(i), 13)
	}
}

func BenchmarkRead(b *testing.B) {
	buf := make([]byte, 4096)
	r := NewReader(buf)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i&1023 == 0 {
			r.Reset(buf)
		}
		r.Read(13)
	}
}

// A width that a codec has from the network is an error, and a wrong one of its own a
// panic that it can recover: neither recurses until the program ends.
func TestWrongWidths(t *testing.T) {
	for _, n := range []uint{65, 1000, math.MaxUint} {
		r := NewReader(make([]byte, 200))
		if v := r.Read(n); v != 0 || !errors.Is(r.Err(), ErrWide) {
			t.Errorf("%d bits: %d, %v", n, v, r.Err())
		}
	}
	for name, write := range map[string]func(w *Writer){
		"Write of more than 64 bits": func(w *Writer) { w.Write(1, 65) },
		"Raw of -1 bits":             func(w *Writer) { w.Raw([]byte{1}, -1) },
		"Raw of 9 bits":              func(w *Writer) { w.Raw([]byte{1}, 9) },
	} {
		func() {
			defer func() {
				if text, ok := recover().(string); !ok || !strings.Contains(text, name) {
					t.Errorf("%s: panicked with %q", name, text)
				}
			}()
			write(&Writer{})
		}()
	}
}
