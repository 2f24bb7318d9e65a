# presage with Go and gcc, for a module of the host:
#
#     docker build -t presage --build-arg UID=$(id -u) .
#     docker run --rm -v "$PWD":/src -v presage:/cache presage test ./...
#
# The volume /cache keeps Go's build cache, the module cache, presage's builds and the last runs, so
# that `presage report` and `presage replay` find them in the next container. presage refuses a
# cache that belongs to another user. So the container runs as the user who made the image, and that
# is a user of the host, whose files the module has: UID. docs/using/docker.md has more.

# Major and minor are those of go.mod.
ARG GO_VERSION=1.26

FROM golang:${GO_VERSION} AS build
WORKDIR /presage
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -o /out/presage ./cmd/presage

# Go and gcc of this image build the programs that presage records and replays.
FROM golang:${GO_VERSION}
ARG UID=1000
RUN useradd --non-unique --uid "$UID" --create-home presage \
	&& install -d -o presage -m 0700 /cache
COPY --from=build /out/presage /usr/local/bin/presage
ENV GOCACHE=/cache/go-build GOMODCACHE=/cache/mod PRESAGE_CACHE=/cache/presage
USER presage
VOLUME /cache
WORKDIR /src
ENTRYPOINT ["presage"]
CMD ["help"]
