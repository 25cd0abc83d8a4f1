"""The program that a clone runs after a pull: two messages of one id become two ids, and no record becomes untrue.

What is published keeps its id and its bytes, because sessions of other machines were shown it under that id. Ours, which
no other machine has, gets the next free id; what only we have about it (receipts, whom it did not reach, answers) follows.

Why a shell program that `agentmail git` installs: it works on what git has, and only git knows what is published.
Why no loop stands before a pipe, and texts are read into a file first: only the last command of a pipe can stop the
program, and a file that is archived meanwhile must not become an empty one.
Why the receipts come first, the message last, and the new id is noted before both: a run that was stopped in between is
completed by the next one.
"""

from __future__ import annotations

KEEP_BOTH = r"""# agentmail: run after each pull and before the push, as `git keep-both`.
set -eu
umask 077
export LC_ALL=C
cd "$(git rev-parse --show-toplevel)"
staged=$(git rev-parse --git-dir)/agentmail-renamed
chosen=$(git rev-parse --git-dir)/agentmail-new-ids
merging=$(git rev-parse -q --verify MERGE_HEAD || true)
published=${merging:-$(git rev-parse '@{upstream}')}
tree=$(git ls-tree -r --name-only "$published")

# A record that one side moved, as a rename does, and the other wrote to: it stays until the same rename here joins it.
git diff --name-only --diff-filter=U -- '*.jsonl' | while IFS= read -r path; do git add -f -- "$path"; done

# No message has a name that git quotes.
unpublished() {
    git -c core.quotepath=off diff --no-renames --name-only --diff-filter=d "$published" -- "$@" | sed '/^"/d' | sort -u
}
mail() { unpublished '*/inbox/*.md' '*/archive/*.md' '*/archive/*.md.gz' '*/sent/*.md'; }
id_of() { basename "$1" | sed -e 's/\.gz$//' -e 's/\.md$//'; }
expand() { case $1 in *.gz) gunzip -c ;; *) cat ;; esac; }
pack() { case $1 in *.gz) gzip -9n ;; *) cat ;; esac; }
hash_of() { expand "$1" | git hash-object --stdin; }

# Our ids that a published message with another text has.
taken() {
    mail | while IFS= read -r path; do
        id=$(id_of "$path")
        ours=$(hash_of "$path" <"$path")
        printf '%s\n' "$tree" | grep -F "/$id.md" | while IFS= read -r other; do
            case $other in
            */inbox/"$id".md | */sent/"$id".md | */archive/"$id".md | */archive/"$id".md.gz)
                test "$(git show "$published:$other" | hash_of "$other")" = "$ours" || echo "$id"
                ;;
            esac
        done
    done
}

# The id that a run which was stopped had chosen, else the next free one.
new_id() {
    grep -s "^$1 " "$chosen" && return
    number=2
    while { printf '%s\n' "$tree" && git ls-files; } | grep -qF "/$1-$number.md"; do number=$((number + 1)); done
    echo "$1 $1-$number" | tee -a "$chosen"
}

# What our sessions recorded about that id, they recorded about our message.
receipts() {
    unpublished '*/sessions/*.jsonl' | while IFS= read -r path; do
        { git show "$published:$path" 2>/dev/null || true; } |
            awk -v was="\"id\": \"$1\"" -v new="\"id\": \"$2\"" '
                part == 1 { published[$0]; next }
                !($0 in published) && (at = index($0, was)) {
                    $0 = substr($0, 1, at - 1) new substr($0, at + length(was))
                }
                { print }' part=1 - part=2 "$path" >"$staged"
        replace "$path" "$path"
    done
}

# Whom our message did not reach: the published one has facts of its own, or none.
undelivered() {
    unpublished "*/sent/$1.jsonl" | while IFS= read -r path; do
        { git show "$published:$path" 2>/dev/null || true; } |
            awk 'part == 1 { published[$0]; next } !($0 in published)' part=1 - part=2 "$path" >"$staged"
        replace "$path" "$(dirname "$path")/$2.jsonl"
        back "$path"
    done
}

# The published file, or none.
back() { git checkout -q "$published" -- "$1" 2>/dev/null || git rm -qf -- "$1"; }

replace() {
    mv -f "$staged" "$2"
    git add -f -- "$2"
}

named_in() {
    expand "$2" <"$2" | sed -n -e '1d' -e '/^---$/q' -e p | grep -qxE "(re|thread): $1"
}

# Our answers to it, and then it itself, in every mailbox.
messages() {
    for turn in answers itself; do
        mail | while IFS= read -r path; do
            to=$path
            if test "$(id_of "$path")" = "$1"; then
                to=$(dirname "$path")/$2${path##*/"$1"}
                test $turn = itself || continue
            else
                test $turn = answers && named_in "$1" "$path" || continue
            fi
            expand "$path" <"$path" >"$staged.text"
            sed -E "2,/^---\$/s/^(id|thread|re): $1\$/\1: $2/" "$staged.text" | pack "$path" >"$staged"
            replace "$path" "$to"
            test "$to" = "$path" || back "$path"
        done
    done
}

taken >"$staged"
ids=$(sort -u "$staged")
for id in $ids; do
    new=$(new_id "$id")
    new=${new#* }
    receipts "$id" "$new"
    undelivered "$id" "$new"
    messages "$id" "$new"
    echo "$id of this machine is $new now: another message of that id was published"
done
if test -n "$ids$merging" || test -e "$chosen"; then
    git diff --cached --quiet && test -z "$merging" || git commit -q -m 'Keep both messages of an id'
    rm -f "$chosen"
fi
rm -f "$staged" "$staged.text"
"""
