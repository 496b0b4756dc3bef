package values

import (
	"math"

	"github.com/Masterminds/semver/v3"
)

// Version is a semantic version. A leading v is ignored, and missing numbers at the end are
// 0.
type Version struct{ *semver.Version }

var versionFields = []string{"major", "minor", "patch", "prerelease"}

func parseVersion(text string) any {
	v, err := semver.NewVersion(text)
	if err != nil || v.Major() > math.MaxInt || v.Minor() > math.MaxInt || v.Patch() > math.MaxInt {
		return nil
	}
	return Version{v}
}

func (Version) typeName() string { return "semver" }

func (v Version) Text() string { return v.String() }

func (v Version) Field(name string) any {
	switch name {
	case "major":
		return int(v.Major())
	case "minor":
		return int(v.Minor())
	case "patch":
		return int(v.Patch())
	case "prerelease":
		return v.Prerelease()
	}
	return nil
}
