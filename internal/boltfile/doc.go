// Package boltfile opens databases of bbolt that may have been damaged. The library follows damaged
// page numbers and lengths wherever they lead, ends the process, or writes over what is in use.
// Its users check their values with a [Record] function.
//
//   - Open checks the whole file before the library sees it; a damaged one is refused with what to
//     do, and left as it is.
//   - Check reads nothing that is not in the file, whatever is written there.
//   - What a killed process leaves behind is not damaged.
//   - A file is readable for its owner only, and one process at a time uses it.
//   - Safely turns the library's panics into errors.
package boltfile
