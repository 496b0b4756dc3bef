# The image of informerd, for amd64 and arm64: make image builds it, make image-test tests it. With
# the same base image and the same arguments it has the same bytes each time.

# The machine that builds also compiles for the other architecture.
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
COPY dev/image/go.mod dev/image/go.sum dev/image/
RUN go mod download && cd dev/image && go mod download
COPY cmd cmd
COPY configs/recipes configs/recipes
COPY docs/docs.go docs/config.schema.json docs/
COPY internal internal
COPY pkg pkg
COPY plugins/sdk plugins/sdk
ARG TARGETOS
ARG TARGETARCH
ARG VERSION=dev
ARG REVISION=
# The time of the revision, in seconds since 1970: "informerd version" shows it.
ARG SOURCE_DATE_EPOCH=
# Without cgo the binary is static, so it runs on an empty image.
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -buildvcs=false \
    -ldflags "-s -w -X github.com/informerd/informerd/internal/cli.version=$VERSION \
      -X github.com/informerd/informerd/internal/cli.commit=$REVISION \
      -X github.com/informerd/informerd/internal/cli.date=$SOURCE_DATE_EPOCH" \
    -o /root/image/informerd ./cmd/informerd
# What the binary is made of, with licenses. All modules were downloaded, and compared with go.sum:
# nobody else is asked.
RUN cd dev/image && GOPROXY=off GOSUMDB=off GOFLAGS=-trimpath go tool cyclonedx-gomod bin -json -noserial -notimestamp \
    -licenses -std -version "$VERSION" -output /root/image/informerd.cdx.json /root/image/informerd
# The certificates with which handlers and outputs verify servers, and a folder for temporary files
# where the root is not read-only.
RUN mkdir -p /root/image/etc/ssl/certs && cp /etc/ssl/certs/ca-certificates.crt /root/image/etc/ssl/certs/ && \
    mkdir -m 1777 /root/image/tmp

# Nothing else: no shell, no root.
FROM scratch
ARG VERSION=dev
ARG REVISION=
LABEL org.opencontainers.image.title="informerd" \
      org.opencontainers.image.description="Reacts to changes of Kubernetes objects, by configuration" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="https://github.com/informerd/informerd" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
COPY --from=build /root/image /
USER 65532:65532
ENTRYPOINT ["/informerd"]
