// Package progress shows on a terminal how far the first lists of informers are: one line, which is
// drawn again and again, until they are complete.
//
//   - The line has how many of the first lists are complete, with how many objects, and of those
//     that are not, how much has come and how fast.
//   - It appears only if the lists take longer than a moment, and is gone once they are complete.
//   - Whatever else is written to the terminal has lines of its own: the line is removed before
//     that, and drawn again after it.
//   - It has no colors, is never longer than the terminal is wide, and of the names in it nothing
//     gets to the terminal but printable characters.
package progress
