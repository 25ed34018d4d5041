# Sourced by scripts/demo and scripts/test: makes .venv in the checkout and installs the project into it.
#   prepare EXTRAS    EXTRAS is "" or, for instance, "[test]"
# Nothing is done where the environment already fits pyproject.toml.

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
venv="$root/.venv"

fail() {
    printf '%s: %s\n' "$(basename -- "$0")" "$1" >&2
    exit 1
}

# The first Python that runs, is 3.10 to 3.13 and can make environments. The numbered names are tried last, and some
# of them may be mere shims that name a Python which is not there, so each one is asked.
find_python() {
    for candidate in "${PYTHON:-}" python3 python3.13 python3.12 python3.11 python3.10 python; do
        [ -n "$candidate" ] || continue
        if "$candidate" -c 'import ensurepip, sys, venv; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))' \
            >/dev/null 2>&1 </dev/null; then
            printf '%s\n' "$candidate"
            return 0
        fi
    done
    return 1
}

prepare() {
    extras=$1
    stamp="$venv/installed$extras"
    log="$venv/install.log"
    # what the tests need holds what the demo needs
    for installed in "$stamp" "$venv/installed[test]"; do
        if [ -x "$venv/bin/python" ] && cmp -s "$installed" "$root/pyproject.toml"; then
            return 0
        fi
    done
    if ! "$venv/bin/python" -c '' >/dev/null 2>&1 </dev/null; then
        python=$(find_python) || fail "needs Python 3.10 to 3.13 with its venv module (Debian and Ubuntu: apt install \
python3-venv); say which one with PYTHON=/path/to/python"
        "$python" -m venv --clear "$venv" </dev/null || fail "$python could not make an environment in .venv"
    fi
    printf 'Installing wetgeo%s into .venv; the first time this takes a few minutes\n' "$extras" >&2
    if ! PIP_ROOT_USER_ACTION=ignore "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input \
        --editable "$root$extras" >"$log" 2>&1 </dev/null; then
        grep -viE 'https?:|host|looking in|proxy' "$log" | tail -n 12 >&2
        fail "the installation failed (above, and .venv/install.log): no network, or no compiler?"
    fi
    cp "$root/pyproject.toml" "$stamp"
}
