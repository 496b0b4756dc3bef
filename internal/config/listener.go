package config

import (
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Listener is one stream of events: from an informer through a buffer, a filter and a handler to
// outputs. With rules it sends what they report, and events only if it has a filter or a handler
// as well.
type Listener struct {
	// Name is the listener's key in Config.Listeners.
	Name string `json:"-"`
	// Policy is the path of the policy file that the listener comes from, empty if it is in the
	// configuration itself.
	Policy string `json:"-"`
	// Description is the policy's, empty for others.
	Description string `json:"-"`
	// InformerRef is the name of an informer, or an informer in full.
	InformerRef InformerRef `json:"informer" jsonschema:"required"`
	// On are the events the listener wants. Default: add, update, delete, and resync if a period is
	// set.
	On []event.Op `json:"on" jsonschema:"minItems=1,uniqueItems" item:"event"`
	// Resync is the period after which every object is delivered again, as a resync event.
	Resync metav1.Duration `json:"resync,omitzero" jsonschema:"default=0s,zero=never,minimum=1s"`
	// Buffer is the queue in front of the listener.
	Buffer Buffer `json:"buffer,omitzero"`
	// Select is an expression about the object alone. An update that makes it true becomes an add,
	// one that makes it false a delete. Default: none, all objects.
	Select Expression `json:"select,omitzero" jsonschema:"minLength=1"`
	// Filter is an expression; events for which it is false go no further. Default: none, all
	// events pass.
	Filter Expression `json:"filter,omitzero" jsonschema:"minLength=1"`
	// OnError is what becomes of an event on which the filter fails. dead-letter: it is a dead
	// letter. skip: it goes no further. pass: it goes on, as if the filter were true.
	OnError string `json:"onError" jsonschema:"default=dead-letter,enum=dead-letter,enum=skip,enum=pass"`
	// Rules describe unwanted states of the objects. on and filter do not apply to them. Default:
	// none.
	Rules []Rule `json:"rules,omitempty" jsonschema:"minItems=1" item:"rule"`
	// Handler is a WASM module that gets the events that pass the filter. Default: none.
	Handler *Handler `json:"handler,omitempty"`
	// Workers is how many events are processed at the same time; events of one object never are.
	Workers int `json:"workers" jsonschema:"default=1,minimum=1,maximum=64"`
	// Retry is how often and how fast a handler and an output are tried again.
	Retry Retry `json:"retry,omitzero"`
	// Checkpoint has the listener go on after a restart where it was, deletes included. It needs
	// state.dir.
	Checkpoint bool `json:"checkpoint" jsonschema:"default=false"`
	// Outputs are the names of the outputs that get the listener's events.
	Outputs []string `json:"outputs" jsonschema:"required,minItems=1,uniqueItems" item:"output"`

	informer   *Informer
	informers  map[string]*Informer
	replicated bool // there may be several replicas
}

// Buffer is the queue in front of a listener.
type Buffer struct {
	// Capacity is how many events may wait.
	Capacity int `json:"capacity" jsonschema:"default=1024,minimum=1,maximum=1000000"`
	// Overflow is what happens when the buffer is full. latest: the object is delivered later,
	// once, in its current state. block: the informer and its other listeners wait. drop: the event
	// is given up and counted. spill: the event is written to a file; when that is full, as latest.
	Overflow string `json:"overflow" jsonschema:"default=latest,enum=latest,enum=block,enum=drop,enum=spill"`
	// Spill bounds the file of overflow spill.
	Spill *Spill `json:"spill,omitempty"`
}

// Policies of overflow that other settings depend on.
const (
	OverflowDrop  = "drop"
	OverflowSpill = "spill"
)

// Spill is the file a full buffer writes to. It has no name, and is gone when informerd ends.
type Spill struct {
	// Dir is the folder of the file. Default: the system's folder for temporary files, or state.dir
	// where nothing can be written to that.
	Dir string `json:"dir,omitempty" jsonschema:"format=path" item:"a folder"`
	// Bytes is how long the file may become.
	Bytes Bytes `json:"bytes" jsonschema:"default=256Mi,minimum=1Mi,maximum=1Ti"`
}

// Retry says how a handler that crashed and an output that is away are tried again. The pause
// doubles from minBackoff to maxBackoff, and is shortened at random.
type Retry struct {
	// Attempts is how often the handler is tried on one event before that is a dead letter. An
	// output that is away uses up none.
	Attempts int `json:"attempts" jsonschema:"default=5,minimum=1,maximum=1000"`
	// GiveUpAfter is how long an output is tried with one message before that is a dead letter.
	GiveUpAfter metav1.Duration `json:"giveUpAfter,omitzero" jsonschema:"default=0s,zero=never,minimum=1s"`
	// MinBackoff is the first pause.
	MinBackoff metav1.Duration `json:"minBackoff" jsonschema:"default=1s,minimum=1ms,maximum=1h"`
	// MaxBackoff is the longest pause, not less than minBackoff.
	MaxBackoff metav1.Duration `json:"maxBackoff" jsonschema:"default=1m,minimum=1ms,maximum=1h"`
}

// GoesOn reports whether the listener goes on where it was when another process takes its place.
func (l *Listener) GoesOn() bool { return l.Checkpoint || l.replicated }

// Informer is the informer the listener refers to or brings along. It is never nil in a Config that
// was loaded.
func (l *Listener) Informer() *Informer { return l.informer }

// Informers are the informers that the listener's expressions may look objects up in, by name: the
// configuration's, and those of the policy file it comes from, which take precedence. The map is
// shared: do not change it.
func (l *Listener) Informers() map[string]*Informer { return l.informers }

// Ops is the set of events the listener wants.
func (l *Listener) Ops() event.OpSet {
	var ops event.OpSet
	for _, op := range l.On {
		ops = ops.With(op)
	}
	return ops
}

func decodeOp(v document.Value, into *event.Op) {
	word, ok := v.Text("a string")
	if !ok {
		return
	}
	op, err := event.ParseOp(word)
	if err != nil {
		words := opWords()
		v.Wrong("%s must be %s, is %s", v.Path, document.Or(words),
			document.Quote(word)).Hint = document.DidYouMean(word, words)
		return
	}
	*into = op
}

func opWords() (words []string) {
	for _, op := range event.Ops {
		words = append(words, op.String())
	}
	return words
}

func checkListener(c *Config, l *Listener, path string, r *document.Report) {
	l.informers, l.replicated = c.Informers, c.LeaderElection != nil
	checkStream(l, path, r)
	if l.Handler != nil {
		checkGrants(c, &l.Handler.Grants, path+".handler.grants", r)
		checkRequestTime(l.Handler, path+".handler", r)
	}
	checkOutputNames(c, l.Outputs, path, r)
	checkUses(c, l, l.Outputs, path, r)
	checkCheckpoint(c, l.Checkpoint, path, r)
}

// noFolder ends the mistake of what needs a folder for state.
const noFolder = "%s is true, and needs state: {dir: FOLDER} in the configuration"

// checkCheckpoint refuses a checkpoint if no folder is named to keep it in. Replicas need none.
func checkCheckpoint(c *Config, wanted bool, path string, r *document.Report) {
	field := document.Join(path, "checkpoint")
	const replicas = "%s has no effect with leaderElection, where the next leader goes on"
	has := c.State.Dir != "" || r.Has("state")
	switch {
	case !wanted || !r.Good(field) || r.Broken(""):
	case c.LeaderElection != nil && has:
		r.Warn(r.Value(field), field, replicas, field)
	case c.LeaderElection != nil:
		r.BadValue(field, replicas, field)
	case !has:
		r.BadValue(field, noFolder, field)
	}
}

// checkStream checks what the tags of a listener's fields cannot say, but for its handler and its
// outputs. Of a policy, path is empty and r is about its file; the listener's informers are in the
// files of r and of the further reports.
func checkStream(l *Listener, path string, r *document.Report, further ...*document.Report) {
	checkInformerRef(l, path, r, further)
	checkOn(l, path, r)
	checkBuffer(l, document.Join(path, "buffer"), r)
	checkBackoffs(&l.Retry, document.Join(path, "retry"), r)
	checkRuleNames(l.Rules, document.Join(path, "rules"), r)
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
	name := l.InformerRef.Name
	l.informer = l.informers[name]
	inReport := func(r *document.Report) bool {
		return r.Has(document.Join("informers", name)) || r.Failed("informers")
	}
	if l.informer == nil && !inReport(r) && !slices.ContainsFunc(further, inReport) &&
		!misnamed(name, l.informers) {
		r.BadValue(field, "%s: unknown informer %s", field,
			document.Quote(name)).Hint = nameHint(r, name, "informers", l.informers)
	}
}

// checkOn compares the events with the period, and fills in the default.
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
		r.BadValue(document.Item(field, at), "%s is resync, but %s has no resync period",
			document.Item(field, at), path)
	case at < 0 && l.Resync.Duration > 0:
		r.BadValue(period, "%s is set, but %s has no resync", period, field)
	}
}

// checkBuffer refuses the settings of a file for a buffer without one, and a buffer that may lose
// deletes if the listener remembers objects until they are deleted.
func checkBuffer(l *Listener, path string, r *document.Report) {
	b, overflow := l.Buffer, document.Join(path, "overflow")
	if b.Spill != nil && b.Overflow != OverflowSpill && !r.Failed(overflow) {
		spill := document.Join(path, "spill")
		r.BadField(spill, "%s is set, but the overflow is %s", spill, b.Overflow)
	}
	remembers := ""
	switch {
	case !l.Select.IsZero():
		remembers = "the select remembers"
	case len(l.Rules) > 0:
		remembers = "rules remember"
	case l.Checkpoint:
		remembers = "the checkpoint remembers"
	case l.replicated:
		remembers = "another replica has to learn of"
	}
	if r.Good(overflow) && b.Overflow == OverflowDrop && remembers != "" {
		r.BadValue(overflow, "%s is drop, which may lose the deletion of an object that %s",
			overflow, remembers)
	}
}

// checkBackoffs compares the pauses between attempts.
func checkBackoffs(retry *Retry, path string, r *document.Report) {
	low, high := document.Join(path, "minBackoff"), document.Join(path, "maxBackoff")
	if retry.MinBackoff.Duration <= retry.MaxBackoff.Duration || r.Failed(low) || r.Failed(high) {
		return
	}
	at := low
	if r.Has(high) {
		at = high
	}
	r.BadValue(at, "%s must not be more than maxBackoff: they are %s and %s", low,
		document.Short(retry.MinBackoff.Duration), document.Short(retry.MaxBackoff.Duration))
}

// checkRuleNames refuses rules of one name.
func checkRuleNames(rules []Rule, path string, r *document.Report) {
	names := make(map[string]bool, len(rules))
	for i, rule := range rules {
		field := document.Join(document.Item(path, i), "name")
		if r.Good(field) && names[rule.Name] {
			r.BadValue(field, "%s repeats the name %s", field, document.Quote(rule.Name))
		}
		names[rule.Name] = names[rule.Name] || r.Has(field)
	}
}

// maxNames is how many names a hint shows, or one is compared with.
const maxNames = 10

// nameHint returns the hint for an unknown name. It is left out when so many mistakes were found
// that most are not shown: comparing every wrong name with every right one would take long.
func nameHint[V any](r *document.Report, name, what string, all map[string]V) string {
	if r.Full() {
		return ""
	}
	names := slices.Sorted(maps.Keys(all))
	hint := document.DidYouMean(name, names)
	switch {
	case hint != "" || len(names) > maxNames:
		return hint
	case len(names) == 0:
		return "there are no " + what
	}
	return "the " + what + " are " + strings.Join(names, ", ")
}

// misnamed reports whether a name is defined with capital letters, which is reported there.
func misnamed[V any](name string, all map[string]V) bool {
	if len(all) > maxNames {
		return false
	}
	for other := range all {
		if other != name && strings.ToLower(other) == name {
			return true
		}
	}
	return false
}
