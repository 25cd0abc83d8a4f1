#!/bin/sh
# Puts the pinned Claude Code, which the tests of the hooks drive, into a cache folder:
#   ${XDG_CACHE_HOME:-$HOME/.cache}/agentmail-hosts/claude-code-<version>
# Run it again at will: a client that is there is left alone.
# Exits 0 with one line; 3 with one line when node or npm is missing; 1 when npm could not install it.
set -eu

version=$(cat "$(dirname "$0")/client-version")
cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/agentmail-hosts
place=$cache/claude-code-$version
client=node_modules/.bin/claude

not_installed() {
    echo "Claude Code $version is not installed: $1" >&2
    exit "$2"
}

if [ -x "$place/$client" ]; then
    echo "Claude Code $version is in $place"
    exit 0
fi

for program in node npm; do
    command -v "$program" >/dev/null 2>&1 ||
        not_installed "$program is missing; install Node.js 20 or newer, then run this again" 3
done

mkdir -p "$cache"
# Made beside its place and renamed, so that nobody ever finds half a client there.
new=$(mktemp -d "$cache/.new-XXXXXX")
trap 'rm -rf "$new"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# The version is given in full: npm would pick an older one that asks for an older node.
if ! npm install --prefix "$new" --no-audit --no-fund --no-update-notifier --loglevel=error \
    "@anthropic-ai/claude-code@$version" >"$new/npm.log" 2>&1; then
    tail -n 20 "$new/npm.log" >&2
    not_installed "npm failed, its last words are above" 1
fi

# npm may be content without the program itself (optional dependencies switched off): try it.
answer=$(env HOME="$new/try" CLAUDE_CONFIG_DIR="$new/try" DISABLE_AUTOUPDATER=1 "$new/$client" --version) || answer=
rm -rf "$new/try"
case $answer in
"$version "*) ;;
*) not_installed "npm finished, but the program answers '$answer'" 1 ;;
esac

# Half a client, left by hand, must go first; a whole one, by another run of this script, stays.
[ -x "$place/$client" ] || rm -rf "$place"
# Why node: its rename fails on a directory that is not empty, while mv would move ours into it.
node -e 'require("fs").renameSync(process.argv[1], process.argv[2])' "$new" "$place" 2>/dev/null ||
    [ -x "$place/$client" ] || not_installed "$new could not be renamed to $place" 1
echo "Claude Code $version is in $place"
