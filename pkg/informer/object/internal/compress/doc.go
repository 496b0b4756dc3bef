// Package compress compresses texts with zstd, each on its own, against a dictionary that many of
// them share. An encoder belongs to the goroutine that makes it; decoders are shared by all. It is
// the only package that knows the compression library.
package compress
