package values

import (
	"regexp"
	"strings"
	"sync"
)

// Image is the name of a container's image, completed as container runtimes do.
type Image struct{ *imageParts }

type imageParts struct {
	Whole  string
	fields map[string]any // texts
}

var imageFields = []string{"registry", "repository", "name", "tag", "digest"}

const (
	// maxImage is how long a reference can be: 255 for its name, 128 for its tag, and a digest.
	maxImage      = 600
	maxRepository = 255
	maxTag        = 128
)

// The grammar is that of github.com/distribution/reference v0.6.0, written so that no choice needs
// to look ahead, which regexp is quick with. That package compiles twelve expressions in every start
// of a program, a tenth of the time that `informerd version` takes.
var (
	registryForm = sync.OnceValue(func() *regexp.Regexp {
		const label = `[a-zA-Z0-9](?:-*[a-zA-Z0-9])*`
		return regexp.MustCompile(`^(?:` + label + `(?:\.` + label + `)*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?$`)
	})
	repositoryForm = sync.OnceValue(func() *regexp.Regexp {
		const folder = `[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*`
		return regexp.MustCompile(`^(` + folder + `(?:/` + folder + `)*)` +
			`(?::(\w[\w.-]*))?(?:@(sha256|sha384|sha512):([a-f0-9]+))?$`)
	})
	idForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-f0-9]{64}$`) })

	digestDigits = map[string]int{"": 0, "sha256": 64, "sha384": 96, "sha512": 128}
)

// ParseImage adds the tag latest only if there is neither a tag nor a digest.
func ParseImage(text string) any {
	if len(text) > maxImage || len(text) == digestDigits["sha256"] && idForm().MatchString(text) {
		return nil
	}
	registry, rest := cutRegistry(text)
	if !registryForm().MatchString(registry) {
		registry, rest = "", registry+"/"+rest // it is a folder, if it has the form of one
	}
	m := repositoryForm().FindStringSubmatch(rest)
	if m == nil || len(m[1]) > maxRepository || len(m[2]) > maxTag ||
		len(m[4]) != digestDigits[m[3]] {
		return nil
	}
	repository, tag := m[1], m[2]
	name := strings.TrimPrefix(registry+"/"+repository, "/")
	parts := &imageParts{Whole: name,
		fields: map[string]any{"registry": registry, "repository": repository, "name": name}}
	if tag == "" && m[3] == "" {
		tag = "latest"
	}
	if tag != "" {
		parts.fields["tag"] = tag
		parts.Whole += ":" + tag
	}
	if m[3] != "" {
		parts.fields["digest"] = m[3] + ":" + m[4]
		parts.Whole += "@" + m[3] + ":" + m[4]
	}
	return Image{parts}
}

// cutRegistry splits a reference behind its registry, and adds the registry and the folder that
// docker means when they are left out: what is before the first slash is a registry only if no
// folder can be called so.
func cutRegistry(text string) (registry, rest string) {
	registry, rest, found := strings.Cut(text, "/")
	if !found || registry != "localhost" && !strings.ContainsAny(registry, ".:") &&
		strings.ToLower(registry) == registry {
		registry, rest = "docker.io", text
	}
	if registry == "index.docker.io" {
		registry = "docker.io"
	}
	if registry == "docker.io" && !strings.Contains(rest, "/") {
		rest = "library/" + rest
	}
	return registry, rest
}

func (Image) typeName() string { return "image" }

func (i Image) Text() string { return i.Whole }

// Field returns a part of the image, nil if there is none of that name.
func (i Image) Field(name string) any { return i.fields[name] }
