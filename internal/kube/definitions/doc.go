// Package definitions watches the CustomResourceDefinitions of an API server, so that custom
// resources that come, change or go while informerd runs are noticed at once.
//
// # Promises
//
//   - There is one watch, however many resources are followed. It begins with [Watch.Begin], which
//     [Needed] says is for configurations that name more than built-in resources.
//   - Of a definition, only its names, its scope and whether it is established are kept. Schemas are
//     cut out on arrival.
//   - Each change is passed on once it is known to the other functions: the definitions that are
//     there at the beginning, those that are established, changed, deleted, and made again.
//   - What cannot mean something to an informer, such as another condition, is not passed on.
//   - A resource is gone only if it is followed, and its definition was seen and is missing
//     in what the API server has now.
//   - Without the right to watch, that is logged once, and tried again every few seconds.
//   - [Watch.Schema] reads a schema from the definition itself, which is never older than the change
//     that was passed on; what the API server publishes follows later.
package definitions
