#!/bin/sh
# Installs a release of tofu-cpp: fetches the archive for this machine, verifies the signature of
# the list of hashes and the hash of the archive, then unpacks it. Nothing is installed that was not
# verified.
set -eu

usage() {
  cat <<'USAGE'
Usage: install.sh --from ADDRESS --version X.Y.Z --key PUBLIC_KEY [--prefix DIR]
       install.sh --uninstall [--prefix DIR]

  --from ADDRESS   URL or folder in which the files of the release are
  --version X.Y.Z  the release
  --key KEY        public key of minisign: the key itself or a file with it; get it from elsewhere
                   than from ADDRESS
  --prefix DIR     where to install (default: /usr/local)
  --uninstall      remove what an earlier call installed
USAGE
}

fail() {
  echo "install.sh: $*" >&2
  exit 1
}

from="" version="" key="" prefix=/usr/local uninstall=no
while [ $# -gt 0 ]; do
  case $1 in
    --from | --version | --key | --prefix)
      [ $# -ge 2 ] || fail "$1 needs a value"
      case $1 in
        --from) from=${2%/} ;;
        --version) version=$2 ;;
        --key) key=$2 ;;
        --prefix) prefix=${2%/} ;;
      esac
      shift 2
      ;;
    --uninstall) uninstall=yes; shift ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done

list="$prefix/share/tofu-cpp/installed"

# Removes the files that the list names, and folders that are empty then.
remove_installed() {
  [ -f "$list" ] || return 0
  while IFS= read -r name; do
    case $name in
      /* | *..*) fail "$list names a file outside of $prefix" ;;
      */) ;;
      *) rm -f "$prefix/$name" ;;
    esac
  done < "$list"
  rm -f "$list"
  rmdir "$prefix/share/tofu-cpp" 2> /dev/null || true
}

if [ "$uninstall" = yes ]; then
  [ -f "$list" ] || fail "nothing is installed in $prefix"
  remove_installed
  exit 0
fi
if [ -z "$from" ] || [ -z "$version" ] || [ -z "$key" ]; then
  usage >&2
  exit 2
fi
case $version in *[!0-9.]*) fail "the version must be of the form X.Y.Z" ;; esac
[ "$(uname -s)" = Linux ] || fail "there are releases for Linux only"
case $(uname -m) in
  x86_64) architecture=amd64 ;;
  aarch64) architecture=arm64 ;;
  *) fail "there is no release for $(uname -m)" ;;
esac
for program in minisign sha256sum tar gzip; do
  command -v "$program" > /dev/null || fail "the program $program is missing"
done

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
trap 'exit 1' HUP INT TERM

# fetch NAME
fetch() {
  case $from in
    https://*)
      if command -v curl > /dev/null; then
        curl --fail --silent --show-error --location --proto '=https' -o "$place/$1" "$from/$1"
      elif command -v wget > /dev/null; then
        wget -q -O "$place/$1" "$from/$1"
      else
        fail "neither curl nor wget is installed"
      fi
      ;;
    *://*) fail "only https addresses and folders are supported" ;;
    *) cp "$from/$1" "$place/$1" ;;
  esac || fail "cannot fetch $1 from $from"
}

archive="tofu-cpp_${version}_linux_$architecture.tar.gz"
fetch SHA256SUMS
fetch SHA256SUMS.minisig
if [ -f "$key" ]; then
  minisign -V -q -p "$key" -m "$place/SHA256SUMS" || fail "the signature of SHA256SUMS is not valid"
else
  minisign -V -q -P "$key" -m "$place/SHA256SUMS" || fail "the signature of SHA256SUMS is not valid"
fi
fetch "$archive"
awk -v name="$archive" '$2 == name' "$place/SHA256SUMS" > "$place/sum"
[ -s "$place/sum" ] || fail "SHA256SUMS does not name $archive"
(cd "$place" && sha256sum -c sum > /dev/null 2>&1) || fail "the hash of $archive is not the signed one"

mkdir "$place/tree"
tar -x -z -f "$place/$archive" -C "$place/tree"
tree="$place/tree/tofu-cpp-$version"
"$tree/bin/tofu" version > /dev/null || fail "the program does not run on this machine"
remove_installed
mkdir -p "$prefix/share/tofu-cpp"
(cd "$tree" && find . -type f | sed 's|^\./||') > "$list"
# The program is replaced as a whole: one that runs keeps its file.
rm -f "$prefix/bin/tofu"
(cd "$tree" && tar -c -f - .) | tar -x -f - -C "$prefix" --no-same-owner
echo "tofu $version is installed as $prefix/bin/tofu."
