# SPDX-License-Identifier: Apache-2.0
#
# The environment that ./dev builds and tests in: what it is made of, how it is made, how it is entered.
# Sourced by ./dev and test/run with $here set to the checkout.
#
#   $cache/root               a Debian sid root with the packages of test/environment/packages
#   $cache/root/.packages     the packages that are known to be in it
#   $cache/NAME-VERSION-SUM/  jars of test/environment/NAME.pom.xml, whose check sum it is
#   $cache/m2                 Maven's own store, so that nothing else of the user's is touched
#   $cache/state              what test runs keep for each other: an initialised data directory, a class archive
#
# Whatever is made is made under another name, under a lock, and renamed when complete: an interrupted setup is repeated.
# Mounts exist only in the mount namespace of one entry, so deleting the cache cannot reach the checkout.

cache=${XDG_CACHE_HOME:-$HOME/.cache}/tidemark
root=$cache/root
part=$here/test/environment
readonly here cache part # a function's local of such a name would send an entry elsewhere

die() { echo "dev: $*" >&2; exit 1; }
say() { echo "dev: $*" >&2; }

# ---- which environment

probe_native() { # does the machine itself have what tidemark needs?
    command -v cc cmake ninja pkg-config >/dev/null || return 1
    pkg-config --exists 'mysqlclient >= 9' 'rdkafka >= 2.14' libcjson libzstd libpcre2-8 zlib || return 1
    [ "$(id -u)" != 0 ] || command -v mysqld java clang clang-format >/dev/null || return 1
    local out
    out=$(mktemp -d) || return 1
    probe_build "$out/probe" 2>/dev/null
    local status=$?
    rm -rf "$out"
    return $status
}

probe_build() { # probe_build FILE
    # shellcheck disable=SC2046
    cc -o "$1" "$part/probe.c" $(pkg-config --cflags --libs mysqlclient rdkafka libcjson libzstd libpcre2-8 zlib) -lev
}

is_native() {
    if [ -z "${native:-}" ]; then
        native=${TIDEMARK_NATIVE:-}
        [ -n "$native" ] || { probe_native && native=1 || native=0; }
    fi
    [ "$native" = 1 ]
}

# ---- making it

packages() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$part/packages" | sort -u; }

packages_missing() { comm -23 <(packages) <(sort -u "$root/.packages" 2>/dev/null || true); }

jars_version() { sed -n '/<version>/{s|.*<version>\(.*\)</version>.*|\1|p;q}' "$part/$1.pom.xml"; }

jars_folder() { # jars_folder NAME: another pom makes another folder
    local sum
    sum=$(cksum <"$part/$1.pom.xml")
    echo "$cache/$1-$(jars_version "$1")-${sum% *}"
}

is_ready() {
    is_native || { [ -f "$root/.packages" ] && [ -z "$(packages_missing)" ]; } || return 1
    [ -d "$(jars_folder kafka)" ]
}

environment_ready() { is_ready || environment_setup; }

environment_setup() {
    mkdir -p "$cache/state" "$cache/tmp"
    if ! is_native; then
        [ "$(id -u)" = 0 ] || die "these libraries are not on this machine, and making a root with them needs the superuser: sudo ./dev setup"
        with_lock root_make
    fi
    with_lock jars_make kafka
    environment_versions
}

environment_jars() { # environment_jars NAME: fetched when first asked for
    [ -d "$(jars_folder "$1")" ] || with_lock jars_make "$1"
}

with_lock() { (flock 8 && "$@") 8>"$cache/lock"; }

root_make() {
    if [ ! -f "$root/.packages" ]; then
        command -v mmdebstrap >/dev/null || { say "installing mmdebstrap" && apt-get update -qq && apt-get install -y -qq mmdebstrap >/dev/null; }
        say "making a Debian sid root in $root (about a minute, 2 GB)"
        local new=$cache/tmp/root
        rm -rf "$new" "$root"
        apt_settings >"$cache/tmp/apt.conf"
        mmdebstrap --quiet --variant=minbase --aptopt="$cache/tmp/apt.conf" --include="$(packages | paste -sd,)" sid "$new" "$(mirror)" ||
            die "mmdebstrap could not make the root"
        root_finish "$new"
        packages >"$new/.packages"
        mv "$new" "$root"
        rm -f "$cache/tmp/apt.conf"
    elif [ -n "$(packages_missing)" ]; then
        local add
        add=$(packages_missing)
        say "adding to the root: ${add//$'\n'/ }"
        # shellcheck disable=SC2086
        run_in / sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null' - $add ||
            die "apt-get could not add packages to the root; ./dev setup after deleting $root makes a new one"
        { cat "$root/.packages"; packages; } | sort -u >"$root/.packages.new"
        mv "$root/.packages.new" "$root/.packages"
    fi
}

root_finish() { # what a new root needs beside its packages
    local new=$1
    touch "$new/etc/resolv.conf" "$new/etc/hosts"
    chroot "$new" useradd --system --no-create-home --shell /usr/sbin/nologin mysql
    if compgen -G '/usr/local/share/ca-certificates/*.crt' >/dev/null; then # authorities this machine trusts, Java's store too
        cp /usr/local/share/ca-certificates/*.crt "$new/usr/local/share/ca-certificates/"
        root=$new run_in / update-ca-certificates >/dev/null 2>&1
    fi
}

mirror() { # the mirror that this machine already uses
    local uri=${TIDEMARK_MIRROR:-}
    if [ -z "$uri" ] && [ -f /etc/apt/sources.list.d/debian.sources ]; then
        uri=$(awk '/^URIs:/ { print $2; exit }' /etc/apt/sources.list.d/debian.sources)
    fi
    if [ -z "$uri" ] && [ -f /etc/apt/sources.list ] && grep -qi '^ID=debian' /etc/os-release; then
        uri=$(awk '$1 == "deb" { for (i = 2; i < NF; i++) if ($i ~ /:\//) { print $i; exit } }' /etc/apt/sources.list)
    fi
    [ -n "$uri" ] || die "which Debian mirror? set TIDEMARK_MIRROR to its address"
    echo "$uri"
}

apt_settings() { # how this machine reaches its mirror; sid's index may be older than it promises to be
    apt-config dump 2>/dev/null | grep -E '^Acquire::(http|https|ftp|Check-|Retries)' | grep -v '""' || true
    echo 'Acquire::Check-Valid-Until "false";'
    local auth
    for auth in /etc/apt/auth.conf /etc/apt/auth.conf.d; do
        [ ! -f "$auth" ] || echo "Dir::Etc::netrc \"$auth\";"
        [ ! -d "$auth" ] || echo "Dir::Etc::netrcparts \"$auth\";"
    done
}

jars_make() { # jars_make NAME
    local folder new
    folder=$(jars_folder "$1")
    [ ! -d "$folder" ] || return 0
    new=$cache/tmp/jars
    rm -rf "$new"
    mkdir -p "$new"
    say "fetching the jars of $(basename "$folder")"
    cp "$part/$1.pom.xml" "$new/pom.xml"
    local settings=()
    [ ! -f "$HOME/.m2/settings.xml" ] || settings=(-s "$HOME/.m2/settings.xml")
    writable=1 run_in "$new" mvn -q -B "${settings[@]}" "-Dmaven.repo.local=$cache/m2" dependency:copy-dependencies "-DoutputDirectory=$new/lib" ||
        die "Maven could not fetch the jars of $(basename "$folder")"
    mv "$new/lib" "$folder"
    rm -rf "$new"
}

environment_versions() { # print what is there, refuse what is too old
    local out
    is_native && say "native: this machine has the libraries" || say "root: $root"
    out=$(mktemp /tmp/tidemark-probe.XXXXXX)
    run_in "$here" bash -c "here=. && . test/environment/lib.sh && probe_build $out && $out" || die "the libraries are missing or too old"
    rm -f "$out"
    run_in "$here" bash test/environment/versions
    echo "Kafka          $(jars_version kafka)"
}

# ---- entering it

run_in() { (exec_in "$@"); }

exec_in() { # exec_in FOLDER COMMAND…: this process becomes the command: exit code, signals and terminal are its own
    local cwd=$1
    shift
    export TIDEMARK_STATE=$cache/state TIDEMARK_KAFKA_LIB TIDEMARK_DEBEZIUM_LIB
    TIDEMARK_KAFKA_LIB=$(jars_folder kafka)
    TIDEMARK_DEBEZIUM_LIB=$(jars_folder debezium)
    if is_native; then
        cd "$cwd" && exec "$@"
    fi
    exec env -u LD_LIBRARY_PATH -u LD_PRELOAD -u PYTHONPATH -u PYTHONHOME -u JAVA_HOME -u MAVEN_OPTS \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 LC_ALL=C.UTF-8 \
        unshare --mount --propagation private "$part/enter" "$root" "$cwd" "$here" "$cache" "${writable:-}" "$@"
}
