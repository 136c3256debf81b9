# The judge as one file, without a shell, a package manager or root. Build from the root of the repository:
#   npm ci && npm run build:binary
#   docker build -f deploy/judge.Dockerfile -t touchstone-judge .
#   docker run --rm -e CONFORMANCE_API_KEY touchstone-judge check https://api.example.com --profile wire
# Reports go to the folder in which it runs: -v "$PWD:/work" --user "$(id -u):$(id -g)" … --html report.html
# Any base with glibc and libstdc++ will do, for example this one pinned by its digest: --build-arg BASE=…@sha256:…
ARG BASE=gcr.io/distroless/cc-debian12:nonroot
FROM ${BASE}
COPY dist/touchstone-linux-x64 /usr/bin/touchstone
WORKDIR /work
USER 65532:65532
ENTRYPOINT ["/usr/bin/touchstone"]
CMD ["--help"]
