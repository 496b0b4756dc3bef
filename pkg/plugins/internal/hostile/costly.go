package hostile

// Costly are recipes of modules that cost much to load: those from which the limits of loading come, and the worst that the
// search has found.
var Costly = []Recipe{
	{"loops", 100, 20_000, 1},
	{"changing", 20, 5_000, 1},
	{"changing", 100, 5_000, 1},
	{"changing", 2_900, 42_000, 1},
	{"chain", 11_900, 150_000, 1},
	{"live", 20_000, 6_000, 1},
	{"calls", 15, 130_000, 1},
	{"functions", 99_000, 1, 1},
	{"data", 99_000, 300, 60_000},
	{"names", 99_000, 300, 1},
	{"checks", 11_000, 900, 1},
}
