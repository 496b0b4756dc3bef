package values

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"
)

// Version is a semantic version. A leading v and leading zeros are ignored, and missing numbers at
// the end are 0.
type Version struct{ *versionParts }

type versionParts struct {
	whole   string // as golang.org/x/mod/semver has it, with a v
	numbers [3]int
}

var versionFields = []string{"major", "minor", "patch", "prerelease"}

func parseVersion(text string) any {
	core, rest := strings.TrimPrefix(text, "v"), ""
	if i := strings.IndexAny(core, "-+"); i >= 0 {
		core, rest = core[:i], core[i:]
	}
	v := Version{&versionParts{}}
	fields := strings.Split(core, ".")
	if len(fields) > len(v.numbers) {
		return nil
	}
	for i, field := range fields {
		var err error
		if v.numbers[i], err = strconv.Atoi(field); err != nil {
			return nil
		}
	}
	v.whole = fmt.Sprintf("v%d.%d.%d%s", v.numbers[0], v.numbers[1], v.numbers[2], rest)
	if !semver.IsValid(v.whole) {
		return nil
	}
	return v
}

// Compare returns -1, 0 or 1 if v comes before, with or after w in the precedence of semver.org.
func (v Version) Compare(w Version) int { return semver.Compare(v.whole, w.whole) }

func (Version) typeName() string { return "semver" }

func (v Version) Text() string { return v.whole[1:] }

func (v Version) Field(name string) any {
	switch name {
	case "major":
		return v.numbers[0]
	case "minor":
		return v.numbers[1]
	case "patch":
		return v.numbers[2]
	case "prerelease":
		return strings.TrimPrefix(semver.Prerelease(v.whole), "-")
	}
	return nil
}
