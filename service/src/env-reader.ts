import { isIP } from 'node:net'

export type Env = Readonly<Record<string, string | undefined>>

/** Everything wrong with the configuration, one line for each variable. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`The configuration has ${problems.length} problem(s):\n${problems.map(line => `  ${line}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/**
 * Reads variables and remembers what is wrong, so that all of it is told at once; a wrong one reads as its default
 * until `finish` throws. Values are never shown, since they may be secrets. An empty variable counts as absent.
 */
export interface EnvReader {
  text(name: string): string | undefined
  required(name: string): string
  choice<const Value extends string>(name: string, values: readonly Value[], fallback: Value): Value
  requiredChoice<const Value extends string>(name: string, values: readonly [Value, ...Value[]]): Value
  integer(name: string, minimum: number, maximum: number, fallback: number): number
  matching(name: string, pattern: RegExp, expected: string, fallback: string): string
  list(name: string, pattern: RegExp, expected: string, required: boolean): readonly string[]
  /** Addresses, networks in CIDR form, or the names that stand for local ones. */
  addresses(name: string): readonly string[]
  url(name: string, protocols: readonly string[], required: boolean): string | null
  base64(name: string, bytes: number, required: boolean): Buffer | null
  problem(name: string, expected: string): void
  finish(): void
}

export function readEnv(env: Env): EnvReader {
  const problems: string[] = []
  const problem = (name: string, expected: string): void => {
    problems.push(`${name}: ${expected}`)
  }
  const text = (name: string): string | undefined => env[name]?.trim() || undefined
  const required = (name: string, expected = 'is missing'): string => {
    const value = text(name)
    if (value === undefined) problem(name, expected)
    return value ?? ''
  }
  const checked = <T>(name: string, parse: (value: string) => T | undefined, expected: string, fallback: T): T => {
    const value = text(name)
    if (value === undefined) return fallback
    const parsed = parse(value)
    if (parsed === undefined) problem(name, `must be ${expected}`)
    return parsed ?? fallback
  }
  const needed = (name: string, isNeeded: boolean, expected: string): void => {
    if (isNeeded && text(name) === undefined) problem(name, `is missing; it must be ${expected}`)
  }
  return {
    text,
    required,
    problem,
    choice: (name, values, fallback) => checked(name, value => values.find(one => one === value), oneOf(values), fallback),
    requiredChoice: (name, values) => {
      needed(name, true, oneOf(values))
      return checked(name, value => values.find(one => one === value), oneOf(values), values[0])
    },
    integer: (name, minimum, maximum, fallback) =>
      checked(name, value => integerIn(value, minimum, maximum), `a whole number from ${minimum} to ${maximum}`, fallback),
    matching: (name, pattern, expected, fallback) =>
      checked(name, value => (pattern.test(value) ? value : undefined), expected, fallback),
    list: (name, pattern, expected, isNeeded) => {
      needed(name, isNeeded, expected)
      return checked(name, value => listOf(value, entry => pattern.test(entry)), expected, [])
    },
    addresses: name =>
      checked(name, value => (value === 'off' ? [] : listOf(value, isNetwork)), 'off, or addresses of proxies', []),
    url: (name, protocols, isNeeded) => {
      const expected = `an address beginning with ${protocols.map(protocol => `${protocol}//`).join(' or ')}`
      needed(name, isNeeded, expected)
      return checked<string | null>(name, value => urlOf(value, protocols), expected, null)
    },
    base64: (name, bytes, isNeeded) => {
      const expected = `${bytes} bytes in base64 (openssl rand -base64 ${bytes})`
      needed(name, isNeeded, expected)
      return checked<Buffer | null>(name, value => bytesOf(value, bytes), expected, null)
    },
    finish: () => {
      if (problems.length > 0) throw new ConfigError(problems)
    },
  }
}

function oneOf(values: readonly string[]): string {
  return values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`
}

function integerIn(text: string, minimum: number, maximum: number): number | undefined {
  const value = Number(text)
  return /^\d{1,15}$/.test(text) && value >= minimum && value <= maximum ? value : undefined
}

function listOf(text: string, isEntry: (entry: string) => boolean): readonly string[] | undefined {
  const entries = text.split(',').map(entry => entry.trim())
  return entries.every(isEntry) ? entries : undefined
}

const LOCAL_NETWORKS = ['loopback', 'linklocal', 'uniquelocal']

function isNetwork(text: string): boolean {
  if (LOCAL_NETWORKS.includes(text)) return true
  const [address = '', prefix, ...rest] = text.split('/')
  const bits = isIP(address) === 6 ? 128 : 32
  return isIP(address) !== 0 && rest.length === 0 && (prefix === undefined || integerIn(prefix, 0, bits) !== undefined)
}

/** The address as it was written, without slashes at its end: other addresses are made by adding to it. */
function urlOf(text: string, protocols: readonly string[]): string | undefined {
  const url = URL.parse(text)
  if (url === null || !protocols.includes(url.protocol)) return undefined
  if (/^https?:$/.test(url.protocol) && (url.search !== '' || url.hash !== '' || url.username !== '')) return undefined
  return text.replace(/\/+$/, '')
}

function bytesOf(text: string, length: number): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  const padded = bytes.toString('base64')
  return bytes.length === length && (padded === text || padded.replace(/=+$/, '') === text) ? bytes : undefined
}
