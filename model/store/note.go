package store

import (
	"strings"

	"benchtop/model"
)

func (s *Store) note(told *model.Note) {
	kept := told.Clip()
	n := &kept
	src := s.source(n.Source)
	switch n.Kind {
	case model.NoteSource:
		src.describe(n)
		s.tellApart(src)
	case model.NoteMark:
		if n.Name == model.MarkRotated {
			s.clean.soil(model.DirtyRotation, n.At-1e9, n.At+1e9, n.Text)
		}
		if n.Name == model.MarkClock {
			s.clean.soil(model.DirtyGap, n.At-1e9, n.At+1e9, n.Text)
			for _, src := range s.sources {
				src.skews, src.shift = [len(src.skews)]skewCell{}, 0
			}
		}
		s.mark(model.Mark{At: n.At, Class: n.Name, Text: n.Text, Bad: n.Value > 0})
	case model.NoteBadLine:
		src.badLine(n)
	case model.NoteConfig:
		s.setting(n)
	case model.NoteGPU:
		s.nameGPU(n)
	case model.NoteEngine:
		if len(s.engines) < maxEngines {
			s.engines[n.Key] = n.Name
		}
		if n.Name == "all" {
			s.server.all = n.Key
		}
	case model.NoteVerdict:
		s.recordedVerdict(n)
	case model.NoteRun:
		s.fact(n)
	case model.NoteError:
		src.info.Why = n.Text
		s.mark(model.Mark{At: n.At, Class: "source", Text: n.Text, Bad: true})
	}
}

// declare keeps a setting. What a program printed wins over what the user
// declared, and a later word of the same kind over an earlier one.
func (s *Store) declare(n *model.Note) {
	old, ok := s.run.Config[n.Name]
	declared := strings.Contains(n.Text, "declared")
	if ok && declared && !strings.Contains(old.From, "declared") || !ok && len(s.run.Config) >= maxFacts {
		return
	}
	s.set(n)
}

// set writes a setting down, into a fresh map: snapshots share the old one.
func (s *Store) set(n *model.Note) {
	old, ok := s.run.Config[n.Name]
	if ok && old.Value == n.Value && old.From == n.Text {
		return
	}
	cfg := make(map[string]model.Setting, len(s.run.Config)+1)
	for k, v := range s.run.Config {
		cfg[k] = v
	}
	cfg[n.Name] = model.Setting{Value: n.Value, From: n.Text}
	s.run.Config = cfg
}

func (s *Store) nameGPU(n *model.Note) {
	g := s.gpus[n.Key]
	if g == nil {
		if len(s.gpus) >= maxGPUs {
			return
		}
		g = newGPU(n.Key)
		g.source = n.Source
		s.gpus[n.Key] = g
		s.gpuList = append(s.gpuList, g)
	}
	g.info = model.GPUInfo{Key: n.Key, Index: int(n.Value), UUID: n.Name, Name: n.Text}
}

// fact keeps one thing said about the run. Names that begin with "meta." were
// declared by the user.
func (s *Store) fact(n *model.Note) {
	switch n.Name {
	case "concurrency_how":
		s.source(n.Source).how = n.Text
	case factBlind:
		n.Text = s.blindTo(s.source(n.Source), n.Text)
	case model.FactUnrecognised:
		src := s.source(n.Source)
		src.unread, src.hint = n.Value, n.Text
		return
	case "id":
		s.run.ID = n.Text
		return
	case "label":
		s.run.Label = n.Text
		return
	case "change":
		s.run.Change = n.Text
		return
	case "generator":
		s.source(n.Source).party = n.Key
		s.blindAgain()
		return
	}
	s.users.take(n)
	s.reported(n)
	s.state(n)
}

// state writes a fact down, into a fresh map: snapshots share the old one.
func (s *Store) state(n *model.Note) {
	m, name := &s.run.Facts, n.Name
	if rest, ok := strings.CutPrefix(n.Name, "meta."); ok {
		m, name = &s.run.Meta, rest
	}
	if len(*m) >= maxFacts {
		return
	}
	c := make(map[string]string, len(*m)+1)
	for k, v := range *m {
		c[k] = v
	}
	c[name] = n.Text
	*m = c
}

func (s *Store) recordedVerdict(n *model.Note) {
	p := strings.SplitN(n.Text, "|", 4)
	for len(p) < 4 {
		p = append(p, "")
	}
	v := model.VerdictChange{At: n.At, TS: n.Value, ID: n.Name, Reason: p[0], Confidence: p[2], Title: p[3], Recorded: true}
	for i := model.SevNote; i <= model.SevInvalid; i++ {
		if i.String() == p[1] {
			v.Severity = i
		}
	}
	if len(s.recorded) < maxMarks {
		s.recorded = append(s.recorded, v)
	}
}

// Said is what a recording tells of the verdicts of its time, oldest first.
func (s *Store) Said() []model.VerdictChange { return s.recorded[:len(s.recorded):len(s.recorded)] }

// Mark adds a moment to the time axis.
func (s *Store) Mark(m model.Mark) { s.mark(m) }

func (s *Store) mark(m model.Mark) {
	if n := len(s.marks); n > 0 && s.marks[n-1].Text == m.Text && m.At-s.marks[n-1].At < 1_000_000_000 {
		return // said a moment ago
	}
	if len(s.marks) >= maxMarks {
		s.marks = append(s.marks[:0:0], s.marks[maxMarks/4:]...)
	}
	s.marks = append(s.marks, m)
}
