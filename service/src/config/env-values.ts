import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { addressesOf } from '../db/hosts.ts'

/** Reads the text of a variable; undefined when it is invalid. */
export interface ValueKind<T> {
  /** Ends the sentence "it must be …". */
  readonly expected: string
  parse(text: string): T | undefined
}

export const anyText: ValueKind<string> = { expected: 'set', parse: text => text }

export function oneOf<const Value extends string>(values: readonly Value[]): ValueKind<Value> {
  return {
    expected: values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`,
    parse: text => values.find(value => value === text),
  }
}

export function integer(minimum: number, maximum: number): ValueKind<number> {
  return {
    expected: `a whole number from ${minimum} to ${maximum}`,
    parse: text => integerIn(text, minimum, maximum),
  }
}

/** A number of processes; `auto` is one for each processor that this process may use. */
export function processes(maximum: number): ValueKind<number> {
  return {
    expected: `auto, or ${integer(1, maximum).expected}`,
    parse: text =>
      text === 'auto' ? Math.min(availableParallelism(), maximum) : integerIn(text, 1, maximum),
  }
}

function integerIn(text: string, minimum: number, maximum: number): number | undefined {
  const value = Number(text)
  return /^\d{1,15}$/.test(text) && value >= minimum && value <= maximum ? value : undefined
}

export function matching(pattern: RegExp, expected: string): ValueKind<string> {
  return { expected, parse: text => (pattern.test(text) ? text : undefined) }
}

export function listOf(isEntry: (entry: string) => boolean, expected: string): ValueKind<readonly string[]> {
  return {
    expected: `${expected}, separated by commas`,
    parse: text => {
      const entries = text.split(',').map(entry => entry.trim())
      return entries.every(isEntry) ? entries : undefined
    },
  }
}

/** Numbers as the service stores them. */
export const phones: ValueKind<readonly string[]> = listOf(
  phone => /^[6-9]\d{9}$/.test(phone),
  'mobile numbers of 10 digits',
)

const LOCAL_NETWORKS = ['loopback', 'linklocal', 'uniquelocal']

/** An address, a network in CIDR form, or the name of a group of local networks. */
export function isNetwork(text: string): boolean {
  if (LOCAL_NETWORKS.includes(text)) return true
  const [address = '', prefix, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return prefix === undefined || integerIn(prefix, 0, family === 6 ? 128 : 32) !== undefined
}

/** Whether an address leads to this machine itself. */
export function isOfThisMachine({ hostname }: URL): boolean {
  const name = hostname.replace(/\.$/, '')
  return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^(127|0)\./.test(name)
}

/** An https address at which others reach the service. */
export const publicUrl: ValueKind<string | null> = {
  expected: 'an address beginning with https:// that others reach, not one of this machine',
  parse: text => {
    const address = url('https:').parse(text)
    return address === undefined || address === null || isOfThisMachine(new URL(address))
      ? undefined
      : address
  },
}

/** An address as written, without slashes at its end, because paths are appended to it. */
export function url(...protocols: readonly string[]): ValueKind<string | null> {
  return {
    expected: `an address beginning with ${protocols.map(protocol => `${protocol}//`).join(' or ')}`,
    parse: text => {
      const parsed = URL.parse(text)
      if (parsed === null || !protocols.includes(parsed.protocol)) return undefined
      const hasExtras = `${parsed.search}${parsed.hash}${parsed.username}` !== ''
      return parsed.protocol.startsWith('http') && hasExtras ? undefined : text.replace(/\/+$/, '')
    },
  }
}

/** The address of a database on one host or several, as written. */
export const databaseUrl: ValueKind<string | null> = {
  expected:
    'an address beginning with postgres:// or postgresql://, of one host or several with commas between them, and with target_session_attrs=read-write if with any',
  parse: text => (addressesOf(text) === null ? undefined : text.replace(/\/+$/, '')),
}

export function base64(length: number): ValueKind<Buffer | null> {
  return {
    expected: `${length} bytes in base64 (openssl rand -base64 ${length})`,
    parse: text => {
      const bytes = Buffer.from(text, 'base64')
      const written = bytes.toString('base64')
      const fits = bytes.length === length && (written === text || written.replace(/=+$/, '') === text)
      return fits ? bytes : undefined
    },
  }
}
