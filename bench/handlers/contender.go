package handlers

import (
	"context"
	"time"

	"github.com/informerd/informerd/pkg/informer/object"
)

// deadline is the deadline of one call, for contenders with one. It is long, since the machine may
// be busy.
const deadline = 10 * time.Second

// Contender is one way to run a handler.
type Contender struct {
	Host, Guest string
	Deadline    bool
	// Needs is C or Go, whose compiler builds the guest when it is opened.
	Needs string
	open  func(ctx context.Context) (call, func() error, error)
}

// Name returns a distinct name.
func (c Contender) Name() string {
	name := c.Host
	if c.Guest != "" {
		name += ", " + c.Guest
	}
	switch {
	case c.Host == wazeroName && c.Deadline:
		return name + ", WithCloseOnContextDone"
	case c.Host == wazeroName:
		return name + ", no deadline"
	}
	return name
}

// call passes a pod to the handler and returns its answer.
type call func(*object.Object) (int32, error)

// The hosts.
const (
	nativeName    = "native"
	informerdName = "informerd"
	wazeroName    = "wazero"
	extismName    = "Extism"
)

// The guests.
const (
	handGuest   = "by hand"
	cGuest      = "C"
	goGuest     = "Go"
	inputGuest  = "C, JSON as input"
	fieldsGuest = "C, fields from a host function"
)

// Contenders returns all of them.
func Contenders() []Contender {
	all := []Contender{{Host: nativeName, open: openNative}}
	for _, guest := range []struct {
		name  string
		build func() ([]byte, error)
	}{{handGuest, handmade}, {cGuest, buildC}, {goGuest, buildGo}} {
		needs := guest.name
		if needs == handGuest {
			needs = ""
		}
		all = append(all,
			Contender{informerdName, guest.name, true, needs, openInformerd(guest.build)},
			Contender{wazeroName, guest.name, false, needs, openWazero(guest.build, false)},
			Contender{wazeroName, guest.name, true, needs, openWazero(guest.build, true)})
	}
	return append(all,
		Contender{extismName, fieldsGuest, true, cGuest, openExtism("extism_fields.c", false)},
		Contender{extismName, inputGuest, true, cGuest, openExtism("extism_input.c", true)})
}

func openNative(context.Context) (call, func() error, error) {
	var scratch object.Scratch
	return func(o *object.Object) (int32, error) {
		scratch.Set(o)
		return answer(scratch.Lookup(phasePath).Text(), scratch.Lookup(imagePath).Text()), nil
	}, func() error { return nil }, nil
}
