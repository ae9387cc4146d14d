import { parseArgs } from 'node:util'
import { type Config, readConfig } from '../config/config.ts'
import { ConfigError, type Env } from '../config/env-reader.ts'
import { createLogger } from '../kernel/logger.ts'
import { checkDatabase } from './check-database.ts'
import { checkHosts } from './check-hosts.ts'
import { checkMachine } from './check-machine.ts'
import { type Finding, type Level, ok, problem } from './finding.ts'

const USAGE = `Checks what the service needs, before a start or an upgrade. Nothing is started, migrated or written.

  npm run check [-- --json]

It reads the configuration as the service does, and checks the ports, the data folder, the disk, the
database (version, durability, clock, connections, rights, schema, master key), Redis, and whether the
gateway and the senders of messages can be reached. Values of secrets are never shown.

Exits with 0, with 1 if there is a problem, or with 2 if the check itself failed.
`

async function findingsOf(env: Env): Promise<Finding[]> {
  const config = configIn(env)
  if (Array.isArray(config)) return config
  // Findings say what is wrong; the log would say it a second time.
  const logger = createLogger('silent')
  const found = await Promise.all([
    checkMachine(config, env),
    checkDatabase(config),
    checkHosts(config, logger),
  ])
  return [ok('configuration', `${config.mode} mode, ${config.baseUrl}`), ...found.flat()]
}

function configIn(env: Env): Config | Finding[] {
  try {
    return readConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map(text => problem('configuration', text))
  }
}

function tableOf(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ subject }) => subject.length))
  const lines = findings.map(
    ({ level, subject, text }) => `${level.padEnd('problem'.length)}  ${subject.padEnd(width)}  ${text}\n`,
  )
  const count = (level: Level) => {
    const { length } = findings.filter(finding => finding.level === level)
    return `${length} ${level}${length === 1 ? '' : 's'}`
  }
  return `${lines.join('')}\n${count('problem')}, ${count('warning')}\n`
}

async function run(): Promise<number> {
  const options = { json: { type: 'boolean' }, help: { type: 'boolean' } } as const
  const { json = false, help = false } = parseArgs({ options }).values
  if (help) {
    process.stdout.write(USAGE)
    return 0
  }
  const findings = await findingsOf(process.env)
  process.stdout.write(json ? `${JSON.stringify({ findings })}\n` : tableOf(findings))
  return findings.some(({ level }) => level === 'problem') ? 1 : 0
}

try {
  process.exitCode = await run()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
}
