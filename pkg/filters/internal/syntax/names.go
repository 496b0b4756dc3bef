package syntax

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/event"
)

// topFields are fields that the objects of most resources have.
var topFields = []string{"metadata", "spec", "status", "data", "kind", "apiVersion", "type"}

// OfMetadata are fields that are often named without metadata.
var OfMetadata = []string{"name", "namespace", "labels", "annotations", "uid", "ownerReferences",
	"finalizers", "creationTimestamp", "deletionTimestamp", "generation"}

// IsTopField reports whether objects have a field of this name.
func (s Source) IsTopField(name string) bool {
	if s.Schema != nil && len(s.Schema.Fields) > 0 {
		return slices.Contains(slices.Collect(maps.Keys(s.Schema.Fields)), name)
	}
	return slices.Contains(topFields, name)
}

var predicateOpen = regexp.MustCompile(`\b(?:` + strings.Join(lang.Predicates, "|") + `)\(`)

// InsidePredicate reports whether the text ends within the brackets of any(…) and the like.
func InsidePredicate(before string) bool {
	for _, at := range predicateOpen.FindAllStringIndex(before, -1) {
		rest := before[at[1]:]
		if strings.Count(rest, "(") >= strings.Count(rest, ")") && strings.Contains(rest, ",") {
			return true
		}
	}
	return false
}

// opWordsElsewhere are the words of other tools for events.
var opWordsElsewhere = map[string]event.Op{
	"create": event.Add, "created": event.Add, "insert": event.Add, "inserted": event.Add,
	"added": event.Add, "new": event.Add,
	"modify": event.Update, "modified": event.Update, "updated": event.Update,
	"change": event.Update, "changed": event.Update, "patch": event.Update, "patched": event.Update,
	"deleted": event.Delete, "remove": event.Delete, "removed": event.Delete,
	"destroy": event.Delete,
	"sync":    event.Resync, "resynced": event.Resync,
}

// OpMeant returns the op that a word of another tool means, as "created" means "add"; "" if
// it means none.
func OpMeant(word string) string {
	word = strings.ToLower(word)
	if op, err := event.ParseOp(word); err == nil {
		return op.String()
	}
	if op, ok := opWordsElsewhere[word]; ok {
		return op.String()
	}
	return ""
}

var (
	keyBefore = regexp.MustCompile(
		`(?:\b(?:label|annotation|condition|owner|duration|quantity)\(|\.(?:labels|annotations)\[)\s*$`)
	keyBehind = regexp.MustCompile(`^\s*[)\]]`)
)

// TakesText reports whether what is between the two texts is a key or a type that is given in
// quotes, such as app in label(app).
func TakesText(before, behind string) bool {
	return keyBefore.MatchString(before) && keyBehind.MatchString(behind)
}

// ComparedBefore ends with an operator behind which a text is likely.
var ComparedBefore = regexp.MustCompile(
	`(==|!=|<=?|>=?|\bcontains|\bstartsWith|\bendsWith|\bmatches|\bin\s*\[[^\]]*)\s*$`)

var dashed = regexp.MustCompile(`^[A-Za-z]\w*(?:-\w+)+$`)

// Dashed recognizes a text with dashes that lacks its quotes, such as kube-system. All of its names
// are one mistake, at the first one.
func (s Source) Dashed(offset int, text []rune) *lang.CompileError {
	from, to := RunesAround(text, offset, func(r rune) bool { return r == '-' || IsWordRune(r) })
	name, before, behind := string(text[from:to]), string(text[:from]), string(text[to:])
	known := func(part string) bool {
		return slices.Contains(s.Kind.Variables(), part) || strings.Contains(before, "let "+part+" ")
	}
	if !dashed.MatchString(name) || strings.HasPrefix(behind, ".") || strings.HasPrefix(behind, "(") ||
		slices.ContainsFunc(strings.Split(name, "-"), known) ||
		!ComparedBefore.MatchString(before) && !TakesText(before, behind) {
		return nil
	}
	return s.Proposed(from, &lang.Fix{From: from, To: to, Text: strconv.Quote(name)},
		"unknown name %q; text needs quotes: write %[1]q", name)
}
