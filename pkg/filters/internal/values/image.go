package values

import "github.com/distribution/reference"

// Image is the name of a container's image, completed as container runtimes do.
type Image struct{ *imageParts }

type imageParts struct {
	Whole                                   string
	Registry, Repository, Name, Tag, Digest any // texts, or nil
}

var imageFields = []string{"registry", "repository", "name", "tag", "digest"}

// maxImage is how long a reference can be: 255 for its name, 128 for its tag, and a digest.
const maxImage = 600

// ParseImage adds the tag latest only if there is neither a tag nor a digest.
func ParseImage(text string) any {
	if len(text) > maxImage {
		return nil
	}
	named, err := reference.ParseNormalizedNamed(text)
	if err != nil {
		return nil
	}
	named = reference.TagNameOnly(named)
	parts := &imageParts{
		Whole: named.String(), Registry: reference.Domain(named), Repository: reference.Path(named),
		Name: named.Name(),
	}
	if tagged, ok := named.(reference.Tagged); ok {
		parts.Tag = tagged.Tag()
	}
	if digested, ok := named.(reference.Digested); ok {
		parts.Digest = digested.Digest().String()
	}
	return Image{parts}
}

func (Image) typeName() string { return "image" }

func (i Image) Text() string { return i.Whole }

func (i Image) Field(name string) any {
	switch name {
	case "registry":
		return i.Registry
	case "repository":
		return i.Repository
	case "name":
		return i.Name
	case "tag":
		return i.Tag
	case "digest":
		return i.Digest
	}
	return nil
}
