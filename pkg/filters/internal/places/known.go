package places

import (
	"regexp"
	"slices"
	"strings"

	"github.com/informerd/informerd/pkg/filters/internal/doubts"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

var quotedText = regexp.MustCompile(`["']([^"']*)["']`)

// statesOf returns the state of a container that has a reason which the text names, "" if it names
// none.
func statesOf(behind string) string {
	asked := behindKey.FindString(behind)
	for _, found := range quotedText.FindAllStringSubmatch(asked, -1) {
		switch {
		case slices.Contains(doubts.WaitingReasons, found[1]):
			return "waiting"
		case slices.Contains(doubts.TerminatedReasons, found[1]):
			return "terminated"
		}
	}
	return ""
}

// moved are fields of other versions of resources by the end of their parent's path, and another
// field of the parent in this version.
var moved = []struct{ parent, other, key, now string }{
	{".backend", "service", "serviceName", "service.name"},
	{".backend", "service", "servicePort", "service.port.number"},
	// events of events.k8s.io, and of the core group
	{"", "regarding", "involvedObject", "regarding"},
	{"", "regarding", "message", "note"},
	{"", "regarding", "source.component", "reportingController"},
	{"", "regarding", "source", "deprecatedSource"},
	{"", "regarding", "reportingComponent", "reportingController"},
	{"", "regarding", "count", "deprecatedCount"},
	{"", "regarding", "firstTimestamp", "deprecatedFirstTimestamp"},
	{"", "regarding", "lastTimestamp", "deprecatedLastTimestamp"},
	{"", "involvedObject", "regarding", "involvedObject"},
	{"", "involvedObject", "note", "message"},
	{"", "involvedObject", "reportingController", "reportingComponent"},
	{"", "involvedObject", "deprecatedSource", "source"},
	{"", "involvedObject", "deprecatedCount", "count"},
	{"", "involvedObject", "deprecatedFirstTimestamp", "firstTimestamp"},
	{"", "involvedObject", "deprecatedLastTimestamp", "lastTimestamp"},
}

// repeated is said of the count of an event, of which some are recorded as a series.
const repeated = "; of an event that is recorded as a series, it is series.count"

// imageParts are what image(…) reads of a reference.
var imageParts = []string{"registry", "repository", "name", "tag", "digest"}

// Known returns what to write for a field that is known to be asked for in another way: the age of
// an object, a part of an image, a field of an old version.
func (a Asked) Known() (hint string, fix *lang.Fix) {
	text := []rune(a.Text)
	if a.Offset > len(text) {
		return "", nil
	}
	end := a.Offset + len([]rune(a.Key))
	before := pathBefore.FindStringSubmatch(string(text[:a.Offset]))
	whole := func(by string) (string, *lang.Fix) {
		from := a.Offset - len([]rune(before[1])) - 1
		return "write " + by, &lang.Fix{From: from, To: end, Text: by}
	}
	switch {
	case before != nil && before[1] == "object.metadata" && a.Key == "age":
		return whole("age()")
	case before != nil && strings.HasSuffix(before[1], ".image") && slices.Contains(imageParts, a.Key):
		return whole("image(" + before[1] + ")." + a.Key)
	}
	for _, m := range moved {
		first, below, deeper := strings.Cut(m.key, ".")
		to := end + len(m.key) - len(first)
		if first != a.Key || !strings.HasSuffix(a.Path, m.parent) || a.Parent == nil ||
			a.Parent.Fields[m.other] == nil ||
			deeper && fieldsBehind.FindString(string(text[end:])) != "."+below {
			continue
		}
		hint := "write " + m.now
		if m.now == "deprecatedCount" {
			hint += repeated
		}
		return hint, &lang.Fix{From: a.Offset, To: to, Text: m.now}
	}
	return "", nil
}
