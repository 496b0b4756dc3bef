package main

import "container/list"

// findings holds what was last reported of each object that lacks labels, up to a maximum number of
// objects: when it is full, the oldest object makes room, and may then be reported twice. Objects
// that lack nothing take no room.
type findings struct {
	max   int
	order *list.List // of *entry, oldest first
	byUID map[string]*list.Element
}

type entry struct {
	uid, finding string
}

func newFindings(max int) *findings {
	return &findings{max: max, order: list.New(), byUID: map[string]*list.Element{}}
}

// set records an object's finding, "" for none, and reports whether it has changed.
func (f *findings) set(uid, finding string) bool {
	element, known := f.byUID[uid]
	switch {
	case finding == "":
		f.forget(uid)
		return known
	case known:
		last := element.Value.(*entry)
		changed := last.finding != finding
		last.finding = finding
		return changed
	}
	if len(f.byUID) >= f.max {
		f.forget(f.order.Front().Value.(*entry).uid)
	}
	f.byUID[uid] = f.order.PushBack(&entry{uid, finding})
	return true
}

func (f *findings) forget(uid string) {
	if element, known := f.byUID[uid]; known {
		f.order.Remove(element)
		delete(f.byUID, uid)
	}
}
