# The program in a small image: docker build -t mindgap . && docker run --rm -v "$PWD:/work" mindgap check /work/my-model
# The packages are those of the groups `build` and `deb` in tools/packages.txt; a test compares the two lists.
FROM debian:12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends \
      cmake \
      dpkg-dev \
      g++ \
      libboost-dev \
      libcli11-dev \
      libcpp-httplib-dev \
      libeigen3-dev \
      libfmt-dev \
      libhdf5-dev \
      librandom123-dev \
      libsodium-dev \
      libsqlite3-dev \
      libssl-dev \
      libsuitesparse-dev \
      libtbb-dev \
      libtomlplusplus-dev \
      make \
      ninja-build \
      nlohmann-json3-dev \
      pkg-config \
      python3 \
    && rm -rf /var/lib/apt/lists/*
COPY . /src
RUN make -C /src deb

FROM debian:12-slim
COPY --from=build /src/build/deb/ /tmp/deb/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/deb/mindgap_*.deb && rm -rf /var/lib/apt/lists/* /tmp/deb
WORKDIR /work
ENTRYPOINT ["mindgap"]
