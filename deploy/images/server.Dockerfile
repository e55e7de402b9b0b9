# The server's image. From the root of a checkout in which `make setup` has run:
#
#     docker build --file deploy/images/server.Dockerfile --build-arg VARIANT=cuda --tag scorer:cuda .
#
# It holds the hidden tests and texts of the environments: keep it out of the reach of agents.

# Debian's Python, C compiler and Rust's own toolchain are what the sandboxes mount, so all stages share one base.
ARG BASE_IMAGE=debian:bookworm-slim
ARG RUST_IMAGE=rust:1.95-slim-bookworm
# What submitted Python finds: cuda (torch as locked; runs without a GPU too), cpu (a smaller torch, see below), or
# none (rust_codecontests alone).
ARG VARIANT=cuda

FROM ${RUST_IMAGE} AS rust
RUN mkdir /opt/rust && cp --archive "$(rustc --print sysroot)/." /opt/rust && rm -rf /opt/rust/share

FROM ${BASE_IMAGE} AS base
# g++ and Python's headers: torch.compile makes C++ on a CPU, Triton a small C library on a GPU.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        ca-certificates g++ gcc libc6-dev python3 python3-dev python3-venv \
    && rm -rf /var/lib/apt/lists/*

FROM base AS service
WORKDIR /build
RUN python3 -m venv tools && python3 -m venv /opt/scorer
# Everything from outside is checked by hash. What is installed is then taken from that folder alone, by what the
# service itself asks for, so that tools of development do not come along.
COPY requirements.txt .
RUN tools/bin/pip download --quiet --require-hashes --dest wheels --requirement requirements.txt \
    && tools/bin/pip install --quiet --no-index --find-links wheels editables hatchling maturin
COPY --from=rust /opt/rust /opt/rust
COPY sandboxes/launcher sandboxes/launcher
RUN PATH="/opt/rust/bin:/build/tools/bin:$PATH" \
    tools/bin/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir wheels ./sandboxes/launcher
COPY clients/python clients/python
COPY sandboxes/python sandboxes/python
COPY sandboxes/rust sandboxes/rust
COPY scorer_service scorer_service
COPY pyproject.toml .
# The problem set is built in sandboxes, which a build of images cannot make: it comes with the checkout.
RUN test -s scorer_service/environments/rust_codecontests/problem_set/problems.jsonl \
    || { echo "no problem set in the checkout: run \`make setup\` first" >&2; exit 1; }
RUN tools/bin/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir wheels ./clients/python . \
    && /opt/scorer/bin/pip install --quiet --no-index --find-links wheels 'scorer-service[docker,hub,traces]'

FROM base AS torch-cuda
COPY sandboxes/python/requirements.txt /build/
RUN python3 -m venv /opt/torch \
    && /opt/torch/bin/pip install --quiet --no-cache-dir --require-hashes --requirement /build/requirements.txt

# The package index has torch with CUDA alone. Without it, torch comes from another index, checked by the hash of its
# wheel; everything else as locked.
FROM base AS torch-cpu
ARG TORCH_CPU_INDEX
ARG TORCH_CPU_SHA256
COPY sandboxes/python/requirements.txt /build/
RUN cd /build && test -n "$TORCH_CPU_INDEX" -a -n "$TORCH_CPU_SHA256" \
    || { echo "VARIANT=cpu needs TORCH_CPU_INDEX and TORCH_CPU_SHA256" >&2; exit 1; }
RUN cd /build && python3 -m venv /opt/torch \
    && awk '/^[a-z]/ { kept = !/^(cuda-|nvidia-|torch==)/ } kept' requirements.txt > rest.txt \
    && echo "$(grep --only-matching '^torch==[0-9.]*' requirements.txt) --hash=sha256:$TORCH_CPU_SHA256" > torch.txt \
    && /opt/torch/bin/pip install --quiet --no-cache-dir --require-hashes --requirement rest.txt \
    && /opt/torch/bin/pip install --quiet --no-cache-dir --no-deps --require-hashes \
        --index-url "$TORCH_CPU_INDEX" --requirement torch.txt

FROM base AS torch-none
RUN python3 -m venv --without-pip /opt/torch

FROM torch-${VARIANT} AS torch

FROM base
ARG VARIANT
LABEL org.opencontainers.image.title="scorer" \
      org.opencontainers.image.description="Scoring service for research tasks (torch: ${VARIANT})"
RUN groupadd --gid 10001 scorer \
    && useradd --uid 10001 --gid scorer --no-create-home --home-dir /var/lib/scorer --shell /usr/sbin/nologin scorer \
    && install --directory --owner scorer --group scorer --mode 0700 /var/lib/scorer \
    && install --directory /etc/scorer
COPY --from=rust /opt/rust/bin/rustc /opt/rust/bin/rustc
COPY --from=rust /opt/rust/lib /opt/rust/lib
COPY --from=torch /opt/torch /opt/torch
COPY --from=service /opt/scorer /opt/scorer
# Settings of scorer.toml beat these. Other machines reach both ports, so the server refuses to start without TLS, and
# asks for tokens.
ENV PATH=/opt/scorer/bin:/opt/rust/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    SCORER_STATE_DIR=/var/lib/scorer \
    SCORER_TORCH_PYTHON=/opt/torch/bin/python \
    SCORER_LISTEN=0.0.0.0:50051 \
    SCORER_METRICS_LISTEN=0.0.0.0:9464 \
    NVIDIA_DRIVER_CAPABILITIES=compute,utility
# Where scorer.toml is looked for.
WORKDIR /etc/scorer
USER 10001:10001
EXPOSE 50051 9464
STOPSIGNAL SIGTERM
# Healthy as soon as one environment serves. The self-tests of all take some minutes on few cores.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10m --retries=3 \
    CMD ["python3", "-I", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9464/healthz', timeout=4)"]
ENTRYPOINT ["scorer"]
CMD ["serve"]
