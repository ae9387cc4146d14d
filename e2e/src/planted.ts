import { createHash } from 'node:crypto'
import type { ServiceDatabase } from './database.ts'
import type { Stage } from './stage.ts'

/** A value that may appear only in responses to callers with access. */
export interface Planted {
  /** Its kind, for the message of a failed test. */
  readonly what: string
  readonly value: string
  /** Whether it has so few possible values that its plain digest reveals it. */
  readonly canBeGuessed: boolean
}

/** A place that was searched: a table, the log, the metrics. */
export interface Searched {
  readonly place: string
  readonly text: string
}

const DIGESTS = ['md5', 'sha1', 'sha256', 'sha512'] as const

/** Every unencrypted form of a value in a dump, in lower case. */
function formsOf({ value, canBeGuessed }: Planted): string[] {
  const bytes = Buffer.from(value)
  const json = JSON.stringify(value).slice(1, -1)
  const plain = [
    value,
    json,
    value.split('').toReversed().join(''),
    encodeURIComponent(value),
    value
      .split('')
      .map(letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
    ...base64FormsOf(bytes),
    ...(canBeGuessed ? DIGESTS : []).flatMap(name => {
      const digest = createHash(name).update(bytes).digest()
      return [
        digest.toString('hex'),
        digest.toString('base64').replace(/=+$/, ''),
        digest.toString('base64url'),
      ]
    }),
  ]
  // A bytea is dumped as hex; as UTF-16 and as UTF-8.
  const hex = [
    ...plain.map(form => Buffer.from(form).toString('hex')),
    Buffer.from(value, 'utf16le').toString('hex'),
  ]
  return [...new Set([...plain, ...hex].map(form => form.toLowerCase()))]
}

/** The base64 of a value inside longer data: at each of the three offsets, without its edges. */
function base64FormsOf(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap(offset => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes])
    const from = Math.ceil((offset * 8) / 6)
    const until = Math.floor((padded.length * 8) / 6)
    return [padded.toString('base64'), padded.toString('base64url')].map(text => text.slice(from, until))
  })
}

/** The number of characters of each form that are looked up at every position of a text. */
const START = 8

/** The places of planted values, each place and value once. */
export function leaksIn(searched: readonly Searched[], planted: readonly Planted[]): string[] {
  const byStart = startsOf(planted.filter(({ value }) => !isShort(value)))
  const short = shortPattern(planted.filter(({ value }) => isShort(value)))
  const found = new Set<string>()
  for (const { place, text } of searched) {
    const haystack = text.toLowerCase()
    for (let at = 0; at + START <= haystack.length; at++) {
      for (const { form, what } of byStart.get(haystack.slice(at, at + START)) ?? [])
        if (haystack.startsWith(form, at)) found.add(`${what} in ${place}`)
    }
    for (const [code] of short === null ? [] : haystack.matchAll(short))
      found.add(`the code ${code} in ${place}`)
  }
  return [...found].toSorted()
}

function startsOf(planted: readonly Planted[]): Map<string, { form: string; what: string }[]> {
  const byStart = new Map<string, { form: string; what: string }[]>()
  for (const each of planted) {
    const { what } = each
    for (const form of formsOf(each).filter(({ length }) => length >= START)) {
      const start = form.slice(0, START)
      byStart.set(start, [...(byStart.get(start) ?? []), { form, what }])
    }
  }
  return byStart
}

/** A code of six digits appears by chance in long numbers, so it counts only alone. */
function isShort(value: string): boolean {
  return value.length < START
}

function shortPattern(planted: readonly Planted[]): RegExp | null {
  if (planted.length === 0) return null
  const codes = planted.map(({ value }) => value.toLowerCase()).join('|')
  return new RegExp(`(?<![0-9a-f.])(?:${codes})(?![0-9a-f])`, 'g')
}

/** Every row of every table as text, bytea as hex. */
async function tablesOf({ query }: ServiceDatabase): Promise<Searched[]> {
  const tables = await query<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'schema_version'`,
  )
  const dumps: Searched[] = []
  for (const { name } of tables) {
    const rows = await query<{ row: string }>(`select t::text as row from "${name}" t`)
    dumps.push({ place: `table ${name}`, text: rows.map(({ row }) => row).join('\n') })
  }
  return dumps
}

/** Everything that a stage's service has written; stops it, because a stopped service has written its whole log. */
export async function writtenBy({ database, service }: Stage): Promise<Searched[]> {
  const metrics = await (await fetch(`${service.address}/metrics`)).text()
  await service.stop()
  return [
    ...(await tablesOf(database)),
    { place: 'the log', text: service.output() },
    { place: 'the metrics', text: metrics },
  ]
}
