// Package codedir keeps compiled code in a folder from one run of the daemon to the next.
//
// What is promised:
//   - The code is run natively, so nobody else may have a hand in it: the folder is made for its
//     owner alone, and refused if it is a symbolic link or no folder, belongs to another user, or
//     is open to its group or others.
//   - An entry is given out only as it was sealed: all of its files are there with the digests they
//     had then, and no others. What is not so is removed, and the entry says why; it is empty then.
//   - Open removes the entries that were not asked for in the last 30 days. Open and Trim remove
//     those that were not asked for longest, until the rest have no more than 1 GiB.
//   - Processes that share a folder may at worst remove an entry that another one is making; that
//     one's Seal fails.
package codedir
