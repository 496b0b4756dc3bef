package main

import (
	"container/list"
	"time"
)

// memory holds the last report of each certificate, up to a maximum number: when it is full, the
// oldest makes room, and may then be reported twice. Certificates that are not about to expire take
// no room.
type memory struct {
	max   int
	order *list.List // of *entry, oldest first
	byUID map[string]*list.Element
}

type entry struct {
	uid string
	report
}

// report is the content of a report.
type report struct {
	notAfter time.Time
	stage    int
}

func newMemory(max int) *memory {
	return &memory{max: max, order: list.New(), byUID: map[string]*list.Element{}}
}

// set records a report and reports whether it is news: another certificate, or a later stage.
func (m *memory) set(uid string, r report) bool {
	if element, known := m.byUID[uid]; known {
		last := element.Value.(*entry)
		news := !r.notAfter.Equal(last.notAfter) || r.stage > last.stage
		last.report = r
		return news
	}
	if len(m.byUID) >= m.max {
		m.forget(m.order.Front().Value.(*entry).uid)
	}
	m.byUID[uid] = m.order.PushBack(&entry{uid, r})
	return true
}

func (m *memory) forget(uid string) {
	if element, known := m.byUID[uid]; known {
		m.order.Remove(element)
		delete(m.byUID, uid)
	}
}
