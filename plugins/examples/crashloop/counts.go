package main

import "container/list"

// counts holds the restarts last reported of each pod, up to a maximum number of pods: when it is
// full, the oldest pod makes room, and may then be reported twice.
type counts struct {
	max   int
	order *list.List // of *count, oldest first
	byUID map[string]*list.Element
}

type count struct {
	uid      string
	restarts int64
}

func newCounts(max int) *counts {
	return &counts{max: max, order: list.New(), byUID: map[string]*list.Element{}}
}

// set records a pod's restarts and reports whether they have changed.
func (c *counts) set(uid string, restarts int64) bool {
	if element, known := c.byUID[uid]; known {
		last := element.Value.(*count)
		changed := last.restarts != restarts
		last.restarts = restarts
		return changed
	}
	if len(c.byUID) >= c.max {
		c.forget(c.order.Front().Value.(*count).uid)
	}
	c.byUID[uid] = c.order.PushBack(&count{uid, restarts})
	return true
}

func (c *counts) forget(uid string) {
	if element, known := c.byUID[uid]; known {
		c.order.Remove(element)
		delete(c.byUID, uid)
	}
}
