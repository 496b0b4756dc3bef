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
	whole  string // as golang.org/x/mod/semver has it, with a v
	fields map[string]any
}

var versionFields = []string{"major", "minor", "patch", "prerelease"}

func parseVersion(text string) any {
	core, rest := strings.TrimPrefix(text, "v"), ""
	if i := strings.IndexAny(core, "-+"); i >= 0 {
		core, rest = core[:i], core[i:]
	}
	numbers := [3]int{}
	fields := strings.Split(core, ".")
	if len(fields) > len(numbers) {
		return nil
	}
	for i, field := range fields {
		var err error
		if numbers[i], err = strconv.Atoi(field); err != nil {
			return nil
		}
	}
	whole := fmt.Sprintf("v%d.%d.%d%s", numbers[0], numbers[1], numbers[2], rest)
	if !semver.IsValid(whole) {
		return nil
	}
	return Version{&versionParts{whole, map[string]any{"major": numbers[0], "minor": numbers[1],
		"patch": numbers[2], "prerelease": strings.TrimPrefix(semver.Prerelease(whole), "-")}}}
}

// Compare returns -1, 0 or 1 if v comes before, with or after w in the precedence of semver.org.
func (v Version) Compare(w Version) int { return semver.Compare(v.whole, w.whole) }

func (Version) typeName() string { return "semver" }

func (v Version) Text() string { return v.whole[1:] }

// Field returns a part of the version, nil if there is none of that name.
func (v Version) Field(name string) any { return v.fields[name] }
