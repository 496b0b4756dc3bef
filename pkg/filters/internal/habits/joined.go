package habits

import (
	"regexp"
	"strings"
)

// joiners join the answers about two lists to one about both.
var joiners = map[string]string{"any": " || ", "all": " && ", "none": " && ", "count": " + ",
	"len": " + "}

const oneList = `[#.]?[A-Za-z][\w.?\[\]]*|\([\w.?\[\]]+ \?\? \[\]\)`

var (
	listSum  = regexp.MustCompile(`^(?:` + oneList + `)(?:\s*\+\s*(?:` + oneList + `))+$`)
	listCall = regexp.MustCompile(`^concat\(((?:` + oneList + `)(?:\s*,\s*(?:` + oneList + `))+)\)$`)
	listName = regexp.MustCompile(oneList)
)

// ofSeveral writes a question about the items of two lists that are added, of which this language
// makes no list, as one about each; "" if it is none.
func ofSeveral(name string, args []string) string {
	if joiners[name] == "" || len(args) == 0 {
		return ""
	}
	lists := args[0]
	if found := listCall.FindStringSubmatch(lists); found != nil {
		lists = found[1]
	} else if !listSum.MatchString(lists) {
		return ""
	}
	var each []string
	for _, list := range listName.FindAllString(lists, -1) {
		list = strings.TrimPrefix(strings.TrimSuffix(list, " ?? [])"), "(")
		each = append(each, name+"("+strings.Join(append([]string{list}, args[1:]...), ", ")+")")
	}
	return strings.Join(each, joiners[name])
}
