# Sourced by check, test and test-long: named, timed steps whose output is shown when they fail.
# With STEP_RESULTS set, each verdict is added to that file for the closing line.

failures=0

record() { # VERDICT NAME
    printf '%s %s\n' "$1" "$2" >>"${STEP_RESULTS:-/dev/null}"
}

microseconds() { printf '%s' "${EPOCHREALTIME/[.,]/}"; }

step() { # NAME COMMAND...
    local name=$1 start tenths verdict=passed output
    shift
    start=$(microseconds)
    output=$("$@" 2>&1) || verdict=failed
    tenths=$((($(microseconds) - start) / 100000))
    record "$verdict" "$name"
    printf '%-24s %s in %d.%d s\n' "$name" "$verdict" $((tenths / 10)) $((tenths % 10))
    if [[ $verdict == failed ]]; then
        failures=$((failures + 1))
        printf '%s\n' "$output"
    fi
}

session() { # NAME PATHS AND OPTIONS OF PYTEST...
    local name=$1 code=0
    shift
    printf '\n%s\n' "$name"
    ${RUNNER:-python} -m pytest "$@" -q --inline-snapshot=disable --junit-xml="$reports/$name.xml" || code=$?
    # 1 says that tests failed, which the report counts.
    case $code in 0 | 1) ;; *) record failed "$name: pytest ended with exit code $code" ;; esac
}
