// Package stdout is the output that writes CloudEvents to a stream, which is the process's standard
// output outside of tests: structured JSON, one event a line, and nothing else.
//
// In addition to what every [sink.Sink] promises:
//   - Lines are passed to the stream's Write whole, with their line breaks: several of them
//     together up to 4 KiB, which a pipe takes as a whole, and a longer one alone. Nothing is
//     buffered, so a line is out when Write returns.
//   - A stream that takes nothing, such as a pipe whose reader stopped reading, holds up all
//     writers, each until its ctx is done. Nobody's lines are dropped.
//   - A line of which the stream took only a part is an error worth trying again. The next line
//     then begins with a line break of its own, so that the part spoils no other line.
//   - A broken pipe is a permanent error: nobody will ever read the line. (If the stream is file
//     descriptor 1, the runtime ends the process before, by SIGPIPE, unless the program has asked
//     for that signal.)
//   - The stream is the caller's: Close does not close it. If it takes nothing, a Close whose ctx
//     is done returns and leaves the one call of the stream's Write behind, since nothing can end
//     that.
package stdout
