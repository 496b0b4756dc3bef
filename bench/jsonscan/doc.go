// Package jsonscan compares JSON libraries at the two jobs the informer core has for one.
//
//   - Header: given the bytes of one object as the API server sent them, in a buffer that will be
//     used again, return the object's header and an own copy of it, of exact size and without
//     metadata.managedFields.
//   - Field: given such a copy, read status.phase and spec.containers[0].image.
//
// The contenders are listed in contenders.go and each has a file of its own. The tests hold all of
// them to what encoding/json says, and TestFacts prints how each behaves on input an API server
// should never send.
//
//	go test -bench . -benchtime 300ms -count 3 ./jsonscan
//	go test -run TestFacts -v ./jsonscan
package jsonscan
