import { accessSync, constants, statfsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Config, knownNames } from '../config/config.ts'
import type { Env } from '../config/env-reader.ts'
import { codeOf, portProblem } from '../kernel/system-errors.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const GIB = 1024 ** 3
const LITTLE_SPACE = 2 * GIB
const NEEDED_SPACE = GIB / 4

/** The program, its ports, its folder, and the files that it reads secrets from. */
export async function checkMachine(config: Config, env: Env): Promise<Finding[]> {
  const ports = [
    ['PORT', config.port],
    ['METRICS_PORT', config.metricsPort],
  ] as const
  return [
    ok('Node.js', `${process.version} on ${process.platform}-${process.arch}`),
    ...(await Promise.all(ports.map(([variable, port]) => checkPort(variable, config.host, port)))).flat(),
    ...checkFolder(config),
    ...checkSecretFiles(config, env),
  ]
}

async function checkPort(variable: string, host: string, port: number | null): Promise<Finding[]> {
  if (port === null || port === 0) return []
  const code = await portProblem(host, port)
  if (code === null) return [ok(variable, `${host}:${port} is free`)]
  if (code !== 'EADDRINUSE') return [problem(variable, `${host}:${port} cannot be used (${code})`)]
  return [warning(variable, `${host}:${port} is in use. Unless this service runs there now, choose another`)]
}

/** Only the embedded database and the sandbox's master key need the folder. */
function checkFolder({ databaseUrl, masterKey, dataDir }: Config): Finding[] {
  if (databaseUrl !== null && masterKey !== null) return []
  const folder = existing(resolve(dataDir))
  try {
    if (!statSync(folder).isDirectory()) return [problem('DATA_DIR', `${folder} is a file, not a folder`)]
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    return [problem('DATA_DIR', `${folder} cannot be written to (${codeOf(error)})`)]
  }
  return [ok('DATA_DIR', `${resolve(dataDir)} can be used`), checkSpace('disk', folder)]
}

function checkSpace(subject: string, folder: string): Finding {
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const text = `${(free / GIB).toFixed(1)} GiB are free in ${folder}`
  if (free < NEEDED_SPACE) return problem(subject, `${text}. The database stops when the disk is full`)
  if (free < LITTLE_SPACE) return warning(subject, `${text}. The database stops when the disk is full`)
  return ok(subject, text)
}

/** The folder itself, or the nearest above it that is there. */
function existing(folder: string): string {
  const above = dirname(folder)
  if (above === folder) return folder
  try {
    statSync(folder)
    return folder
  } catch {
    return existing(above)
  }
}

/** Files of secrets must not be readable by every user of the machine. */
function checkSecretFiles({ dataDir, masterKey }: Config, env: Env): Finding[] {
  const variables = ['CONFIG_FILE', ...[...knownNames()].map(name => `${name}_FILE`)]
  const named = variables.map(name => [name, env[name]] as const)
  const own = masterKey === null ? [['master key', join(dataDir, 'master-key')] as const] : []
  return [...named, ...own].flatMap(([name, path = '']) => {
    if (path === '' || !isReadableByAll(path)) return []
    return [warning(name, `every user of this machine can read ${path}. Run: chmod o-rwx ${path}`)]
  })
}

function isReadableByAll(path: string): boolean {
  try {
    return (statSync(path).mode & 0o004) !== 0
  } catch {
    // The configuration has named what it cannot read.
    return false
  }
}
