package archtest

import "regexp"

// phrases are what comments, messages and documents do not say, since readers of English have to
// read it twice or expect another word. They match in any case and across line breaks.
var phrases = []phrase{
	{`\bgives\b`, "returns, passes, allows", `\bgives (up|way)\b`},
	{`\btells? (whether|if|that|how)\b`, "reports whether", ""},
	{`\b(is|are|was|were) told\b`, "is reported, is notified", ""},
	{`\bwhat is told\b`, "what is reported", ""},
	{`\bfor ever\b`, "indefinitely, forever", ""},
	{`\banew\b`, "again", ""},
	{`\bbeside\b`, "with, next to, besides", ""},
	{`\bin earnest\b`, "(leave it out)", ""},
	{`\bof then\b`, "current", ""},
	{`\bwhat is left\b`, "the rest", ""},
	{`\bstands? (twice|here|there|in|alone|at|on|before|behind|below|above|to|a second)\b`,
		"is, is defined, occurs", ""},
	{`\bas it stands\b`, "as it is", ""},
	{`\bheld? against\b`, "compared with, checked against", ""},
	{`\b(it|that|which|this|value|name|text|%q|%s) is no [a-z]+`, "is not a",
		`\bis no (longer|more|room|such|need|way|reason|other|one)\b`},
	{`\bcan hardly\b`, "can rarely, is suspicious", ""},
	{`\bmakes? up (its|their|one's) minds?\b`, "decides", ""},
	{`\bwhy (it|they|this) (is|are) as (it|they|this) (is|are)\b`, "design decisions", ""},
	{`\bnames? the \w+ "?[^" ]+"?, which is not there\b`, `unknown informer "x"`, ""},
	{`\bis in nobody's way\b`, "is unused", ""},
	{`\bin place of it\b`, "instead", ""},
	{`\bmerely\b`, "only", ""},
	{`\bthereupon|therein|thereof|whereupon|hitherto\b`, "then, in it, of it", ""},
	{`\bgoes over\b`, "iterates over, walks", ""},
	{`\bgo over\b`, "iterate over, walk", ""},
	{`\bis to come\b`, "is expected", ""},
	{`\bbe they\b|\bbe it\b`, "whether", ""},
	{`\bwhatever (it|they) (is|are|says?|does|do|may)\b`, "(split the sentence)", ""},
}

// phrase is a regular expression, with what to write instead of what it matches.
type phrase struct {
	banned  string
	instead string
	allowed string // what it matches, but is fine
}

// compiled are the phrases' expressions.
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
