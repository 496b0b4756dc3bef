package config

import (
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// check fills in defaults and reports what is wrong in values of the right types. It does not
// repeat what the decoder has reported. It gives the informers, of which several may share a cache.
func check(c *Config, r *report) []placedInformer {
	r.word("cluster.name", &c.Cluster.Name, "default")
	r.label("cluster.name", c.Cluster.Name)
	for _, field := range []struct{ path, value string }{
		{"cluster.kubeconfig", c.Cluster.Kubeconfig}, {"cluster.context", c.Cluster.Context},
	} {
		r.notEmpty(field.path, field.value)
	}
	r.oneOf("cluster.compression", &c.Cluster.Compression, CompressionAuto, CompressionAuto,
		CompressionOn, CompressionOff)
	checkHTTP(&c.HTTP, r)
	checkHealth(&c.Health, r)
	r.duration("shutdown.drain", &c.Shutdown.Drain, 25*time.Second, 0, time.Hour)
	r.duration("shutdown.close", &c.Shutdown.Close, time.Second, 100*time.Millisecond,
		10*time.Minute)
	checkState(&c.State, r)
	if !r.has("policies") {
		r.atLeastOne("listeners", "listener or policy",
			"add listeners, or policies, with at least one of them", len(c.Listeners))
	}
	r.atLeastOne("outputs", "output", "add outputs with at least one output", len(c.Outputs))
	checkPolicies(c, r)

	var informers []placedInformer
	for name, informer := range sorted(c.Informers) {
		path := join("informers", name)
		r.name(path, name)
		if informer != nil && r.good(path) {
			checkInformer(informer, path, r)
			informers = append(informers, placedInformer{path, r, informer})
		}
	}
	for name, output := range sorted(c.Outputs) {
		path := join("outputs", name)
		r.name(path, name)
		if output != nil && r.good(path) {
			output.Name = name
			checkOutput(output, path, r)
		}
	}
	for name, listener := range sorted(c.Listeners) {
		path := join("listeners", name)
		r.name(path, name)
		if listener != nil && r.good(path) {
			listener.Name = name
			checkListener(c, listener, path, r)
			if inline := listener.InformerRef.Inline; inline != nil {
				informers = append(informers, placedInformer{join(path, "informer"), r, inline})
			}
		}
	}
	return informers
}

func (r *report) atLeastOne(field, what, hint string, n int) {
	switch {
	case r.missing("", field):
		r.key("", hint, "%s is missing", field)
	case r.good(field) && n == 0 && !r.broken[field]:
		r.key(field, "", "%s must have at least one %s", field, what)
	}
}

// sorted goes through a map in the order of its names, so that the same file always gives the same
// errors.
func sorted[V any](m map[string]V) func(yield func(string, V) bool) {
	return func(yield func(string, V) bool) {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if !yield(name, m[name]) {
				return
			}
		}
	}
}

const labelHint = `use at most 63 lower-case letters, digits and "-", with a letter or digit at both ends`

// name checks a name that the user chose for an informer, a listener or an output.
func (r *report) name(path, name string) {
	if len(validation.IsDNS1123Label(name)) > 0 {
		r.key(path, labelHint, "%s: the name %s is not a DNS label", path, quote(name))
	}
}

// label checks a value that must be a DNS label.
func (r *report) label(path, value string) {
	if r.good(path) && len(validation.IsDNS1123Label(value)) > 0 {
		r.value(path, labelHint, "%s must be a DNS label, is %s", path, quote(value))
	}
}

func (r *report) notEmpty(path, value string) {
	if r.good(path) && value == "" {
		r.value(path, "give it a value or remove it", "%s is empty", path)
	}
}

// word fills in a default.
func (r *report) word(path string, value *string, byDefault string) {
	if !r.good(path) {
		*value = byDefault
	}
}

// otherWords are what other tools call what is one of a few words here.
var otherWords = map[string][]string{
	"warning": {SeverityMedium, "warn"}, "warn": {SeverityMedium}, "moderate": {
		SeverityMedium}, "normal": {SeverityMedium}, "average": {SeverityMedium},
	"error": {SeverityHigh}, "err": {SeverityHigh, "error"}, "major": {SeverityHigh}, "important": {
		SeverityHigh},
	"fatal": {SeverityCritical, "error"}, "emergency": {SeverityCritical}, "crit": {
		SeverityCritical}, "alert": {SeverityCritical},
	"disaster": {SeverityCritical}, "page": {SeverityCritical}, "blocker": {SeverityCritical},
	"minor": {SeverityLow}, "trivial": {SeverityLow}, "notice": {
		SeverityInfo, SeverityLow}, "information": {SeverityInfo},
	"informational": {SeverityInfo}, "debug": {SeverityInfo}, "none": {SeverityInfo}, "trace": {
		"debug"}, "verbose": {"debug"},
	"true": {CompressionOn}, "yes": {CompressionOn}, "gzip": {CompressionOn}, "false": {
		CompressionOff}, "no": {CompressionOff},
	"wait": {OverflowBlock}, "discard": {OverflowDrop}, "disk": {OverflowSpill}, "file": {
		OverflowSpill},
}

// oneOf fills in a default and checks that the value is one of the words.
func (r *report) oneOf(path string, value *string, byDefault string, words ...string) {
	r.word(path, value, byDefault)
	if last := len(words) - 1; r.good(path) && !slices.Contains(words, *value) {
		hint := didYouMean(*value, words)
		for _, meant := range otherWords[strings.ToLower(*value)] {
			if slices.Contains(words, meant) {
				hint = "write " + meant
			}
		}
		r.value(path, hint, "%s must be %s or %s, is %s", path, strings.Join(words[:last], ", "),
			words[last], quote(*value))
	}
}

// number fills in a default and checks the range.
func (r *report) number(path string, value *int, byDefault, low, high int) {
	if !r.good(path) {
		*value = byDefault
	} else if *value < low || *value > high {
		r.value(path, "", "%s must be %d to %d, is %d", path, low, high, *value)
	}
}

// duration fills in a default and checks the range.
func (r *report) duration(path string, value *metav1.Duration, byDefault, low, high time.Duration) {
	if !r.good(path) {
		value.Duration = byDefault
	} else if value.Duration < low || value.Duration > high {
		r.value(path, "", "%s must be %s to %s, is %s", path, short(low), short(high),
			short(value.Duration))
	}
}

// size fills in a default and checks the range.
func (r *report) size(path string, value *Bytes, byDefault, low, high Bytes) {
	if !r.good(path) {
		*value = byDefault
	} else if *value < low || *value > high {
		r.value(path, "", "%s must be %s to %s, is %s", path, low, high, *value)
	}
}

// short writes a duration without units that are zero: 1m for 1m0s.
func short(d time.Duration) string {
	s := d.String()
	if d >= time.Minute && d%time.Minute == 0 {
		s = s[:len(s)-len("0s")]
	}
	if d >= time.Hour && d%time.Hour == 0 {
		s = s[:len(s)-len("0m")]
	}
	return s
}

func checkOutput(o *Output, path string, r *report) {
	if o.Stdout == nil && !r.has(join(path, "stdout")) && !r.broken[path] {
		r.key(path, "write stdout: {} below it", "%s has no kind", path)
	}
}
