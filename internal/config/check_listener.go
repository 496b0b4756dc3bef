package config

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

func checkListener(c *Config, l *Listener, path string, r *report) {
	l.informers = c.Informers
	checkStream(l, path, r)
	if l.Handler != nil {
		checkGrants(c, &l.Handler.Grants, join(join(path, "handler"), "grants"), r)
		checkRequestTime(l.Handler, join(path, "handler"), r)
	}
	checkOutputNames(c, l.Outputs, path, r)
}

// checkStream checks a listener but for its outputs. Of a policy, path is empty and r is about its
// file; the listener's informers stand in the files of r and of the further reports.
func checkStream(l *Listener, path string, r *report, further ...*report) {
	checkInformerRef(l, path, r, further)
	checkOn(l, path, r)
	checkBuffer(&l.Buffer, join(path, "buffer"), r)
	if field := join(path, "select"); r.good(field) && strings.TrimSpace(l.Select.Text) == "" {
		r.value(field, "remove it to select all objects", "%s is empty", field)
	}
	if field := join(path, "filter"); r.good(field) && strings.TrimSpace(l.Filter.Text) == "" {
		r.value(field, "remove it to let all events pass", "%s is empty", field)
	}
	if l.Handler != nil {
		checkHandler(l.Handler, join(path, "handler"), r)
	}
	r.number(join(path, "workers"), &l.Workers, 1, 1, 64)
	checkRetry(&l.Retry, join(path, "retry"), r)
	checkRules(l.Rules, join(path, "rules"), r)
	checkOverflow(l, path, r)
}

// checkOverflow refuses a buffer that may lose deletes for what remembers objects until they are
// deleted.
func checkOverflow(l *Listener, path string, r *report) {
	field := join(join(path, "buffer"), "overflow")
	if !r.good(field) || l.Buffer.Overflow != OverflowDrop {
		return
	}
	for _, other := range []struct {
		name string
		has  bool
	}{{"the select remembers", !l.Select.IsZero()}, {"rules remember", len(l.Rules) > 0}} {
		if other.has {
			r.value(field, "use latest, which loses no object's last state",
				"%s is drop, which may lose the deletion of an object that %s", field, other.name)
			return
		}
	}
}

func checkInformerRef(l *Listener, path string, r *report, further []*report) {
	field := join(path, "informer")
	if r.missing(path, "informer") {
		r.key(path, "add informer, the name of one or an informer with its resource",
			"%s has no informer", cmp.Or(path, "the policy"))
	}
	if !r.good(field) {
		return
	}
	if l.informer = l.InformerRef.Inline; l.informer != nil {
		checkInformer(l.informer, field, r)
		return
	}
	l.informer = l.informers[l.InformerRef.Name]
	inReport := func(r *report) bool {
		return r.has(join("informers", l.InformerRef.Name)) || r.failed["informers"]
	}
	if l.informer == nil && !inReport(r) && !slices.ContainsFunc(further, inReport) {
		r.value(field, known(r, l.InformerRef.Name, "informers", l.informers),
			"%s: unknown informer %s", field, quote(l.InformerRef.Name))
	}
}

// known is the hint for a name that is not there. It is not looked for when so many mistakes were
// found that most are not shown: comparing every wrong name with every right one would take long.
func known[V any](r *report, name, what string, there map[string]V) string {
	const most = 10
	if len(r.errs) > maxErrors {
		return ""
	}
	names := slices.Sorted(maps.Keys(there))
	if hint := didYouMean(name, names); hint != "" {
		return hint
	}
	switch {
	case len(names) == 0:
		return "there are no " + what
	case len(names) > most:
		return ""
	}
	return "the " + what + " are " + strings.Join(names, ", ")
}

func checkOn(l *Listener, path string, r *report) {
	field, period := join(path, "on"), join(path, "resync")
	if r.good(period) && l.Resync.Duration != 0 && l.Resync.Duration < time.Second {
		r.value(period, "0 is never", "%s must be at least 1s, is %s", period, l.Resync.Duration)
	}
	if !r.has(field) {
		l.On = []event.Op{event.Add, event.Update, event.Delete}
		if l.Resync.Duration > 0 {
			l.On = append(l.On, event.Resync)
		}
		return
	}
	if r.good(field) && len(l.On) == 0 {
		r.value(field, "remove it for add, update and delete", "%s is an empty list", field)
		return
	}
	allGood := r.good(field)
	for i, op := range l.On {
		allGood = allGood && r.good(item(field, i))
		if r.good(item(field, i)) && slices.Contains(l.On[:i], op) {
			r.value(item(field, i), "", "%s repeats %s", item(field, i), op)
		}
	}
	at := slices.Index(l.On, event.Resync)
	switch {
	case r.failed[period] || r.broken[path] || !allGood:
		// The period or the list may be right once their mistakes are mended.
	case at >= 0 && l.Resync.Duration == 0:
		r.value(item(field, at), "add a period to the listener, as in resync: 5m",
			"%s is resync, but %s has no resync period", item(field, at), path)
	case at < 0 && l.Resync.Duration > 0:
		r.value(period, "add resync to on, or remove the period", "%s is set, but %s has no resync",
			period, field)
	}
}

func checkBuffer(b *Buffer, path string, r *report) {
	r.number(join(path, "capacity"), &b.Capacity, 1024, 1, 1_000_000)
	field := join(path, "overflow")
	r.oneOf(field, &b.Overflow, OverflowLatest, OverflowLatest, OverflowBlock, OverflowDrop,
		OverflowSpill)
	spill := join(path, "spill")
	if b.Spill == nil {
		return
	}
	if b.Overflow != OverflowSpill && !r.failed[field] {
		r.key(spill, "set overflow: spill, or remove it", "%s is set, but the overflow is %s",
			spill, b.Overflow)
	}
	r.path(join(spill, "dir"), b.Spill.Dir, "a folder")
	r.size(join(spill, "bytes"), &b.Spill.Bytes, 256<<20, 1<<20, 1<<40)
}

var (
	remoteModule = regexp.MustCompile(`^[a-z][a-z0-9+.-]*://`)
	sha256Digest = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

func checkHandler(h *Handler, path string, r *report) {
	field := join(path, "wasm")
	switch {
	case r.missing(path, "wasm"):
		r.key(path, "add wasm, the path of the module", "%s has no wasm", path)
	case r.good(field) && remoteModule.MatchString(h.Wasm):
		r.value(field, "give the path of a file",
			"%s: modules from elsewhere are not supported by this version", field)
	default:
		r.path(field, h.Wasm, "the module")
	}
	if field := join(path, "sha256"); r.good(field) && !sha256Digest.MatchString(h.SHA256) {
		r.value(field, "sha256sum prints it", "%s must be 64 lower-case hexadecimal digits, is %s",
			field, quote(h.SHA256))
	}
	r.number(join(path, "batch"), &h.Batch, 64, 1, 1000)
	r.number(join(path, "pauseAfter"), &h.PauseAfter, 5, 0, 1000)
	checkLimits(&h.Limits, join(path, "limits"), r)
}

func checkLimits(l *Limits, path string, r *report) {
	r.size(join(path, "memory"), &l.Memory, 16<<20, 64<<10, 4<<30)
	r.number(join(path, "fuel"), &l.Fuel, 0, 0, 2_000_000_000)
	r.number(join(path, "recycle"), &l.Recycle, 1_000_000, -1, 2_000_000_000)
	r.duration(join(path, "deadline"), &l.Deadline, 100*time.Millisecond, time.Millisecond,
		time.Minute)
	r.size(join(path, "module"), &l.Module, 32<<20, 1<<10, 64<<20)
	load := join(path, "load")
	r.duration(join(load, "time"), &l.Load.Time, time.Minute, 100*time.Millisecond, time.Hour)
	r.size(join(load, "memory"), &l.Load.Memory, 1<<30, 64<<20, 16<<30)
}

func checkRetry(retry *Retry, path string, r *report) {
	low, high := join(path, "minBackoff"), join(path, "maxBackoff")
	r.number(join(path, "attempts"), &retry.Attempts, 5, 1, 1000)
	r.duration(low, &retry.MinBackoff, time.Second, time.Millisecond, time.Hour)
	r.duration(high, &retry.MaxBackoff, time.Minute, time.Millisecond, time.Hour)
	if retry.MinBackoff.Duration <= retry.MaxBackoff.Duration || r.failed[low] || r.failed[high] {
		return
	}
	if r.has(high) {
		r.value(high, "", "%s is %s, less than %s, %s", high, short(retry.MaxBackoff.Duration), low,
			short(retry.MinBackoff.Duration))
		return
	}
	r.value(low, "set maxBackoff as well", "%s is %s, more than the default of maxBackoff, %s", low,
		short(retry.MinBackoff.Duration), short(retry.MaxBackoff.Duration))
}

func checkOutputNames(c *Config, outputs []string, path string, r *report) {
	field := join(path, "outputs")
	switch {
	case r.missing(path, "outputs"):
		r.key(path, "add outputs, a list of names", "%s has no outputs", path)
	case r.good(field) && len(outputs) == 0:
		r.value(field, "", "%s must have at least one output", field)
	}
	seen := make(map[string]bool, len(outputs))
	for i, name := range outputs {
		at := item(field, i)
		switch {
		case !r.good(at):
		case seen[name]:
			r.value(at, "", "%s repeats the output %s", at, quote(name))
		case !r.has(join("outputs", name)) && !r.failed["outputs"]:
			r.value(at, known(r, name, "outputs", c.Outputs), "%s: unknown output %s", at,
				quote(name))
		}
		seen[name] = true
	}
}
