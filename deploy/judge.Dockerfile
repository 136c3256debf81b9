# The judge as one file, without a shell, a package manager or root. Build from the root of the repository:
#   npm ci && npm run build:binary
#   docker build -f deploy/judge.Dockerfile -t touchstone-judge .
#   docker run --rm -e CONFORMANCE_API_KEY touchstone-judge check https://api.example.com --profile wire
# Reports go to the folder in which it runs: -v "$PWD:/work" --user "$(id -u):$(id -g)" … --html report.html
# Another Debian, for example one pinned by its digest: --build-arg DEBIAN=bookworm-slim@sha256:…
ARG DEBIAN=bookworm-slim

FROM debian:${DEBIAN} AS libraries

FROM scratch
COPY --from=libraries /lib64/ld-linux-x86-64.so.2 /lib64/
COPY --from=libraries /lib/x86_64-linux-gnu/libc.so.6 /lib/x86_64-linux-gnu/libm.so.6 /lib/x86_64-linux-gnu/libdl.so.2 /lib/x86_64-linux-gnu/libpthread.so.0 /lib/x86_64-linux-gnu/libgcc_s.so.1 /usr/lib/x86_64-linux-gnu/libstdc++.so.6 /lib/x86_64-linux-gnu/
# The one folder that it writes to besides /work: data of the server that it starts.
COPY --from=libraries --chown=65532:65532 /tmp /tmp
COPY dist/touchstone-linux-x64 /usr/bin/touchstone
WORKDIR /work
USER 65532:65532
ENTRYPOINT ["/usr/bin/touchstone"]
CMD ["--help"]
