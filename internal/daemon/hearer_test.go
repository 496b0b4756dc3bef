package daemon

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// belief is whether an object is there, as an output has it.
type belief uint8

const (
	absentPod belief = iota
	presentPod
	// forgottenPod: the output has it, but it begins with a list, since nobody kept it.
	forgottenPod
	// unsurePod: the same, or not: the restart may have come before the change of the informer.
	unsurePod
)

// hearer is the standard output of a daemon, and what follows from it.
type hearer struct {
	mu      sync.Mutex
	rest    []byte
	beliefs map[string]map[string]belief // by listener and key
	told    map[string]string            // the same, for messages of tests
	begun   map[string]bool              // listeners that have told something in this process
	wrong   []string
}

func (h *hearer) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rest = append(h.rest, p...)
	for {
		i := slices.Index(h.rest, '\n')
		if i < 0 {
			return len(p), nil
		}
		h.hear(h.rest[:i])
		h.rest = h.rest[i+1:]
	}
}

func (h *hearer) hear(line []byte) {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		h.wrong = append(h.wrong, err.Error())
		return
	}
	listener := m.Source[strings.LastIndexByte(m.Source, '/')+1:]
	key := strings.TrimPrefix(m.Subject, "pods/")
	op := m.Type[strings.LastIndexByte(m.Type, '.')+1:]
	h.begun[listener] = true
	of := h.of(listener)
	is := of[key]
	about := listener + " " + key
	h.told[about] += " " + op
	if op == "added" && is == presentPod || op == "deleted" && is == absentPod ||
		op == "updated" && is == absentPod {
		h.wrong = append(h.wrong, about+":"+h.told[about])
	}
	of[key] = presentPod
	if op == "deleted" {
		of[key] = absentPod
	}
}

func (h *hearer) of(listener string) map[string]belief {
	if h.beliefs[listener] == nil {
		h.beliefs[listener] = map[string]belief{}
	}
	return h.beliefs[listener]
}

// forget weakens what is believed of a listener's objects. The caller holds mu, or nobody writes.
func (h *hearer) forget(listener string, to func(namespace string) belief) {
	of := h.of(listener)
	for key, is := range of {
		namespace, _, _ := strings.Cut(key, "/")
		if is != absentPod {
			of[key] = max(is, to(namespace))
		}
	}
}

// note adds a change to what came of a listener's objects.
func (h *hearer) note(listener string, change string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for about := range h.told {
		if strings.HasPrefix(about, listener+" ") {
			h.told[about] += "; " + change + ":"
		}
	}
}
