#!/usr/bin/env bash
# get-nvim.sh SUITE PREFIX [PACKAGE]: unpack Neovim (or another package, say hx) and all libraries that it
# needs, libc included, from a Debian suite into PREFIX. With a private apt state: the system's sources, dpkg
# database and libc are not touched. Needs root, apt and, for another libc than the system's, patchelf.
set -euo pipefail
suite=$1 prefix=$2 package=${3:-neovim}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/lists/partial "$work"/cache/archives/partial "$prefix"
: > "$work/status" # an empty dpkg status: apt resolves the complete closure
mirror=$(sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/debian.sources 2>/dev/null | head -1)
[ -n "$mirror" ] || mirror=$(awk '$1 == "deb" { print $2; exit }' /etc/apt/sources.list)
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" > "$work/sources.list"
cat > "$work/apt.conf" <<CONF
Dir::Etc::SourceList "$work/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::State::Lists "$work/lists";
Dir::State::status "$work/status";
Dir::Cache "$work/cache";
APT::Sandbox::User "root";
APT::Install-Recommends "false";
Acquire::Languages "none";
CONF
export APT_CONFIG="$work/apt.conf"
apt-get -qq update
apt-get -qq -y --download-only install "$package"
for deb in "$work"/cache/archives/*.deb; do dpkg-deb -x "$deb" "$prefix"; done
unset APT_CONFIG
# Its own loader and a DT_RPATH instead of LD_LIBRARY_PATH, so that what it starts (the language server) sees
# a clean environment, and v:progpath stays Neovim.
program=$package
[ "$package" = neovim ] && program=nvim
binary=$prefix/usr/bin/$program
for loader in "$prefix"/usr/lib64/ld-linux-x86-64.so.2 "$prefix"/usr/lib/ld-linux-aarch64.so.1; do
  [ -e "$loader" ] && break
done
libraries=$(dirname "$(find "$prefix/usr/lib" -name libc.so.6 | head -1)")
patchelf --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$binary"
"$binary" --version | head -1
