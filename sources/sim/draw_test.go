package sim

import "testing"

func TestDraw(t *testing.T) {
	for _, s := range Scenarios() {
		for _, shifted := range []bool{false, true} {
			a, b, c := Draw(s, 5, shifted), Draw(s, 5, shifted), Draw(s, 6, shifted)
			if _, err := a.Params(); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
			if a.Changes != b.Changes {
				t.Errorf("%s: one seed, two draws: %s and %s", s.Name, a.Changes, b.Changes)
			}
			if shifted && a.Changes == c.Changes {
				t.Errorf("%s: two seeds, one draw: %s", s.Name, a.Changes)
			}
		}
	}
	s, _ := Find(Default)
	if Draw(s, 5, false).Phases[1].Changes == s.Phases[1].Changes {
		t.Error("want phases drawn too")
	}
	if again, _ := Find(Default); again.Phases[1].Changes != s.Phases[1].Changes {
		t.Error("the table was written to")
	}
}

func TestMix(t *testing.T) {
	for seed := range uint64(400) {
		s, in := Mix(seed, 3)
		if len(in) != 3 {
			t.Fatalf("seed %d: want 3 impairments, got %d", seed, len(in))
		}
		p, err := s.Params()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, i := range in {
			if len(i.Names) == 0 {
				t.Errorf("%s: no verdict names it", i.Name)
			}
			q := p
			if err := q.Change(i.Without); err != nil || q == p || q.Validate() != nil {
				t.Errorf("seed %d, %s: want it taken out by %q, got %v", seed, i.Name, i.Without, err)
			}
		}
	}
}
