package sim

import "math"

// happening is one entry of the calendar.
type happening struct {
	at  float64 // seconds from the start
	seq uint64  // entries of one instant keep the order they were made in
	do  func()
}

// calendar is the future: a binary heap of happenings.
type calendar struct {
	heap []happening
	seq  uint64
}

func (h *happening) before(o *happening) bool {
	return h.at < o.at || h.at == o.at && h.seq < o.seq
}

// add books do at an instant.
func (c *calendar) add(at float64, do func()) {
	c.seq++
	c.heap = append(c.heap, happening{at, c.seq, do})
	i := len(c.heap) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !c.heap[i].before(&c.heap[up]) {
			break
		}
		c.heap[i], c.heap[up] = c.heap[up], c.heap[i]
		i = up
	}
}

// next is the instant of the earliest happening, +Inf if there is none.
func (c *calendar) next() float64 {
	if len(c.heap) == 0 {
		return math.Inf(1)
	}
	return c.heap[0].at
}

// take removes the earliest happening. There must be one.
func (c *calendar) take() happening {
	top := c.heap[0]
	last := len(c.heap) - 1
	c.heap[0] = c.heap[last]
	c.heap[last] = happening{} // let the closure go
	c.heap = c.heap[:last]
	i := 0
	for {
		l, least := 2*i+1, i
		if l < last && c.heap[l].before(&c.heap[least]) {
			least = l
		}
		if l+1 < last && c.heap[l+1].before(&c.heap[least]) {
			least = l + 1
		}
		if least == i {
			return top
		}
		c.heap[i], c.heap[least] = c.heap[least], c.heap[i]
		i = least
	}
}
