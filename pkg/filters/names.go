package filters

// nearest gives the candidate that is fewest edits away, "" if none is near.
func nearest(name string, candidates []string) string {
	if len(name) > 40 {
		return ""
	}
	best, distance := "", 1+max(1, len([]rune(name))/3)
	for _, c := range candidates {
		if d := edits(name, c); d < distance {
			best, distance = c, d
		}
	}
	return best
}

// edits counts the insertions, deletions, substitutions and swaps of neighbours that make b of a.
func edits(a, b string) int {
	s, t := []rune(a), []rune(b)
	rows := make([][]int, len(s)+1)
	for i := range rows {
		rows[i] = make([]int, len(t)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(s); i++ {
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(s)][len(t)]
}
