package informertest

import "flag"

// SetModelRuns makes 500 runs of 200 operations the models' measure. TestMain calls it before it
// runs the tests, so that the command line can say more.
func SetModelRuns() {
	for name, value := range map[string]string{"rapid.checks": "500", "rapid.steps": "200"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
}
