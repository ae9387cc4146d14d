import { open } from 'node:fs/promises'
import { TYPEID_SUFFIX } from '@batua/contract'
import type { Queryable } from '../db/database.ts'
import { type Named, selectUnrecorded } from '../domains/audit/index.ts'
import { movementOf, parseId } from '../kernel/ids.ts'

/** What a client received, and the database does not have. */
export interface Lost {
  readonly missing: readonly string[]
  /** What is known of it, as it was received. */
  readonly at: string | null
  readonly from: string | null
  readonly to: string | null
  readonly amount: number | null
  readonly reference: string | null
}

export interface ReceivedFile {
  readonly lines: number
  readonly lost: readonly Lost[]
}

/** Ids of what the ledger or the log records when it is made. */
const RECORDED_ID = new RegExp(`^(pay|txn|esc|ath|apr|fund|agt|own|plt|org|cert)_${TYPEID_SUFFIX}$`)
const LINES_AT_ONCE = 2_000

/** Looks up everything that the lines of a file name. The file may be larger than memory. */
export async function readReceived(db: Queryable, path: string): Promise<ReceivedFile> {
  const lost: Lost[] = []
  let count = 0
  for await (const lines of linesOf(path)) {
    count += lines.length
    const unrecorded = await selectUnrecorded(db, lines.flatMap(namedIn))
    for (const line of lines) {
      const ids = new Set(namedIn(line).map(({ id }) => id))
      const missing = [...ids].filter(id => unrecorded.has(id))
      if (missing.length > 0) lost.push({ missing, ...detailsOf(line) })
    }
  }
  return { lines: count, lost }
}

type Line = Readonly<Record<string, unknown>>

/** The lines of a file, some thousand at a time. */
async function* linesOf(path: string): AsyncGenerator<readonly Line[]> {
  const file = await open(path)
  let lines: Line[] = []
  let at = 0
  for await (const text of file.readLines()) {
    at += 1
    if (text.trim() === '') continue
    const line = parsed(text)
    if (line === null) throw new Error(`${path}: line ${at} is not a JSON object`)
    lines.push(line)
    if (lines.length < LINES_AT_ONCE) continue
    yield lines
    lines = []
  }
  yield lines
}

function parsed(text: string): Line | null {
  try {
    const value: unknown = JSON.parse(text)
    return isLine(value) ? value : null
  } catch {
    return null
  }
}

function isLine(value: unknown): value is Line {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function namedIn(value: unknown): Named[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(namedIn)
  if (typeof value !== 'string') return []
  const prefix = RECORDED_ID.exec(value)?.[1]
  const uuid = prefix === undefined ? null : parseId(prefix, value)
  return uuid === null ? [] : [{ id: value, uuid: prefix === 'txn' ? movementOf(uuid).movement : uuid }]
}

/** An event has them in its data. */
function detailsOf(line: Line): Omit<Lost, 'missing'> {
  const all: Line = isLine(line['data']) ? { ...line, ...line['data'] } : line
  const text = (...names: readonly string[]) =>
    names.map(name => all[name]).find(value => typeof value === 'string') ?? null
  const { amount } = all
  return {
    at: text('created_at', 'completed_at', 'timestamp'),
    from: text('from', 'agent_id'),
    to: text('to'),
    amount: typeof amount === 'number' ? amount : null,
    reference: text('reference', 'idempotency_key'),
  }
}
