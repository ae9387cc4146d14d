#!/bin/sh
# Copies the primary once, and follows it. `pg_ctl promote` in this container makes it the primary.
set -eu
PGPASSWORD=$(cat /run/secrets/replication-password)
export PGPASSWORD
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  until pg_basebackup -h primary -U replicator -D "$PGDATA" -X stream -R -C -S standby; do
    # A copy that broke off leaves files and a slot behind.
    rm -rf "${PGDATA:?}"/*
    psql "host=primary user=replicator dbname=postgres replication=database" \
      -c 'DROP_REPLICATION_SLOT standby' >/dev/null 2>&1 || true
    sleep 2
  done
  chmod 0700 "$PGDATA"
fi
unset PGPASSWORD
exec postgres -c hot_standby=on -c max_connections=200
