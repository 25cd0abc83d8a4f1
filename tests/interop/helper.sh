#!/bin/sh
# Takes part in the mail without our program: what somebody writes in an afternoon after reading how the
# files look. A witness that the files are enough, and no model: it does not sync, it quotes nothing, and it
# can overwrite a message of the same minute, sender and slug.
set -eu
umask 077

bus=${AGENT_MAIL_DIR:-$HOME/.agents/mail}
days=${AGENT_MAIL_RETENTION_DAYS:-60}

fail() {
    code=$1
    shift
    echo "helper: $*" >&2
    exit "$code"
}

known() {
    [ -d "$bus/$1/inbox" ] || fail 3 "nobody called $1"
}

register() { # <id> <workdir> <role...>
    who=$1 place=$2
    shift 2
    mkdir -p "$bus/$who/tmp" "$bus/$who/inbox" "$bus/$who/archive"
    table=$bus/registry.md
    [ -f "$table" ] || printf '# registry\n\n| id | workdir | role |\n|---|---|---|\n' >"$table"
    grep -q "^| $who |" "$table" || printf '| %s | %s | %s |\n' "$who" "$place" "$*" >>"$table"
}

roster() {
    cat "$bus/registry.md"
}

send() { # <from> <to> <slug> [subject...]; the body on standard input
    from=$1 to=$2 slug=$3
    shift 3
    known "$to"
    id=$(date +%Y%m%d-%H%M)-$from-$slug
    body=$(cat)
    [ "$(printf %s "$body" | wc -c)" -le 8192 ] || fail 2 "the body is too long"
    staged=$(mktemp "$bus/$to/tmp/XXXXXX")
    cat >"$staged" <<MESSAGE
---
id: $id
from: $from
to: $to
thread: $slug
re:
subject: $*
priority: normal
---
$body
MESSAGE
    mv "$staged" "$bus/$to/inbox/$id.md"
    echo "$id"
}

check() { # <id>
    known "$1"
    ls "$bus/$1/inbox" | grep '\.md$' | sort | while read -r name; do
        file=$bus/$1/inbox/$name
        from=$(sed -n 's/^from: *//p' "$file" | head -n 1)
        subject=$(sed -n 's/^subject: *//p' "$file" | head -n 1)
        printf '%s  %s  %s\n' "${name%.md}" "$from" "$subject"
    done
}

archive() { # <id> <message-id>
    known "$1"
    [ -f "$bus/$1/inbox/$2.md" ] || fail 1 "no message $2"
    mv "$bus/$1/inbox/$2.md" "$bus/$1/archive/$2.md"
    gzip -9 -f "$bus/$1/archive/$2.md"
    prune "$1"
}

prune() { # <id> [days]
    find "$bus/$1/archive" -type f \( -name '*.md' -o -name '*.md.gz' \) -mtime "+${2:-$days}" -exec rm {} +
}

"$@"
