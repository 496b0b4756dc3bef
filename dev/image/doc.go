// Package image tests the container image that the Dockerfile describes.
//
//   - make test holds that the files which it copies suffice to build informerd.
//   - make image-test builds it for each architecture, twice, and compares the bytes; looks at
//     labels, list of contents and size; and runs the quick start in it, as the user of the image,
//     with a root that nothing can be written to, on a real control plane. It needs root and
//     buildah, and no registry: the base image is made of this machine's Go.
//
// The module also has the program that writes the list of contents, so that its version is pinned.
package image
