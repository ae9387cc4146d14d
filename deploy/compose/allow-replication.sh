#!/bin/sh
# Runs once, when the primary makes its database: a role for the standby, and the line that lets it in.
set -eu
psql -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d "$POSTGRES_DB" -v password="$(cat /run/secrets/replication-password)" <<'SQL'
create role replicator replication login password :'password';
SQL
echo 'host replication replicator all scram-sha-256' >>"$PGDATA/pg_hba.conf"
