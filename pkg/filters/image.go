package filters

import "github.com/distribution/reference"

// image is the name of a container's image, made complete as container runtimes do.
type image struct{ *imageParts }

type imageParts struct {
	whole                                   string
	registry, repository, name, tag, digest any // texts, or nil
}

var imageFields = []string{"registry", "repository", "name", "tag", "digest"}

// maxImage is how long a reference can be: 255 for its name, 128 for its tag, and a digest.
const maxImage = 600

// parseImage fills in the tag latest only if there is neither tag nor digest, for that is what will
// be pulled.
func parseImage(text string) any {
	if len(text) > maxImage {
		return nil
	}
	named, err := reference.ParseNormalizedNamed(text)
	if err != nil {
		return nil
	}
	named = reference.TagNameOnly(named)
	parts := &imageParts{
		whole: named.String(), registry: reference.Domain(named), repository: reference.Path(named),
		name: named.Name(),
	}
	if tagged, ok := named.(reference.Tagged); ok {
		parts.tag = tagged.Tag()
	}
	if digested, ok := named.(reference.Digested); ok {
		parts.digest = digested.Digest().String()
	}
	return image{parts}
}

func (image) typeName() string { return "image" }

func (i image) text() string { return i.whole }

func (i image) field(name string) any {
	switch name {
	case "registry":
		return i.registry
	case "repository":
		return i.repository
	case "name":
		return i.name
	case "tag":
		return i.tag
	case "digest":
		return i.digest
	}
	return nil
}
