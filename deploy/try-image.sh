#!/bin/sh
# Builds the image and runs it, where no registry of images can be reached: on Debian 12, as root, with buildah,
# debootstrap, runc and PostgreSQL 15 (apt-get install buildah debootstrap runc postgresql-15), and with Node 20 or newer
# and npm 11. Takes about five minutes. The base images are made from Debian's packages and this machine's Node.
#
# The container runs as its user without capabilities, on a root file system that cannot be written. It must become ready
# on an empty database, run `npm run demo`, say that it is healthy, and end by SIGTERM with 0.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
images="buildah --root $work/images --runroot $work/run --storage-driver vfs"
bin=/usr/lib/postgresql/15/bin
port=18085
cleanup() {
  runc delete --force batua-try >/dev/null 2>&1 || true
  [ ! -d "$work/db" ] || runuser -u postgres -- "$bin/pg_ctl" -D "$work/db" -m immediate stop >/dev/null 2>&1 || true
  $images umount --all >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap cleanup EXIT

echo 'making base images from Debian packages'
debootstrap --variant=minbase bookworm "$work/debian" >"$work/log" || { tail -n 3 "$work/log"; exit 1; }
base=$($images from scratch)
$images add -q "$base" "$work/debian" / >/dev/null
$images commit -q "$base" localhost/debian >/dev/null
$images copy -q "$base" "$(readlink -f "$(command -v node)")" /usr/bin/node >/dev/null
$images copy -q "$base" "$(npm root -g)/npm" /usr/lib/node_modules/npm >/dev/null
$images run --isolation chroot "$base" -- ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/bin/npm
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
  $images copy -q "$base" "$NODE_EXTRA_CA_CERTS" /etc/ssl/extra.crt >/dev/null
  $images config --env NODE_EXTRA_CA_CERTS=/etc/ssl/extra.crt "$base"
fi
$images commit -q "$base" localhost/node >/dev/null

echo 'building the image'
$images bud --isolation chroot --format docker --build-arg BUILD=localhost/node --build-arg BASE=localhost/debian \
  --ignorefile deploy/Dockerfile.dockerignore -f deploy/Dockerfile -t batua . >"$work/log" 2>&1 ||
  { tail -n 20 "$work/log"; exit 1; }
root=$($images mount "$($images from localhost/batua)")
test -s "$root/batua/sbom.cdx.json"
echo "$(du -sm "$root/batua" | cut -f 1) MB of the service, on $(du -sm "$work/debian" | cut -f 1) MB of Debian"

chmod 755 "$work" && mkdir "$work/db" && chown postgres "$work/db"
runuser -u postgres -- "$bin/initdb" -D "$work/db" -U batua -A trust -E UTF8 --locale=C.UTF-8 >/dev/null
runuser -u postgres -- "$bin/pg_ctl" -D "$work/db" -l "$work/db/log" -w start >/dev/null \
  -o "-c listen_addresses=127.0.0.1 -c port=$((port + 1)) -c unix_socket_directories=$work/db"

mkdir "$work/bundle"
runc spec -b "$work/bundle"
node -e '
  const [file, root, port] = process.argv.slice(1)
  const spec = JSON.parse(fs.readFileSync(file))
  const { Entrypoint, Cmd, Env } = JSON.parse(fs.readFileSync(0)).Docker.config
  const none = { bounding: [], effective: [], permitted: [], ambient: [], inheritable: [] }
  spec.root = { path: root, readonly: true }
  spec.process = {
    ...spec.process, terminal: false, cwd: "/batua", user: { uid: 10001, gid: 10001 }, noNewPrivileges: true,
    capabilities: none, args: [...Entrypoint, ...Cmd],
    env: [
      ...Env, "HOST=127.0.0.1", `PORT=${port}`, `DATABASE_URL=postgresql://batua@127.0.0.1:${Number(port) + 1}/postgres`,
      `MASTER_KEY=${Buffer.alloc(32, "try").toString("base64")}`,
    ],
  }
  spec.linux.namespaces = spec.linux.namespaces.filter(({ type }) => type !== "network")
  fs.writeFileSync(file, JSON.stringify(spec))' "$work/bundle/config.json" "$root" "$port" <<JSON
$($images inspect --type image localhost/batua)
JSON

echo 'running it'
runc run -b "$work/bundle" batua-try >"$work/service.log" 2>&1 &
service=$!
for _ in $(seq 120); do
  if curl -sf "http://127.0.0.1:$port/readyz" >/dev/null; then break; fi
  kill -0 $service || { cat "$work/service.log"; exit 1; }
  sleep 0.5
done
BASE_URL=http://127.0.0.1:$port npm run --silent demo | tail -n 2
node -e '
  const health = JSON.parse(fs.readFileSync(0)).Docker.config.Healthcheck.Test
  if (health[0] !== "CMD") throw new Error("the health check is a command")
  const { status } = child_process.spawnSync("runc", ["exec", "batua-try", ...health.slice(1)], { stdio: "inherit" })
  process.exitCode = status' <<JSON
$($images inspect --type image localhost/batua)
JSON
runc kill batua-try TERM
wait $service
echo 'the image was built, ran as its user on a file system that cannot be written, and ended by SIGTERM'
