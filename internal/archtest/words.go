package archtest

import "regexp"

// phrases are what comments, messages and documents do not say, since readers of English have to
// read it twice or expect another word. They match in any case and across line breaks.
var phrases = []phrase{
	{"gives", `\bgives\b`, "returns, passes, allows", `\bgives (up|way)\b`},
	{"tell", `\btells? (whether|if|that|how)\b`, "reports whether", ""},
	{" told", `\b(is|are|was|were) told\b`, "is reported, is notified", ""},
	{"for ever", `\bfor ever\b`, "indefinitely, forever", ""},
	{"anew", `\banew\b`, "again", ""},
	{"beside", `\bbeside\b`, "with, next to, besides", ""},
	{"in earnest", `\bin earnest\b`, "(leave it out)", ""},
	{"of then", `\bof then\b`, "current", ""},
	{"what is left", `\bwhat is left\b`, "the rest", ""},
	{"stand", `\bstands? (twice|here|there|in|alone|at|on|before|behind|below|above|to|a second)\b`,
		"is, is defined, occurs", ""},
	{"as it stands", `\bas it stands\b`, "as it is", ""},
	{"against", `\bheld? against\b`, "compared with, checked against", ""},
	{" is no ", `\b(it|that|which|this|value|name|text|%q|%s) is no [a-z]+`, "is not a",
		`\bis no (longer|more|room|such|need|way|reason|other|one)\b`},
	{"can hardly", `\bcan hardly\b`, "can rarely, is suspicious", ""},
	{"mind", `\bmakes? up (its|their|one's) minds?\b`, "decides", ""},
	{"why ", `\bwhy (it|they|this) (is|are) as (it|they|this) (is|are)\b`, "design decisions", ""},
	{"which is not there", `\bnames? the \w+ "?[^" ]+"?, which is not there\b`,
		`unknown informer "x"`, ""},
	{"nobody", `\bis in nobody's way\b`, "is unused", ""},
	{"in place of it", `\bin place of it\b`, "instead", ""},
	{"merely", `\bmerely\b`, "only", ""},
	{"here", `\bthereupon|therein|thereof|whereupon\b`, "then, in it, of it", ""},
	{"goes over", `\bgoes over\b`, "iterates over, walks", ""},
	{"go over", `\bgo over\b`, "iterate over, walk", ""},
	{"is to come", `\bis to come\b`, "is expected", ""},
	{"be ", `\bbe they\b|\bbe it\b`, "whether", ""},
	{"whatever", `\bwhatever (it|they) (is|are|says?|does|do|may)\b`, "(split the sentence)", ""},
}

// phrase is a regular expression, with what to write instead of what it matches.
type phrase struct {
	// hint is in each text that matches, in lower case: to look for it first is a tenth of the
	// time.
	hint    string
	banned  string
	instead string
	allowed string // what it matches, but is fine
}

// compiledPhrase is a phrase with its expressions.
type compiledPhrase struct {
	phrase
	re, ok *regexp.Regexp
}

func compilePhrases(list []phrase) []compiledPhrase {
	var out []compiledPhrase
	for _, p := range list {
		c := compiledPhrase{phrase: p, re: regexp.MustCompile(`(?i)` + p.banned)}
		if p.allowed != "" {
			c.ok = regexp.MustCompile(`(?i)` + p.allowed)
		}
		out = append(out, c)
	}
	return out
}
