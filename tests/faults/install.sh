#!/bin/sh
# Puts the programs in place that the fault tests use, where that can be done: as root, on Debian or its kin.
# What is there stays; what cannot be had is skipped by the tests, which say so and count it.
set -u

missing=
need() { # program, package
    command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}
PATH=$PATH:/usr/sbin:/sbin
need strace strace
need mkfs.ext4 e2fsprogs
need mkfs.xfs xfsprogs
need mkfs.exfat exfatprogs
need mount.exfat-fuse exfat-fuse
need fusermount3 fuse3
need setpriv util-linux
need losetup mount

[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "fault tests: not installed:$missing" >&2
    exit 0
fi
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086 # a list of packages
install() { apt-get install -y -q --no-install-recommends $missing >"$log" 2>&1; }
install || { apt-get update -q >"$log" 2>&1 && install; } || {
    tail -n 3 "$log" >&2
    echo "fault tests: could not install:$missing" >&2
}
exit 0
