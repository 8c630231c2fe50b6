package model_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"benchtop/model"
)

// noise is a chunk of buckets of n values each; every third is a gap if gaps.
func noise(n uint32, gaps bool, value func(i int) float32) *[model.ChunkLen]model.Bucket {
	c := new([model.ChunkLen]model.Bucket)
	for i := range c {
		if gaps && i%3 == 0 {
			continue
		}
		for range n {
			v := value(i)
			c[i].Add(model.Bucket{Min: v, Max: v, Sum: v, N: 1})
		}
	}
	return c
}

func TestPackedIsBitForBit(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 9))
	inf := float32(math.Inf(1))
	odd := []float32{0, float32(math.Copysign(0, -1)), inf, -inf, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, 1e-40, 1}
	for _, tt := range []struct {
		name  string
		chunk *[model.ChunkLen]model.Bucket
		most  int // bytes
	}{
		{"one value that stands", noise(1, false, func(int) float32 { return 81 }), 48},
		{"whole numbers, one a bucket", noise(1, false, func(int) float32 { return float32(rng.IntN(64)) }), 48 + 4*32},
		{"one filled bucket", func() *[model.ChunkLen]model.Bucket {
			c := new([model.ChunkLen]model.Bucket)
			c[31] = model.Bucket{Min: 1, Max: 3, Sum: 4, N: 2}
			return c
		}(), 48},
		{"ten readings of a temperature", noise(10, false, func(int) float32 { return 70 + float32(rng.IntN(4)) }), 48 + 32*3},
		{"noise with gaps", noise(10, true, func(int) float32 { return 300 + 50*rng.Float32() }), 48 + 21*10},
		{"both signs", noise(3, true, func(int) float32 { return float32(rng.NormFloat64()) }), 48 + 512},
		{"strange numbers", noise(1, false, func(i int) float32 { return odd[i%len(odd)] }), 48 + 512},
		{"full counts", noise(1, true, func(int) float32 { return math.Float32frombits(rng.Uint32()&0x7f7fffff | uint32(rng.IntN(2))<<31) }), 48 + 512},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := model.Pack(tt.chunk)
			var got [model.ChunkLen]model.Bucket
			for i := range got {
				got[i] = model.Bucket{Min: 9, Max: 9, Sum: 9, N: 9} // what was there must go
			}
			p.Unpack(&got)
			for i := range got {
				a, b := tt.chunk[i], got[i]
				if math.Float32bits(a.Min) != math.Float32bits(b.Min) || math.Float32bits(a.Max) != math.Float32bits(b.Max) || math.Float32bits(a.Sum) != math.Float32bits(b.Sum) || a.N != b.N {
					t.Errorf("bucket %d: want %v, got %v", i, a, b)
				}
			}
			if p.Size() > tt.most {
				t.Errorf("want at most %d bytes, got %d", tt.most, p.Size())
			}
		})
	}
	if p := model.Pack(new([model.ChunkLen]model.Bucket)); p != nil {
		t.Errorf("want nothing kept of gaps, got %v", p)
	}
	if got, want := model.Pack(noise(1, false, func(int) float32 { return 1 })).Size(), int(unsafe.Sizeof(model.Packed{})); got != want {
		t.Errorf("want the size told to be the size taken, %d, got %d", want, got)
	}
}

func FuzzPacked(f *testing.F) {
	f.Add(make([]byte, 512))
	f.Add([]byte{0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 2, 0, 0, 0})
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := new([model.ChunkLen]model.Bucket)
		word := func(i int) (w uint32) {
			for k := range 4 {
				if i*4+k < len(raw) {
					w |= uint32(raw[i*4+k]) << (8 * k)
				}
			}
			return w
		}
		for i := range c {
			if n := word(4*i + 3); n > 0 {
				c[i] = model.Bucket{Min: math.Float32frombits(word(4 * i)), Max: math.Float32frombits(word(4*i + 1)), Sum: math.Float32frombits(word(4*i + 2)), N: n}
			}
		}
		var got [model.ChunkLen]model.Bucket
		if p := model.Pack(c); p != nil {
			p.Unpack(&got)
		}
		for i := range c {
			for _, w := range [][2]float32{{c[i].Min, got[i].Min}, {c[i].Max, got[i].Max}, {c[i].Sum, got[i].Sum}} {
				if math.Float32bits(w[0]) != math.Float32bits(w[1]) || c[i].N != got[i].N {
					t.Fatalf("bucket %d: want %v, got %v", i, c[i], got[i])
				}
			}
		}
	})
}

// BenchmarkPacked is what packing a chunk of readings costs, and reading it.
func BenchmarkPacked(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 9))
	c := noise(10, false, func(int) float32 { return 300 + 50*rng.Float32() })
	b.Run("pack", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			model.Pack(c)
		}
	})
	b.Run("read", func(b *testing.B) {
		s := model.Strip{Step: time.Second, Old: []*model.Packed{model.Pack(c)}}
		b.ReportAllocs()
		for b.Loop() {
			cur := s.Cursor()
			for n := range int64(model.ChunkLen) {
				if cur.At(n) == nil {
					b.Fatal("want a bucket")
				}
			}
		}
	})
}
