FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY cmd cmd
COPY docs/docs.go docs/config.schema.json docs/
COPY internal internal
COPY pkg pkg
COPY plugins/sdk plugins/sdk
ARG VERSION=dev
# Without cgo the binary is static, so it runs on an empty image.
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false \
    -ldflags "-s -w -X github.com/informerd/informerd/internal/cli.version=${VERSION}" \
    -o /informerd ./cmd/informerd

# Only the binary, and the certificates with which handlers and outputs verify servers: no shell, no
# root.
FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /informerd /informerd
USER 65532:65532
ENTRYPOINT ["/informerd"]
