package habits

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Habit is how a function or method of another language is written here. In Write, $0 is
// what the method is called on or the first argument, $1 the next argument.
type Habit struct {
	Write string
	Args  int    // how many, $0 included; with another number only the hint is shown
	Item  bool   // $1 is a condition about the items, before which their name may be: c, c.x == 1
	Note  string // added to the hint
}

// Table has functions and methods of CEL, JavaScript, Go templates, SQL and expr itself, by
// their names in lower case.
var Table = map[string]Habit{
	"has":               {Write: "$0 != nil", Args: 1},
	"exists":            {Write: "any($0, $1)", Args: 2, Item: true},
	"exists_one":        {Write: "one($0, $1)", Args: 2, Item: true},
	"all":               {Write: "all($0, $1)", Args: 2, Item: true},
	"map":               {Write: "map($0, $1)", Args: 2, Item: true},
	"filter":            {Write: "filter($0, $1)", Args: 2, Item: true},
	"some":              {Write: "any($0, $1)", Args: 2, Item: true},
	"every":             {Write: "all($0, $1)", Args: 2, Item: true},
	"any":               {Write: "any($0, $1)", Args: 2, Item: true},
	"none":              {Write: "none($0, $1)", Args: 2, Item: true},
	"one":               {Write: "one($0, $1)", Args: 2, Item: true},
	"count":             {Write: "count($0, $1)", Args: 2, Item: true},
	"find":              {Write: "find($0, $1)", Args: 2, Item: true},
	"size":              {Write: "len($0)", Args: 1},
	"length":            {Write: "len($0)", Args: 1},
	"len":               {Write: "len($0)", Args: 1},
	"contains":          {Write: "$0 contains $1", Args: 2},
	"includes":          {Write: "$1 in $0", Args: 2},
	"startswith":        {Write: "$0 startsWith $1", Args: 2},
	"hasprefix":         {Write: "$0 startsWith $1", Args: 2},
	"endswith":          {Write: "$0 endsWith $1", Args: 2},
	"hassuffix":         {Write: "$0 endsWith $1", Args: 2},
	"matches":           {Write: "$0 matches $1", Args: 2},
	"match":             {Write: "$0 matches $1", Args: 2},
	"regexmatch":        {Write: "$0 matches $1", Args: 2},
	"regex":             {Write: "$0 matches $1", Args: 2},
	"isnull":            {Write: "$0 == nil", Args: 1},
	"isnil":             {Write: "$0 == nil", Args: 1},
	"isempty":           {Write: "len($0) == 0", Args: 1},
	"empty":             {Write: "len($0) == 0", Args: 1},
	"defined":           {Write: "$0 != nil", Args: 1},
	"lower":             {Write: "lower($0)", Args: 1},
	"tolower":           {Write: "lower($0)", Args: 1},
	"lowerascii":        {Write: "lower($0)", Args: 1},
	"tolowercase":       {Write: "lower($0)", Args: 1},
	"touppercase":       {Write: "upper($0)", Args: 1},
	"equals":            {Write: "$0 == $1", Args: 2},
	"equalfold":         {Write: "lower($0) == lower($1)", Args: 2},
	"matchstring":       {Write: "$1 matches $0", Args: 2},
	"regexpmatchstring": {Write: "$1 matches $0", Args: 2},
	"rematch":           {Write: "$1 matches $0", Args: 2},
	"research":          {Write: "$1 matches $0", Args: 2},
	"slicescontains":    {Write: "$1 in $0", Args: 2},
	"upper":             {Write: "upper($0)", Args: 1},
	"toupper":           {Write: "upper($0)", Args: 1},
	"upperascii":        {Write: "upper($0)", Args: 1},
	"trim":              {Write: "trim($0)", Args: 1},
	"keys":              {Write: "keys($0)", Args: 1},
	"values":            {Write: "values($0)", Args: 1},
	"str":               {Write: "string($0)", Args: 1},
	"tostring":          {Write: "string($0)", Args: 1},
	"double":            {Write: "float($0)", Args: 1},
	"number":            {Write: "float($0)", Args: 1},
	"integer":           {Write: "int($0)", Args: 1},
	"timestamp":         {Write: "date($0)", Args: 1},
	"time":              {Write: "date($0)", Args: 1},
	"dyn":               {Write: "$0", Args: 1},
	"labels":            {Write: "label($0)", Args: 1},
	"re_match":          {Write: "$1 matches $0", Args: 2},
	"regex_match":       {Write: "$1 matches $0", Args: 2},
	"haslabel":          {Write: "label($0) != nil", Args: 1},
	"hasannotation":     {Write: "annotation($0) != nil", Args: 1},
	"getlabel":          {Write: "label($0)", Args: 1},
	"getannotation":     {Write: "annotation($0)", Args: 1},
	"now":               {Note: "age() is the time since the object was created, age(x) the time since x"},
	"coalesce":          {Write: "($0 ?? $1)", Args: 2},
	"default":           {Write: "($0 ?? $1)", Args: 2},
	"if":                {Write: "($0 ? $1 : $2)", Args: 3},
	"type":              {Note: "informerd reports a field of an unexpected type; a missing field is nil"},
	"split":             {Note: "use contains, startsWith, endsWith, matches or glob(…)"},
	"join":              {Note: "read single items, as in list[0], or count them"},
	"replace":           {Note: "use trimPrefix(…) and trimSuffix(…), or matches"},
	"get":               {Write: "$0[$1]", Args: 2},
	"haskey":            {Write: "$1 in $0", Args: 2},
	"test":              {Write: "$0 matches $1", Args: 2},
	"ascii_downcase":    {Write: "lower($0)", Args: 1},
	"ascii_upcase":      {Write: "upper($0)", Args: 1},
	"tonumber":          {Write: "float($0)", Args: 1},
	"to_number":         {Write: "float($0)", Args: 1},
	"to_string":         {Write: "string($0)", Args: 1},
	"starts_with":       {Write: "$0 startsWith $1", Args: 2},
	"ends_with":         {Write: "$0 endsWith $1", Args: 2},
	"not_null":          {Write: "($0 ?? $1)", Args: 2},
	"isgreaterthan":     {Write: "$0 > $1", Args: 2},
	"islessthan":        {Write: "$0 < $1", Args: 2},
	"parseint":          {Write: "int($0)", Args: 1},
	"parsefloat":        {Write: "float($0)", Args: 1},
	"absent":            {Write: "$0 == nil", Args: 1},
	"orvalue":           {Write: "($0 ?? $1)", Args: 2},
	"hasvalue":          {Write: "$0 != nil", Args: 1},
	"to_entries":        {Note: "use keys(…) and values(…)"},
	"entries":           {Note: "use keys(…) and values(…)"},
	"items":             {Note: "use keys(…) and values(…)"},
	"stringify":         {Note: "name the field, or write string(…) around it"},
	"tojson":            {Note: "data of an output is written as JSON by itself"},
	"rate":              {Note: "an expression has no series; old is the object before an update"},
	"increase":          {Note: "an expression has no series; old is the object before an update"},
	"delta":             {Note: "an expression has no series; old is the object before an update"},
	"printf":            {Note: `join texts with +, as in "pod " + object.metadata.name`},
	"sprintf":           {Note: `join texts with +, as in "pod " + object.metadata.name`},
	"format":            {Note: `join texts with +, as in "pod " + object.metadata.name`},
	"concat":            {Note: `join texts with +, as in "pod " + object.metadata.name`},
}

// For returns a function or method of another language with its arguments in the order of $0 and
// $1, which some languages have the other way round: default("none", x) of Sprig.
func For(name string, args []string) (Habit, []string) {
	name = strings.ToLower(name)
	switch {
	case name == "exists" && len(args) == 1:
		return Table["defined"], args
	case (name == "time" || name == "timestamp") && len(args) == 0:
		return Table["now"], args
	case slices.Contains(constantFirst, name) && len(args) == 2 && isConstant(args[0]) &&
		!isConstant(args[1]):
		args = []string{args[1], args[0]}
	}
	return Table[name], args
}

// constantFirst are functions whose constant is meant as $1, wherever it is.
var constantFirst = []string{"default", "regexmatch", "regex", "match", "test"}

// isConstant reports whether a text is a text in quotes or a number.
func isConstant(text string) bool {
	return constantText(text) || numberText.MatchString(text)
}

var numberText = regexp.MustCompile(`^-?[0-9.]+$`)

// OfKeys are methods of other languages, in lower case, that ask whether a map has a key.
var OfKeys = map[string]bool{"exists": true, "has": true, "contains": true, "includes": true,
	"haskey": true, "containskey": true, "hasownproperty": true}

// HasKeys reports whether the steps lead to a map of texts.
func HasKeys(steps []any) bool {
	last := ""
	if len(steps) > 0 {
		last, _ = steps[len(steps)-1].(string)
	}
	return slices.Contains([]string{"labels", "annotations", "data", "matchLabels", "nodeSelector"},
		last)
}

// Example returns the text for any arguments.
func (h Habit) Example() string {
	if h.Item {
		return h.Fill([]string{"list", ".name == …"})
	}
	return h.Fill([]string{"a", "b", "c"})
}

// SimpleOperand matches a text that needs no brackets as an operand.
var SimpleOperand = regexp.MustCompile(
	`^[A-Za-z0-9_.#\[\]"'-]+$|^"[^"\\]*"$|^[A-Za-z]+\([^()]*\)(\.[A-Za-z0-9_.]+)?$`)

// Fill puts arguments into the text. Operands with operators are put in brackets.
func (h Habit) Fill(args []string) string {
	text := h.Write
	for i := len(args) - 1; i >= 0; i-- {
		arg := args[i]
		operand := strings.Contains(h.Write, "$"+fmt.Sprint(i)+" ") ||
			strings.Contains(h.Write, " $"+fmt.Sprint(i)) && !strings.Contains(h.Write, ",")
		if operand && !SimpleOperand.MatchString(arg) && !atomic(arg) {
			arg = "(" + arg + ")"
		}
		text = strings.ReplaceAll(text, "$"+fmt.Sprint(i), arg)
	}
	return text
}
