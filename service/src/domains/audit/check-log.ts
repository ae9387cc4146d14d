import type { Queryable } from '../../db/database.ts'
import { FIRST_UUID, newUuid, type Uuid } from '../../kernel/ids.ts'
import type { LogFault } from './check-log-faults.ts'
import { type CheckedHead, checkHead, checkQueue } from './check-log-head.ts'
import { checkRows } from './check-log-rows.ts'
import { claimSlice, endRound, keepFaults, keepPosition, type LogPosition } from './check-log-store.ts'
import { checkTiles } from './check-log-tiles.ts'
import type { TreeHead } from './checkpoint.ts'
import { type AuditContext, acceptedKeys } from './context.ts'
import { TILE_WIDTH } from './merkle.ts'

const MINUTE_MS = 60_000
const LEASE_MS = MINUTE_MS
/** The interval between the beginnings of rounds, unless a round takes longer. */
const ROUND_MS = 15 * MINUTE_MS

/** The bounds of one slice: tiles with their entries, or ids of entries. */
export interface LogLimits {
  readonly tiles: number
  readonly rows: number
}

const LIMITS: LogLimits = { tiles: 4, rows: 5_000 }

/** Checks the log continuously, in slices, for one process; it remembers the head that it saw last. */
export interface LogChecker {
  /** Checks the next slice. Always returns 0, so that the job sleeps before the following slice. */
  check(now: Date): Promise<0>
}

export function openLogChecker(context: AuditContext, limits: LogLimits = LIMITS): LogChecker {
  let lastSeen: TreeHead | null = null
  return {
    async check(now) {
      const token = newUuid(now)
      const until = new Date(now.getTime() + LEASE_MS)
      const dueBefore = new Date(now.getTime() - ROUND_MS)
      const position = await claimSlice(context.database, { token, now, until, dueBefore })
      if (position === null) return 0
      const slice = await checkSlice(context, position, { limits, lastSeen })
      lastSeen = slice.head ?? lastSeen
      const fresh = await context.database.inTransaction(tx => keep(tx, slice, token, now))
      for (const fault of fresh) context.logger.error({ fault }, 'audit log check found a fault')
      return 0
    },
  }
}

interface Slice {
  readonly position: LogPosition
  readonly faults: readonly LogFault[]
  readonly isAtEnd: boolean
  /** The verified head of the tree; null if it failed verification. */
  readonly head: TreeHead | null
}

interface SliceOptions {
  readonly limits: LogLimits
  readonly lastSeen: TreeHead | null
}

/** Checks one slice in one snapshot, so that entries, leaves and the queue are consistent. */
async function checkSlice(
  { database, signingKeys, vault }: AuditContext,
  position: LogPosition,
  { limits, lastSeen }: SliceOptions,
): Promise<Slice> {
  const publicKeys = await acceptedKeys(signingKeys)
  return database.inTransaction(async tx => {
    await tx.query('set transaction isolation level repeatable read, read only')
    const checked = await checkHead(tx, publicKeys, lastSeen)
    const isFirst = position.tilesEnd === null
    const queue = isFirst ? await checkQueue(tx, vault) : []
    const start = { ...position, tilesEnd: position.tilesEnd ?? Math.ceil(checked.size / TILE_WIDTH) }
    const walked = await walk(tx, start, { limits, checked, vault })
    return { ...walked, faults: [...checked.faults, ...queue, ...walked.faults], head: checked.head }
  })
}

type Walked = Omit<Slice, 'head'>
type StartedPosition = LogPosition & { readonly tilesEnd: number }

/** Checks the tiles, then the entries, then the payments. */
async function walk(
  tx: Queryable,
  position: StartedPosition,
  { limits, checked, vault }: { limits: LogLimits; checked: CheckedHead; vault: AuditContext['vault'] },
): Promise<Walked> {
  const { phase, nextTile, tilesEnd, doneThrough, beginsAfter } = position
  if (phase === 'tiles') {
    const count = Math.min(limits.tiles, tilesEnd - nextTile)
    const faults = count > 0 ? await checkTiles(tx, vault, checked.size, nextTile, count) : []
    const reached = nextTile + count
    const next = reached < tilesEnd ? { nextTile: reached } : nextPhase('entries', FIRST_UUID)
    return { position: { ...position, ...next }, faults, isAtEnd: false }
  }
  const { faults, last } = await checkRows(tx, phase, doneThrough, limits.rows)
  if (last !== null) return { position: { ...position, doneThrough: last }, faults, isAtEnd: false }
  if (phase === 'payments') return { position, faults, isAtEnd: true }
  return { position: { ...position, ...nextPhase('payments', beginsAfter) }, faults, isAtEnd: false }
}

function nextPhase(phase: LogPosition['phase'], doneThrough: Uuid) {
  return { phase, doneThrough }
}

/** Stores the position and the faults in one commit; returns the new faults. */
async function keep(
  tx: Queryable,
  { position, faults, isAtEnd }: Slice,
  token: Uuid,
  now: Date,
): Promise<LogFault[]> {
  // The lease was lost: the node that has it now finds the same faults.
  if (!(await keepPosition(tx, token, position))) return []
  const fresh = await keepFaults(tx, faults, { round: position.round, now })
  if (isAtEnd) await endRound(tx, position.round, now)
  return fresh
}
