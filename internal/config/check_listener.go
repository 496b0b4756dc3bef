package config

import (
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config/advice"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/resourcename"
	"github.com/informerd/informerd/pkg/informer/event"
)

func checkListener(c *Config, l *Listener, path string, r *document.Report) {
	l.informers, l.replicated = c.Informers, c.LeaderElection != nil
	checkStream(l, path, r)
	if l.Handler != nil {
		checkHandler(c, l.Handler, document.Join(path, "handler"), r)
	}
	checkOutputNames(c, l.Outputs, path, r)
	checkUses(c, l, l.Outputs, path, r)
	checkCheckpoint(c, l.Checkpoint, path, r)
}

// checkCheckpoint refuses a checkpoint if no folder is named to keep it in. Replicas need none.
func checkCheckpoint(c *Config, wanted bool, path string, r *document.Report) {
	field := document.Join(path, "checkpoint")
	const replicas = "%s is true, and with leaderElection there is no checkpoint on disk"
	const leave = "leave it out: the next leader goes on where the last one was"
	switch has := c.State.Dir != "" || r.Has("state"); {
	case !wanted || !r.Good(field) || r.Broken(""):
		return
	case c.LeaderElection != nil && has:
		r.Warn(r.Value(field), field, leave, replicas, field)
		return
	case has:
		return
	case c.LeaderElection != nil:
		r.BadValue(field, leave, replicas, field)
		return
	}
	r.BadValue(field, "add state: {dir: FOLDER} to the configuration",
		"%s is true, but no folder is named to keep it in", field)
}

// checkStream checks what the tags of a listener's fields cannot say, but for its handler and its
// outputs. Of a policy, path is empty and r is about its file; the listener's informers are in the
// files of r and of the further reports.
func checkStream(l *Listener, path string, r *document.Report, further ...*document.Report) {
	checkInformerRef(l, path, r, further)
	checkOn(l, path, r)
	checkSpill(&l.Buffer, document.Join(path, "buffer"), r)
	checkBackoffs(&l.Retry, document.Join(path, "retry"), r)
	checkRuleNames(l.Rules, document.Join(path, "rules"), r)
	checkOverflow(l, path, r)
}

// checkOverflow refuses a buffer that may lose deletes if the listener remembers objects until they
// are deleted.
func checkOverflow(l *Listener, path string, r *document.Report) {
	field := document.Join(document.Join(path, "buffer"), "overflow")
	if !r.Good(field) || l.Buffer.Overflow != OverflowDrop {
		return
	}
	for _, other := range []struct {
		name string
		has  bool
	}{{"the select remembers", !l.Select.IsZero()}, {"rules remember", len(l.Rules) > 0},
		{"the checkpoint remembers", l.Checkpoint},
		{"another replica has to learn of", l.replicated}} {
		if other.has {
			r.BadValue(field, "use latest, which loses no object's last state",
				"%s is drop, which may lose the deletion of an object that %s", field, other.name)
			return
		}
	}
}

func checkInformerRef(l *Listener, path string, r *document.Report, further []*document.Report) {
	field := document.Join(path, "informer")
	if !r.Good(field) {
		return
	}
	if l.informer = l.InformerRef.Inline; l.informer != nil {
		checkInformer(l.informer, field, r)
		return
	}
	l.informer = l.informers[l.InformerRef.Name]
	inReport := func(r *document.Report) bool {
		return r.Has(document.Join("informers", l.InformerRef.Name)) || r.Failed("informers")
	}
	if l.informer == nil && !inReport(r) && !slices.ContainsFunc(further, inReport) &&
		!misnamed(l.InformerRef.Name, l.informers) {
		hint := nameHint(r, l.InformerRef.Name, "informers", l.informers)
		switch name := l.InformerRef.Name; {
		case advice.NotReplaced(name) != "":
			hint = advice.NotReplaced(name)
		case advice.Unspaced(document.Shape{Texts: []string{name}}) != "":
			hint = advice.Unspaced(document.Shape{Texts: []string{name}})
		case strings.Contains(name, ","):
			hint = advice.Instead("informer", "", document.Shape{IsList: true,
				Texts: strings.Fields(strings.ReplaceAll(name, ",", " "))})
		case len(l.informers) == 0 && hint != "" && resourcename.Pattern.MatchString(name):
			hint = "there are no informers; for the resource of that name, write {resource: " +
				name + "}"
		}
		r.BadValue(field, hint, "%s: unknown informer %s", field, document.Quote(l.InformerRef.Name))
	}
}

func checkOn(l *Listener, path string, r *document.Report) {
	field, period := document.Join(path, "on"), document.Join(path, "resync")
	if !r.Has(field) {
		l.On = []event.Op{event.Add, event.Update, event.Delete}
		if l.Resync.Duration > 0 {
			l.On = append(l.On, event.Resync)
		}
		return
	}
	allGood := r.Good(field)
	for i := range l.On {
		allGood = allGood && r.Good(document.Item(field, i))
	}
	at := slices.Index(l.On, event.Resync)
	switch {
	case r.Failed(period) || r.Broken(path) || !allGood:
		// The period or the list may be right once their mistakes are corrected.
	case at >= 0 && l.Resync.Duration == 0:
		r.BadValue(document.Item(field, at), "add a period to the listener, as in resync: 5m",
			"%s is resync, but %s has no resync period", document.Item(field, at), path)
	case at < 0 && l.Resync.Duration > 0:
		r.BadValue(period, "add resync to on, or remove the period",
			"%s is set, but %s has no resync",
			period, field)
	}
}

// checkSpill refuses the settings of a file for a buffer without one.
func checkSpill(b *Buffer, path string, r *document.Report) {
	spill := document.Join(path, "spill")
	if b.Spill != nil && b.Overflow != OverflowSpill && !r.Failed(document.Join(path, "overflow")) {
		r.BadField(spill, "set overflow: spill, or remove it",
			"%s is set, but the overflow is %s", spill, b.Overflow)
	}
}

// checkBackoffs compares the pauses between attempts.
func checkBackoffs(retry *Retry, path string, r *document.Report) {
	low, high := document.Join(path, "minBackoff"), document.Join(path, "maxBackoff")
	if retry.MinBackoff.Duration <= retry.MaxBackoff.Duration || r.Failed(low) || r.Failed(high) {
		return
	}
	if r.Has(high) {
		r.BadValue(high, "", "%s is %s, less than %s, %s", high,
			document.Short(retry.MaxBackoff.Duration), low,
			document.Short(retry.MinBackoff.Duration))
		return
	}
	r.BadValue(low, "set maxBackoff as well", "%s is %s, more than the default of maxBackoff, %s",
		low,
		document.Short(retry.MinBackoff.Duration), document.Short(retry.MaxBackoff.Duration))
}

// checkRuleNames refuses rules of one name.
func checkRuleNames(rules []Rule, path string, r *document.Report) {
	names := make(map[string]bool, len(rules))
	for i, rule := range rules {
		field := document.Join(document.Item(path, i), "name")
		if r.Good(field) && names[rule.Name] {
			r.BadValue(field, "choose another name", "%s repeats the name %s", field,
				document.Quote(rule.Name))
		}
		names[rule.Name] = names[rule.Name] || r.Has(field)
	}
}
