// Command mutants checks that the tests notice defects. Each testdata/mutants/NAME.patch is one
// defect, and names the tests that must fail with it. The defect is compiled in with go test
// -overlay, so that no product code knows of it.
//
//	go run ./dev/mutants            all of them, from the root of the repository
//	go run ./dev/mutants NAME...    only these
//
// It fails if a test passes in spite of the defect, if a named test does not exist or fails without
// a defect, and if a patch does not fit the code any more.
package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
)

func main() {
	if err := run(".", os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(root string, names []string) error {
	mutants, err := load(root)
	if err != nil {
		return err
	}
	if mutants, err = named(mutants, names); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "mutants-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	r := runner{root: root, work: work, flags: map[string][]string{}}
	if err := r.baseline(mutants); err != nil {
		return err
	}
	var failed []error
	for _, m := range mutants {
		if err := r.try(m); err != nil {
			fmt.Println(err)
			failed = append(failed, err)
			continue
		}
		fmt.Printf("%s: caught\n", m.name)
	}
	fmt.Printf("%d mutants caught, %d not\n", len(mutants)-len(failed), len(failed))
	return errors.Join(failed...)
}

// named returns the mutants with the given names, all of them if there are no names.
func named(mutants []mutant, names []string) ([]mutant, error) {
	if len(names) == 0 {
		return mutants, nil
	}
	var chosen []mutant
	for _, name := range names {
		i := slices.IndexFunc(mutants, func(m mutant) bool { return m.name == name })
		if i < 0 {
			return nil, fmt.Errorf("unknown mutant %q", name)
		}
		chosen = append(chosen, mutants[i])
	}
	return chosen, nil
}
