// Package oneoff is informerd watch: changes of resources on a terminal, without a configuration.
//
//   - A Query becomes the text of a configuration, and nothing else is run: informerd run does the
//     same with that text.
//   - Lines turns the events that the configuration writes to stdout into what people read: a line
//     each, with the time, the op, the object, and which fields have changed from what to what.
//   - Fields that change with every update (resourceVersion, generation) are left out of a line;
//     times come last.
//   - An object that is named, as in pods/web, is selected by its name, at the server.
//   - Waiting says once that there is no object yet, after the first lists.
//   - Nothing in an object can move the cursor or change colors.
package oneoff
