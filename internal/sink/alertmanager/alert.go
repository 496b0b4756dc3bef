package alertmanager

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/sink"
)

// How far away the end of a violation is: some of its repeats, as with Prometheus, so that one of
// them may be lost; and if it is not repeated, so long that somebody sees it.
const (
	horizonRepeats = 4
	horizon        = 30 * 24 * time.Hour
)

// alert is a postable alert of the API v2.
type alert struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations,omitempty"`
	StartsAt    time.Time         `json:"startsAt"`
	EndsAt      time.Time         `json:"endsAt"`
}

// newAlert returns the alert for a message.
func (s *Sink) newAlert(m *sink.Message, now time.Time) (alert, error) {
	if m.Report == nil {
		return alert{}, sink.Permanent(errors.New(
			"the message is not a rule's report: write when: rule != nil at the output, or name it in listeners with rules only"))
	}
	labels, err := s.labels(m)
	if err != nil {
		return alert{}, err
	}
	r := m.Report
	a := alert{Labels: labels, StartsAt: r.Since.UTC(), EndsAt: now.Add(cmp.Or(horizonRepeats*r.Repeat, horizon)).UTC()}
	if text := valid(r.Message); text != "" {
		a.Annotations = map[string]string{"message": text}
	}
	if !r.Violated {
		a.EndsAt = m.Time.UTC()
	}
	if a.EndsAt.Before(a.StartsAt) {
		a.EndsAt = a.StartsAt // otherwise it is refused, and fires until its end
	}
	return a, nil
}

// labels returns the labels of a message: those that its violation was sent with, or else new ones.
func (s *Sink) labels(m *sink.Message) (map[string]string, error) {
	if known := s.config.Sent.labels(listenerOf(m), violationOf(m)); known != nil {
		return known, nil
	}
	labels := map[string]string{
		"severity":  m.Report.Severity,
		"cluster":   m.Origin.Cluster,
		"listener":  m.Origin.Listener,
		"resource":  m.Origin.Resource,
		"namespace": m.Object.Namespace(),
		"name":      m.Object.Name(),
	}
	for name, value := range s.config.Labels {
		text, err := value(m)
		if err != nil {
			return nil, sink.Permanent(fmt.Errorf("label %q: %w", name, err))
		}
		labels[name] = text
	}
	labels["alertname"] = m.Report.Rule
	for name, text := range labels {
		labels[name] = valid(text)
	}
	maps.DeleteFunc(labels, func(_, text string) bool { return text == "" })
	return labels, nil
}

// valid replaces what is not UTF-8, which Alertmanager refuses.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
