package config

import (
	"time"

	"github.com/informerd/informerd/internal/config/document"
)

// checkElection checks what the tags of the fields cannot say.
func checkElection(e *LeaderElection, path string, r *document.Report) {
	if field := document.Join(path, "leaseDuration"); r.Good(field) &&
		e.LeaseDuration.Duration%time.Second != 0 {
		r.BadValue(field, "write it as 15s", "%s is %v, and a Lease has whole seconds", field,
			e.LeaseDuration.Duration)
	}
	checkShorter(path, "renewDeadline", e.RenewDeadline.Duration, "leaseDuration",
		e.LeaseDuration.Duration, r)
	checkShorter(path, "retryPeriod", e.RetryPeriod.Duration, "renewDeadline",
		e.RenewDeadline.Duration, r)
}

// checkShorter checks that a duration is shorter than another one, also if one of them
// is a default.
func checkShorter(path, name string, is time.Duration, limitName string, limit time.Duration,
	r *document.Report) {
	field, limitField := document.Join(path, name), document.Join(path, limitName)
	if is < limit || r.Failed(field) || r.Failed(limitField) {
		return
	}
	switch {
	case r.Has(field):
		r.BadValue(field, "", "%s is %s, and must be shorter than %s, which is %s", field,
			document.Short(is), limitName, document.Short(limit))
	case r.Missing(path, name):
		r.BadValue(limitField, "set "+name+" as well",
			"%s is %s, and must be longer than the default of %s, %s", limitField,
			document.Short(limit), name, document.Short(is))
	}
}
