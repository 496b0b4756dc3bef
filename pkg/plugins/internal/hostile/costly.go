package hostile

// Costly are recipes of modules that cost much to load: those from which the limits of loading
// come, and the worst that the search has found. On a quiet machine of two cores, with limits.load
// of 10 s and 512 MiB, they and 187 others of a search held up another listener's event by 72 ms at
// most ("names"), the garbage collector by 42 ms ("changing 144 448 1"), and a stop by 26 ms. Host
// and compiler had 528 MiB together ("calls", measured on a busy machine).
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

	// Found by the search: 4 KB for 10 s and more, 135 KB for 500 MB in 2 s, and the most memory of
	// the host.
	{"changing", 240, 336, 1},
	{"loops", 1_792, 2_048, 16},
	{"vectors", 256, 6_144, 160},
	{"changing", 144, 448, 1},

	// Found by a later one: the longest wait of the collector, and that of another listener's
	// event.
	{"functions", 23_040, 192, 80},
	{"live", 32_768, 384, 64},

	// As much native code as 512 MiB of memory allow, and a little more: what is not data to the
	// kernel, in buffers that double.
	{"calls", 128, 84, 900},
	{"calls", 96, 900, 126},
	{"calls", 128, 126, 675},
	{"calls", 128, 900, 94},
}
