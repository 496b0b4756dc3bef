// Package kubeapi is what the outputs that write to a Kubernetes API server have in common: an
// [API], which sends a [Request], and the meaning of its errors.
// Package kube implements API with client-go.
//
// What is promised of errors, see [Failed]:
//   - No answer, 401, 408, 409, 425, 429 and 5xx are transient; other 4xx are permanent.
//   - A right that is missing is transient, and about one message: it may be granted later. A 403 for
//     another reason, such as that of an admission webhook, is permanent.
//   - A delay that the server asked for is passed on.
//   - The text has the server's words quoted and bounded, and no value that the server refused.
package kubeapi
