package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config/advice"
	"github.com/informerd/informerd/internal/config/document"
)

// rightFile reports whether a file is of the kind that is wanted. If it is one of another program,
// this is the only mistake that is kept.
func rightFile(d *document.File, apiVersion, kind, wanted string) bool {
	if what, hint := advice.Foreign(d.Members(), d.MembersOf("receivers"), apiVersion, kind); what != "" {
		at, field := d.Key("kind"), "kind"
		if !d.Has(field) {
			at, field = d.Key(""), ""
		}
		d.Only()
		d.Add(at, field, hint, "this is not a %s of informerd: it looks like %s",
			nouns[wanted], what)
		return false
	}
	if rightKind(d.Report, apiVersion, kind, wanted) || meant(d, apiVersion, kind, wanted) {
		return true
	}
	// It is something else, such as a Deployment: its fields are all unknown, and that is not what
	// is wrong with it.
	d.Only("apiVersion", "kind")
	return false
}

// meant reports whether a file whose header is wrong has what only those of the wanted kind have:
// its other mistakes are then worth reading, unless it is of a version to come.
func meant(d *document.File, apiVersion, kind, wanted string) bool {
	if strings.HasPrefix(apiVersion, group) && !slices.Contains(APIVersions, apiVersion) ||
		kind != wanted && slices.Contains([]string{Kind, PolicyKind}, kind) {
		return false
	}
	has := func(name string) bool { return slices.Contains(d.Members(), name) }
	return has("listeners") && has("outputs") || has("rules") && has("informer")
}

// group begins the versions of informerd.
const group = "informerd.dev/"

var nouns = map[string]string{Kind: "configuration", PolicyKind: "policy"}

// rightKind reports an apiVersion or kind that is not that of the file.
func rightKind(r *document.Report, apiVersion, kind, wanted string) bool {
	right := true
	for _, header := range []struct{ field, is, want string }{
		{"apiVersion", apiVersion, APIVersion}, {"kind", kind, wanted},
	} {
		if !r.Good(header.field) || header.is == header.want ||
			header.field == "apiVersion" && slices.Contains(APIVersions, header.is) {
			continue
		}
		right = false
		hint := fmt.Sprintf("write %s: %s", header.field, header.want)
		switch {
		case header.field == "apiVersion" && strings.HasPrefix(header.is, group):
			hint = "this informerd reads " + document.And(APIVersions)
		case header.field == "kind" && header.is == Kind:
			hint = "a configuration is not a policy: keep policies in a folder of their own"
		case header.field == "kind" && header.is == PolicyKind:
			hint = "name the policy's file in policies of a configuration"
		}
		r.BadValue(header.field, hint, "%s must be %s, is %s", header.field, header.want,
			document.Quote(header.is))
	}
	return right
}
