package serverlog

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"benchtop/model"
)

// engine finds a scheduler's state by its label; a new label is noted once.
func (e *emitter) engine(label []byte) *engineState {
	label = label[:min(len(label), maxKey)]
	if e.lately != nil && string(e.label) == string(label) {
		return e.lately
	}
	e.label = append(e.label[:0], label...)
	if st, ok := e.engines[string(label)]; ok {
		e.lately = st
		return st
	}
	if len(e.engines) >= maxEngines {
		return e.excess()
	}
	st := &engineState{total: -1}
	e.named(st, label)
	if e.engines == nil {
		e.engines = make(map[string]*engineState)
	}
	e.engines[string(label)] = st
	e.lately = st
	return st
}

// maxEngines is how many schedulers of one log are kept apart. What the others
// say is counted as one's that is named for all of them.
const maxEngines = 256

func (e *emitter) excess() *engineState {
	const name = "(others)"
	st, ok := e.engines[name]
	if !ok {
		st = &engineState{total: -1, key: hashBytes(fnvStart, []byte(name))}
		e.engines[name] = st
		e.out.Note(model.Note{At: e.seen, Seen: e.seen, Kind: model.NoteEngine, Key: st.key, Name: name})
		e.out.Note(model.Note{At: e.seen, Seen: e.seen, Kind: model.NoteError, Text: fmt.Sprintf(
			"more than %d engines write to this log: those beyond are taken for one (is the format right? try benchtop probe)", maxEngines)})
	}
	e.lately = st
	return st
}

// named gives a scheduler's state its key and tells its name.
func (e *emitter) named(st *engineState, label []byte) {
	if len(label) > 0 {
		st.key = hashBytes(fnvStart, label)
		e.out.Note(model.Note{At: e.seen, Seen: e.seen, Kind: model.NoteEngine, Key: st.key, Name: clean(label, maxKey)})
	}
}

// joined keeps servers apart whose logs were joined into one (containers of a
// compose file, pods of a label, replicas of a deployment): each counts its
// engines from zero. As long as there is one, its engines have their own labels.
type joined struct {
	home    []byte // the first
	raw     []byte // and as its lines have it
	several bool
	buf     []byte
}

// gaugeFields are those of which each server has its own.
const gaugeFields = HasRunning | HasWaiting | HasKV | HasPromptTPS | HasGenTPS | HasSlot | HasSlots

// label is an engine's label in the whole log.
func (j *joined) label(e *emitter, r *Reading) []byte {
	if !j.several && string(e.where) == string(j.raw) {
		return r.Engine
	}
	where := whereName(e.where)
	switch {
	case len(where) == 0:
		return r.Engine
	case j.several:
	case r.Set&gaugeFields == 0 && !r.Restart:
		return r.Engine // another program's beside it may be no server
	case j.home == nil:
		j.home, j.raw = bytes.Clone(where), bytes.Clone(e.where)
		return r.Engine
	default:
		j.part(e)
	}
	return j.join(where, r.Engine)
}

// part renames the engines of the first server when a second one shows itself.
func (j *joined) part(e *emitter) {
	j.several = true
	was := e.engines
	e.engines, e.lately = make(map[string]*engineState, len(was)), nil
	for _, label := range slices.Sorted(maps.Keys(was)) {
		st := was[label]
		for _, id := range [...]model.SeriesID{model.ServerRunning, model.ServerWaiting, model.ServerKV, model.ServerPromptTPS, model.ServerGenTPS} {
			e.emit(id, model.Gap, st.key, 0) // the name it had is no one's now
		}
		name := j.join(j.home, []byte(label))
		e.named(st, name)
		e.engines[string(name)] = st
	}
	for _, st := range e.slotted {
		if st.sure {
			e.level(st)
		}
	}
}

// request tells requests of several servers apart whose ids count from zero in
// each. Ray's are its own in the whole log: replicas and proxies share them.
func (j *joined) request(where []byte, r *Reading) {
	if j.several && r.Request != 0 && len(where) > 0 && !bytes.HasPrefix(where, replica) {
		r.Request = max(1, hashBytes(r.Request, where))
	}
}

// replica is what Ray writes in front of a deployment's name.
var replica = []byte("ServeReplica:")

// join makes a label of a server's name and its engine's.
func (j *joined) join(where, label []byte) []byte {
	j.buf = append(j.buf[:0], where...)
	if len(label) > 0 {
		j.buf = append(append(j.buf, ' '), label...)
	}
	return j.buf
}

// whereMost bounds a server's name so that its engines' names fit behind it.
const whereMost = 44

// whereName is what tells a server from others: the end of a long name does.
func whereName(where []byte) []byte {
	where = bytes.TrimPrefix(where, replica)
	where = bytes.TrimPrefix(where, []byte("pod/"))
	return where[max(0, len(where)-whereMost):]
}

// waitTellers are the writers of TorchServe's log that tell a request's wait, by
// Reading.Teller.
var waitTellers = [...]string{1: "ts_queue_latency_microseconds", 2: "RestJob's lines", 3: "QueueTime"}

// tells reports whether a writer's word on a wait counts: each request's is told
// by up to three, and the most exact of them is taken.
func (e *emitter) tells(by uint8) bool {
	if by == 0 || by == e.teller {
		return true
	}
	first := e.teller == 0
	if first || by < e.teller {
		e.teller = by
	}
	if !first && e.told != e.teller && !e.mute {
		e.told = e.teller
		e.out.Note(model.Note{At: e.seen, Seen: e.seen, Kind: model.NoteMark, Name: "source", Text: "the log tells each request's wait more than once: counted as told by " + waitTellers[e.teller]})
	}
	return by == e.teller
}
