package migrate

import (
	"fmt"
	"strings"
)

// eventFields are the texts of an Event by their names in templates.
var eventFields = map[string]string{
	"Message": "object.message", "Reason": "object.reason", "Type": "object.type",
	"Action": "object.action", "Name": "object.metadata.name",
	"Namespace": "object.metadata.namespace", "UID": "object.metadata.uid",
	"GenerateName":                   "object.metadata.generateName",
	"ResourceVersion":                "object.metadata.resourceVersion",
	"ReportingController":            "object.reportingComponent",
	"ReportingInstance":              "object.reportingInstance",
	"Source.Component":               "object.source.component",
	"Source.Host":                    "object.source.host",
	"InvolvedObject.Kind":            "object.involvedObject.kind",
	"InvolvedObject.Name":            "object.involvedObject.name",
	"InvolvedObject.Namespace":       "object.involvedObject.namespace",
	"InvolvedObject.UID":             "object.involvedObject.uid",
	"InvolvedObject.APIVersion":      "object.involvedObject.apiVersion",
	"InvolvedObject.ResourceVersion": "object.involvedObject.resourceVersion",
	"InvolvedObject.FieldPath":       "object.involvedObject.fieldPath",
}

// eventTimes are written in another form by templates.
var eventTimes = map[string]string{
	"FirstTimestamp": "object.firstTimestamp", "LastTimestamp": "object.lastTimestamp",
	"EventTime": "object.eventTime", "CreationTimestamp": "object.metadata.creationTimestamp",
}

// eventParts are values of any shape, which templates write as JSON.
var eventParts = map[string]string{
	"": "object", "Labels": "object.metadata.labels", "Annotations": "object.metadata.annotations",
	"Source": "object.source", "InvolvedObject": "object.involvedObject", "Series": "object.series",
	"Related": "object.related",
}

// isoTime is what GetTimestampISO8601 returns: milliseconds, which only eventTime has.
const isoTime = `object.firstTimestamp != nil ? trimSuffix(object.firstTimestamp, "Z") + ".000Z" : (object.eventTime ?? "")`

// eventField returns the value of a path in a template about an Event.
func (t *template) eventField(path []string) (value, error) {
	// embedded structs can be named or not
	var short []string
	for _, name := range path {
		if name != "ObjectMeta" && name != "ObjectReference" && name != "Event" {
			short = append(short, name)
		}
	}
	name := strings.Join(short, ".")
	first := ""
	if len(short) > 0 {
		first = short[0]
	}
	switch text := eventFields[name]; {
	case text != "":
		return value{text + ` ?? ""`, aText}, nil
	case name == "Count":
		return value{"object.count ?? 0", aNumber}, nil
	case name == "ClusterName":
		return value{"cluster", aText}, nil
	case name == "Kind" || name == "APIVersion":
		return value{`""`, aText}, nil // event-exporter reads Events without them
	case name == "GetTimestampISO8601":
		return value{isoTime, aText}, nil
	case name == "GetTimestampMs":
		t.differs = append(t.differs,
			"GetTimestampMs: expressions have no number for a point in time; it is a date as in RFC 3339")
		return value{`object.firstTimestamp ?? object.eventTime ?? ""`, aText}, nil
	case eventTimes[name] != "":
		t.differs = append(t.differs, name+": the date is written as in RFC 3339")
		return value{eventTimes[name] + ` ?? ""`, aText}, nil
	case len(short) == 2 && (first == "Labels" || first == "Annotations"):
		return value{fmt.Sprintf(`%s[%s] ?? ""`, eventParts[first], quoted(short[1])), aText}, nil
	case strings.HasPrefix(name, "InvolvedObject.") && len(short) > 1 &&
		(short[1] == "Labels" || short[1] == "Annotations" || short[1] == "OwnerReferences"):
		return value{}, fmt.Errorf(".%s: an Event does not have what event-exporter looks up of the involved object, and outputs cannot look it up; a handler with the grant cache can", name)
	case eventParts[name] != "":
		return value{eventParts[name], aJSON}, nil
	}
	return value{}, fmt.Errorf(".%s is not a field of an Event", truncate(name))
}
