import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type CallOptions, type Client, isBatuaError } from '@batua/sdk'
import { EXIT, type ExitCode } from '../failure.ts'
import { printable } from '../printable.ts'
import { clientFor, kindsOf, openIfPossible, type Session, serviceUrl } from '../session.ts'
import { describe, type Run } from './command.ts'

interface Check {
  readonly name: string
  readonly ok: boolean
  readonly message: string
}

export function doctorCommand(run: Run) {
  return describe({
    name: 'doctor',
    summary: 'Check the installation, the profile and the service',
    description:
      'Exits with 0 if everything is in order, with 9 if the service cannot be reached, else with 1.',
    examples: ['batua doctor', 'batua doctor --json'],
  }).action(run(doctor))
}

async function doctor(session: Session): Promise<ExitCode> {
  const { out } = session
  const checks = [checkNode(), await checkProfile(session)]
  const url = await serviceUrl(session).catch(() => null)
  const service = url === null ? [] : await checkService(session, url)
  const isAway = service.some(({ name, ok }) => name === 'service' && !ok)
  checks.push(...service)
  if (url !== null && !isAway) checks.push(...(await checkCredentials(session)))
  out.body({ ok: checks.every(({ ok }) => ok), checks })
  for (const { name, ok, message } of checks)
    out.lines(
      `${ok ? out.colour('green', 'ok     ') : out.colour('red', 'problem')}  ${name.padEnd(8)}  ${printable(message)}`,
    )
  if (isAway) return EXIT.away
  return checks.every(({ ok }) => ok) ? EXIT.done : EXIT.failed
}

const OLDEST_NODE = [20, 18, 1] as const

function checkNode(): Check {
  const own = process.versions.node.split('.').map(Number)
  const differing = OLDEST_NODE.findIndex((part, index) => part !== own[index])
  return {
    name: 'node',
    ok: (own[differing] ?? 0) >= (OLDEST_NODE[differing] ?? 0),
    message: `Node ${process.versions.node}, needs ${OLDEST_NODE.join('.')} or newer`,
  }
}

async function checkProfile({ profiles }: Session): Promise<Check> {
  const name = 'profile'
  try {
    const profile = await profiles.read()
    if (profile === null)
      return { name, ok: false, message: `Profile ${profiles.name} does not exist; batua login` }
    const { mode } = await stat(join(profiles.folder, `${profiles.name}.json`))
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      return { name, ok: false, message: `Others may read the file of profile ${profiles.name}: chmod 600` }
    const kinds = kindsOf(profile).map(kind => `${kind} (${profile[kind]?.keptIn})`)
    return { name, ok: true, message: `${profiles.name}: ${kinds.join(', ') || 'not logged in'}` }
  } catch (error) {
    return { name, ok: false, message: error instanceof Error ? error.message : String(error) }
  }
}

const MAX_SKEW_MS = 60_000

async function checkService(session: Session, url: string): Promise<Check[]> {
  let date: string | null = null
  const client = clientFor(session, url, {
    async fetch(input, init) {
      const response = await fetch(input, init)
      date = response.headers.get('date')
      return response
    },
  })
  const failure = await failureOfCall(() => client.getReadiness({}, { signal: session.signal }))
  if (failure !== null) return [{ name: 'service', ok: false, message: `${url}: ${failure}` }]
  const checks = [{ name: 'service', ok: true, message: `${url} is ready` }]
  if (date === null) return checks
  const skewMs = Math.abs(Date.now() - Date.parse(date))
  const message = `This machine and the service differ by ${Math.round(skewMs / 1_000)} s`
  return [...checks, { name: 'clock', ok: skewMs <= MAX_SKEW_MS, message }]
}

const ASKS = {
  agent: (client: Client, options: CallOptions) => client.getCurrentAgent({}, options),
  platform: (client: Client, options: CallOptions) => client.getCurrentPlatform({}, options),
  owner: (client: Client, options: CallOptions) => client.getSession({}, options),
} as const

async function checkCredentials(session: Session): Promise<Check[]> {
  const checks: Check[] = []
  for (const kind of ['agent', 'platform', 'owner'] as const) {
    try {
      const access = await openIfPossible(session, kind)
      if (access === null) continue
      const failure = await failureOfCall(() => ASKS[kind](access.client, { signal: session.signal }))
      checks.push({ name: kind, ok: failure === null, message: failure ?? 'The credential is valid' })
    } catch (error) {
      checks.push({ name: kind, ok: false, message: error instanceof Error ? error.message : String(error) })
    }
  }
  return checks
}

async function failureOfCall(call: () => Promise<unknown>): Promise<string | null> {
  try {
    await call()
    return null
  } catch (error) {
    if (isBatuaError(error)) return error.message
    throw error
  }
}
