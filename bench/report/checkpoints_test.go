package report

import (
	"testing"
	"time"
)

func TestCheckpoints(t *testing.T) {
	costs := []CheckpointCost{
		{1, Figures{Contender: "1", EventCPU: 20, P50: 1000, P99: 2000},
			Figures{Contender: "1 kept", EventCPU: 24, P50: 1500, P99: 2500, EventDisk: 700}},
		{50, Figures{Contender: "50", EventCPU: 100, EventAllocs: 9, EventWall: time.Second},
			Figures{Contender: "50 kept", EventCPU: 160, EventAllocs: 11}},
	}
	restart := Restart{
		Figures{Contender: "list", Objects: 10, First: 2e6, ListCPU: 100, Heap: 700},
		Figures{Contender: "made", Objects: 10, First: 3e6, ListCPU: 150, Heap: 800,
			Disk: 5000, EventDisk: 600},
		Figures{Contender: "resumed", Objects: 10, First: 1e6, ListCPU: 50, Heap: 900,
			Disk: 6000},
	}
	if !restart.Measured() || (Restart{Made: restart.Made, List: restart.List}).Measured() ||
		!costs[1].Measured() || (CheckpointCost{With: costs[1].With}).Measured() {
		t.Error("it is wrong what is measured")
	}
	got := "\n" + CheckpointCosts(costs).String() + "\n" + Restarts(restart).String() + "\n" +
		VerdictTable(Verdicts(Results{Checkpoints: costs, Restart: restart})).String()
	if got != checkpointTables {
		t.Errorf("%s\nwant\n%s", got, checkpointTables)
	}
}

const checkpointTables = `
|         | event CPU |    more | more/listener | burst wall | allocs/event | latency p50 |     p99 | written/event |
|---------|----------:|--------:|--------------:|-----------:|-------------:|------------:|--------:|--------------:|
| 1       |   20.0 us |       - |             - |          - |            - |     1.00 us | 2.00 us |             - |
| 1 kept  |   24.0 us | 4.00 us |       4.00 us |          - |            - |     1.50 us | 2.50 us |         700 B |
| 50      |    100 us |       - |             - |     1.00 s |         9.00 |           - |       - |             - |
| 50 kept |    160 us | 60.0 us |       1.20 us |          - |         11.0 |           - |       - |             - |

|         | first event after |     CPU | heap/object | peak RSS | steady RSS | on disk | on disk/object | written/event |
|---------|------------------:|--------:|------------:|---------:|-----------:|--------:|---------------:|--------------:|
| list    |           2.00 ms | 1.00 ms |       700 B |        - |          - |       - |              - |             - |
| made    |           3.00 ms | 1.50 ms |       800 B |        - |          - | 5.00 KB |          500 B |         600 B |
| resumed |           1.00 ms |  500 us |       900 B |        - |          - | 6.00 KB |          600 B |             - |

|                                                                                | required | reached |                verdict |
|--------------------------------------------------------------------------------|---------:|--------:|-----------------------:|
| an event with a checkpoint, further CPU, 1 listener                            | <= 10 us |    4 us |        pass (absolute) |
| an event with a checkpoint, CPU, versus without, 1 listener                    |  <= 1.5x |   1.20x |                   pass |
| API server write to output, p99, with a checkpoint, versus without, 1 listener |  <= 1.2x |   1.25x |            falls short |
| an event with a checkpoint, further CPU, 50 listeners                          | <= 10 us |   60 us | falls short (absolute) |
| an event with a checkpoint, CPU, versus without, 50 listeners                  |  <= 1.5x |   1.60x |            falls short |
| start to first event with a checkpoint, versus with a list                     |    <= 1x |   0.50x |                   pass |
`
