// Package boltfile opens databases of bbolt that may have been damaged. The library follows page
// numbers and lengths wherever they lead, and has no checksums for values.
//
//   - Open reads every value before anything is written, and its user checks each. A file whose
//     pages do not make a tree, or that has a wrong value, is refused with what to do, and left as
//     it is. Damage of what is not a value, such as the list of free pages, may be noticed later.
//   - What a killed process leaves behind is not damaged.
//   - A file is readable for its owner only, and one process at a time uses it.
//   - Safely turns the library's panics into errors, and faults at pages that are not there.
package boltfile
