import type { TreeHead } from '@batua/verification/checkpoint'
import type { Queryable } from '../../db/database.ts'
import { FIRST_UUID, type Uuid } from '../../kernel/ids.ts'
import {
  dueEvery,
  type Finding,
  readScan,
  roundDue,
  type ScanStatus,
  type Slice,
  scanAtOnce,
  scanSlice,
} from '../../operations/scan.ts'
import { readScanRound, type ScanRound } from '../../operations/scan-round.ts'
import { type CheckedHead, checkHead, checkQueue } from './check-log-head.ts'
import { checkRows, checkTiles } from './check-log-leaves.ts'
import { selectBeginning } from './check-log-store.ts'
import { type AuditContext, acceptedKeys } from './context.ts'
import { TILE_WIDTH } from './merkle.ts'

const LOG_CHECK = 'audit log check'

/** Where a round of the check is: in the tiles, then in the entries, then in the payments. */
export type LogPosition =
  | {
      readonly phase: 'tiles'
      readonly nextTile: number
      /** How many tiles this round checks. */
      readonly tilesEnd: number
    }
  | {
      readonly phase: 'entries' | 'payments'
      /** The last entry or payment that was checked. */
      readonly doneThrough: Uuid
    }

const MINUTE_MS = 60_000
const LEASE_MS = MINUTE_MS
/** The interval between the beginnings of rounds, unless a round takes longer. */
const ROUND_MS = 15 * MINUTE_MS
/** The `due` of the job. */
export const LOG_ROUND_DUE = roundDue(LOG_CHECK, ROUND_MS)

/** The bounds of one slice: tiles with their entries, or ids of entries. */
export interface LogLimits {
  readonly tiles: number
  readonly rows: number
}

const LIMITS: LogLimits = { tiles: 4, rows: 5_000 }

/** Checks the log continuously, in slices, for one process; it remembers the head that it saw last. */
export interface LogChecker {
  /** Checks the next slice. Always returns 0, so that the job sleeps before the following slice. */
  check(): Promise<0>
}

export function openLogChecker(context: AuditContext, limits: LogLimits = LIMITS): LogChecker {
  let lastSeen: TreeHead | null = null
  return {
    async check() {
      await scanSlice(context, {
        name: LOG_CHECK,
        leaseMs: LEASE_MS,
        dueSince: dueEvery(ROUND_MS, context.clock.now()),
        async slice(position: LogPosition | null) {
          const slice = await checkSlice(context, position, limits, lastSeen)
          lastSeen = slice.head ?? lastSeen
          return slice
        },
      })
      return 0
    },
  }
}

/** Checks the whole log at once, on a database that no node uses. Nothing is saved. */
export async function checkLogAtOnce(context: AuditContext): Promise<readonly Finding[]> {
  const { findings } = await scanAtOnce((position: LogPosition | null) =>
    checkSlice(context, position, LIMITS, null),
  )
  return findings
}

interface CheckedSlice extends Slice<LogPosition> {
  /** The verified head of the tree; null if it failed verification. */
  readonly head: TreeHead | null
}

/** Checks one slice in one snapshot, so that entries, leaves and the queue are consistent. */
async function checkSlice(
  { database, signingKeys, vault }: AuditContext,
  position: LogPosition | null,
  limits: LogLimits,
  lastSeen: TreeHead | null,
): Promise<CheckedSlice> {
  const publicKeys = await acceptedKeys(signingKeys)
  return database.inTransaction(async tx => {
    await tx.query('set transaction isolation level repeatable read, read only')
    const head = await checkHead(tx, publicKeys, lastSeen)
    const queue = position === null ? await checkQueue(tx, vault) : []
    const { next, faults } = await checkFrom(tx, position ?? beginning(head), limits, { head, vault })
    return { next, findings: [...head.faults, ...queue, ...faults], head: head.head }
  })
}

function beginning({ size }: CheckedHead): LogPosition {
  return { phase: 'tiles', nextTile: 0, tilesEnd: Math.ceil(size / TILE_WIDTH) }
}

async function checkFrom(
  tx: Queryable,
  position: LogPosition,
  limits: LogLimits,
  { head, vault }: { readonly head: CheckedHead; readonly vault: AuditContext['vault'] },
): Promise<{ readonly next: LogPosition | null; readonly faults: readonly Finding[] }> {
  if (position.phase === 'tiles') {
    const { nextTile, tilesEnd } = position
    const count = Math.min(limits.tiles, tilesEnd - nextTile)
    const faults = count > 0 ? await checkTiles(tx, vault, head.size, nextTile, count) : []
    const reached = nextTile + count
    if (reached < tilesEnd) return { next: { ...position, nextTile: reached }, faults }
    return { next: { phase: 'entries', doneThrough: FIRST_UUID }, faults }
  }
  const { phase, doneThrough } = position
  const { faults, last } = await checkRows(tx, phase, doneThrough, limits.rows)
  if (last !== null) return { next: { phase, doneThrough: last }, faults }
  if (phase === 'payments') return { next: null, faults }
  return { next: { phase: 'payments', doneThrough: await selectBeginning(tx) }, faults }
}

export function readLogCheck(db: Queryable): Promise<ScanStatus<LogPosition, never>> {
  return readScan(db, LOG_CHECK)
}

export function readLogCheckRound(db: Queryable, findings: number): Promise<ScanRound> {
  return readScanRound(db, LOG_CHECK, findings)
}
