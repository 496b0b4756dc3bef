// Package jsonscan compares JSON libraries at the two jobs of the informer core.
//
//   - Header: given the bytes of one object as the API server sent them, in a buffer that will be
//     reused, return the object's header and a copy of the object, of exact size and without
//     metadata.managedFields.
//   - Field: given such a copy, read status.phase and spec.containers[0].image.
//
// The contenders are listed in contenders.go; each has its own file. The tests compare all of them
// with encoding/json, and TestFacts prints how each behaves on input that an API server should
// never send.
//
//	go test -bench . -benchtime 300ms -count 3 ./jsonscan
//	go test -run TestFacts -v ./jsonscan
package jsonscan
