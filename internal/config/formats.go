package config

import (
	"regexp"

	"github.com/informerd/informerd/internal/config/advice"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/config/selectors"
	"github.com/informerd/informerd/internal/config/urls"
	"github.com/informerd/informerd/internal/resourcename"
)

const (
	resourceExamples = "pods, deployments.apps or certificates.v1.cert-manager.io"
	urlExample       = "https://hooks.example.com/x"
	labelHint        = `use at most 63 lower-case letters, digits and "-", with a letter or digit at both ends`
)

var (
	label = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	// method is a method in capitals but for CONNECT and TRACE, which handlers do not have.
	method = regexp.MustCompile(`^[A-Z]+(-[A-Z]+)*$`)
	// path is one that does not begin with ~/.
	path      = regexp.MustCompile(`^\s*[^\s~]|^\s*~[^/]`)
	urlPrefix = regexp.MustCompile(`^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@\s]+(/[^?#\s]*)?$`)

	httpURL = regexp.MustCompile(`^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@\s\\]+([/?][^#\s\\]*)?$`)
	natsURL = regexp.MustCompile(
		`^([Nn][Aa][Tt][Ss]|[Tt][Ll][Ss]|[Ww][Ss][Ss]?)://[^/?#@,\s]+(/[^?#,\s]*)?$`)
	serverName = regexp.MustCompile(`^[A-Za-z0-9:]([A-Za-z0-9.:-]{0,252})$`)
)

// formats are the forms that texts in a configuration have, as the tags of the fields name them.
var formats = map[string]document.Format{
	"dns-label": {Noun: "a DNS label", Hint: labelHint, Pattern: label, Suggest: advice.AsLabel,
		Check: notAVariable},
	"namespace": {Noun: "the name of a namespace", Hint: labelHint, Pattern: label,
		Check: notAllNamespaces},
	"namespace-or-none": {Noun: "the name of a namespace", Hint: labelHint,
		Pattern: regexp.MustCompile(`^$|` + label.String()), Check: notEveryNamespace},
	"resource": {Noun: "a resource name", Hint: "write it as " + resourceExamples,
		Pattern: resourcename.Pattern, Suggest: advice.AsResource, Check: advice.NotSeveral},
	"index-name": {Noun: "an index name",
		Hint:    `use at most 63 letters, digits, "-" and "_", with a letter first`,
		Pattern: regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,62}$`)},
	"sha256": {Noun: "64 lower-case hexadecimal digits", Hint: "sha256sum prints it",
		Pattern: regexp.MustCompile(`^[0-9a-f]{64}$`)},
	"digest": {Noun: "sha256: and 64 lower-case hexadecimal digits",
		Hint:    "sha256sum prints the digits",
		Pattern: regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)},
	"variable": {Noun: "the name of an environment variable", Suggest: advice.AsVariable, Check: advice.NotMore,
		Pattern: regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)},
	"header-name": {Noun: "a header name",
		Pattern: regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")},
	"method":         {Noun: "a method in capitals", Pattern: method, Check: checkMethod},
	"path":           {Pattern: path, Check: checkPath},
	"module":         {Pattern: path, Check: checkModule},
	"policy-files":   {Pattern: path, Check: checkPolicyFiles},
	"address":        {Pattern: regexp.MustCompile(`:[0-9]{1,5}$`), Check: checkAnyAddress},
	"http-address":   {Pattern: regexp.MustCompile(`:[0-9]{1,5}$`), Check: checkHTTPAddress},
	"label-selector": {Check: selectors.CheckLabel},
	"field-selector": {Check: selectors.CheckField},
	"field-path":     {Check: checkFieldPath},
	"drop":           {Check: checkDrop},
	"url-prefix":     {Pattern: urlPrefix, Check: checkURLPrefix},
	"http-url":       {Pattern: httpURL, Check: checkHTTPURL},
	"nats-url":       {Pattern: natsURL, Check: urls.NATS},
	"broker":         {Pattern: regexp.MustCompile(`^[^/@\s]+:[0-9]{1,5}$`), Check: urls.Broker},
	"topic": {Noun: "the name of a topic",
		Hint:    `use at most 249 letters, digits, ".", "-" and "_"`,
		Pattern: regexp.MustCompile(`^[A-Za-z0-9._-]{1,249}$`), Check: advice.NotATopic},
	"stream-name": {Noun: "the name of a stream",
		Hint:    `use at most 255 letters, digits, "-" and "_"`,
		Pattern: regexp.MustCompile(`^[A-Za-z0-9_-]{1,255}$`)},
	"server-name": {Noun: "the name of a server", Pattern: serverName},
	"label-name": {Noun: "the name of a label", Suggest: advice.AsLabelName,
		Hint:    `use letters, digits and "_", with no digit first`,
		Pattern: regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)},
	"event-type": {Pattern: regexp.MustCompile(`^[!-)+-~]{1,256}$`), Check: checkEventType},
}
