#!/bin/sh
# Makes the keys and passwords of compose.yaml, once. What is there stays.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
[ -f batua.env ] || printf 'MODE=sandbox\n' >batua.env
random() { openssl rand "$@" | tr -d '\n'; }
for name in database-password replication-password; do
  [ -f "secrets/$name" ] || random -hex 24 >"secrets/$name"
done
[ -f secrets/master-key ] || random -base64 32 >secrets/master-key
[ -f secrets/database-url ] ||
  printf 'postgresql://batua:%s@primary:5432/batua' "$(cat secrets/database-password)" >secrets/database-url
# The processes in the containers have other users than this one, and only the owner may enter this folder.
chmod 0644 secrets/* batua.env
