package config

import (
	"reflect"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config/advice"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/config/urls"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
)

// The kinds of files that are read here.
var (
	configuration = newKind("configuration", Kind)
	policy        = newKind("policy", PolicyKind)
	eventFile     = newKind("event", "")
)

// newKind returns a kind of file. Kind is what its field kind must say, "" if it has none.
func newKind(noun, kind string) *document.Kind {
	k := &document.Kind{
		Noun: noun, Types: types, Formats: formats, Synonyms: advice.Synonyms, Help: help,
		Instead: advice.Instead, Secret: urls.Secret,
	}
	if kind != "" {
		k.Begin = "begin with apiVersion: " + APIVersion + " and kind: " + kind
		k.Versions, k.Forms = versions, forms
		k.Same = []string{"apiVersion", "kind"}
		k.Joined = []string{"informers", "listeners", "outputs", "policies"}
	}
	return k
}

// types decode the values that have a form of their own.
var types = map[reflect.Type]func(document.Value, any){
	reflect.TypeFor[event.Op](): func(v document.Value, into any) {
		decodeOp(v, into.(*event.Op))
	},
	reflect.TypeFor[Value](): func(v document.Value, into any) {
		decodeValue(v, into.(*Value))
	},
	reflect.TypeFor[Secret](): func(v document.Value, into any) {
		decodeSecret(v, into.(*Secret))
	},
	reflect.TypeFor[*Secret](): func(v document.Value, into any) {
		s := &Secret{}
		*into.(**Secret) = s
		decodeSecret(v, s)
	},
	reflect.TypeFor[InformerRef](): func(v document.Value, into any) {
		decodeRef(v, into.(*InformerRef))
	},
}

func decodeOp(v document.Value, into *event.Op) {
	word, ok := v.Text("")
	if !ok {
		return
	}
	op, err := event.ParseOp(word)
	if err == nil {
		*into = op
		return
	}
	words := opWords()
	hint := document.DidYouMean(word, words)
	switch meant := filters.OpMeant(word); {
	case meant != "":
		hint = "write " + meant
	case strings.ContainsAny(word, " ,|/") && advice.Ops(document.Shape{Texts: []string{word}}) != "":
		hint = "write each as an item, as in " + advice.Ops(document.Shape{Texts: []string{word}})
	case slices.Contains([]string{"*", "all", "any", "every"}, strings.ToLower(word)):
		hint = "remove on for add, update and delete"
	}
	v.Wrong(hint, "%s must be %s, is %s", v.Path, document.Or(words), document.Quote(word))
}

func opWords() (words []string) {
	for _, op := range event.Ops {
		words = append(words, op.String())
	}
	return words
}

func decodeRef(v document.Value, into *InformerRef) {
	if v.IsMapping() {
		into.Inline = &Informer{}
		v.Decode(into.Inline)
		return
	}
	if name, ok := v.Text("the name of an informer or an informer"); ok {
		into.Name = name
	}
}

// hints are hints for fields, by their names in the file.
type hints = map[string]string

const (
	informerHint = "add informer, the name of one or an informer with its resource"
	outputsHint  = "add outputs, a list of names"
	versionHint  = "begin with apiVersion: " + APIVersion
	selectHint   = "remove it to select all objects"
)

// help says what to do about mistakes in the values of a type. That of outputs is in
// kinds_output.go.
var help = withAdvice(withOutputs(map[reflect.Type]document.Help{
	reflect.TypeFor[Config](): {
		Elsewhere: advice.Top(),
		Missing: hints{"apiVersion": versionHint, "kind": "begin with kind: " + Kind,
			"listeners": "add listeners, or policies, with at least one of them",
			"outputs":   "add outputs with at least one output"},
		Empty: hints{"policies": "add files and outputs, or remove it"}},
	reflect.TypeFor[LeaderElection]():   {Example: "{}"},
	reflect.TypeFor[map[string]Value](): {Example: "names and values, as in {X-Team: shop}"},
	reflect.TypeFor[map[string]Expression](): {
		Example: `names and expressions, as in {team: 'label("team")'}`},
	reflect.TypeFor[map[string]string](): {Example: "names and paths, as in {node: spec.nodeName}"},
	reflect.TypeFor[Grants]():            {Example: "{log: {}}"},
	reflect.TypeFor[HTTP]():              {Example: `{address: "127.0.0.1:8080"}`, Missing: hints{"address": "add address, as in 127.0.0.1:8080"}},
	reflect.TypeFor[Health]():            {Example: `{address: ":8081"}`, Missing: hints{"address": "add address, as in :8081"}},
	reflect.TypeFor[State]():             {Example: "{dir: ./state}", Missing: hints{"dir": "add dir, the path of a folder"}},
	reflect.TypeFor[Informer](): {
		Example: "{resource: pods}", Elsewhere: advice.Informer(), ByValue: advice.InformerByValue,
		Missing: hints{"resource": "add resource, as in " + resourceExamples},
		Empty:   hints{"namespaces": "remove it to watch all namespaces"}},
	reflect.TypeFor[map[string]*Informer](): {
		Example: "a name and an informer, as in pods: {resource: pods}"},
	reflect.TypeFor[Listener](): {
		Elsewhere: advice.Listener(),
		Example:   "{informer: {resource: pods}, outputs: [stdout]}",
		Missing:   hints{"informer": informerHint, "outputs": outputsHint},
		Empty: hints{"on": "remove it for add, update and delete", "select": selectHint,
			"filter": "remove it to let all events pass"}},
	reflect.TypeFor[map[string]*Listener](): {
		Example: "a name and a listener, as in new-pods: {informer: {resource: pods}, outputs: [stdout]}"},
	reflect.TypeFor[Handler](): {
		Example: "{wasm: handler.wasm}",
		Missing: hints{"wasm": "add wasm, the path of the module"}},
	reflect.TypeFor[HTTPGrant](): {
		Example: "{allow: [https://HOST/PATH]}",
		Missing: hints{"allow": "add allow, a list of URLs, as in [" + urlExample + "]"},
		Empty: hints{"allow": "name a URL, as in " + urlExample + ", or remove the grant",
			"methods": "remove it for GET and POST"}},
	reflect.TypeFor[EmitGrant](): {Empty: hints{"types": "remove it to allow all types"}},
	reflect.TypeFor[CacheGrant](): {
		Example: "{informers: [NAME]}",
		Missing: hints{"informers": "add informers, a list of names"},
		Empty: hints{"informers": "name an informer, or remove the grant",
			"namespaces": "remove it to allow all namespaces"}},
	reflect.TypeFor[Policies](): {
		Example: "{files: policies/*.yaml, outputs: [NAME]}",
		Missing: hints{"files": "add files, as in policies/*.yaml", "outputs": outputsHint}},
	reflect.TypeFor[Policy](): {
		Elsewhere: advice.Policy(),
		Missing: hints{"apiVersion": versionHint, "kind": "begin with kind: " + PolicyKind,
			"informer": informerHint, "rules": "add rules with at least one rule"},
		Empty: hints{"select": selectHint}},
	reflect.TypeFor[Rule](): {
		Example: "{name: NAME, deny: …}", Elsewhere: advice.Rule(), ByValue: advice.RuleByValue,
		Missing: hints{"name": "add name, which says in a few words what is violated",
			"deny": "add deny, an expression that is true for a violation"},
		Empty: hints{"deny": "write an expression that is true for a violation",
			"message": "remove it to report the rule's name"}},
}))
