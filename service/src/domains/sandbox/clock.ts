import type { Database } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import { pauseFolding } from '../../ledger/index.ts'
import { type Actor, recordFacts } from '../../operations/facts.ts'
import type { SandboxMode } from './context.ts'

/** Later years have more than four digits, which most programs cannot parse. */
const END_OF_TIME = Date.UTC(9999, 0, 1)

/** Moves the service's time forward for all nodes and runs the due jobs. Resolves when they are done. */
export async function advanceClock(context: SandboxMode, actor: Actor, seconds: number): Promise<Date> {
  const { clock, jobs } = context
  const milliseconds = seconds * 1_000
  if (clock.now().getTime() + milliseconds > END_OF_TIME) {
    throw new AppError('validation_error', 'The clock cannot be moved beyond the year 9998', {
      field: 'advance_seconds',
    })
  }
  if (milliseconds > 0) await moveClock(context, actor, milliseconds)
  else await followSandboxClock(context.database, clock)
  await jobs().runDue()
  return clock.now()
}

/** Recorded with the time before the move, which is the one that the caller knows. */
async function moveClock(
  { database, clock, vault }: SandboxMode,
  actor: Actor,
  milliseconds: number,
): Promise<void> {
  await pauseFolding(database)
  const offsetMs = await database.inTransaction(async tx => {
    const [row] = await tx.query<{ offset_ms: bigint }>(
      `insert into sandbox_clock (only_row, offset_ms) values (true, $1)
       on conflict (only_row) do update set offset_ms = sandbox_clock.offset_ms + $1 returning offset_ms`,
      [milliseconds],
    )
    const data = { advance_seconds: milliseconds / 1_000 }
    const fact = {
      agentId: null,
      actor,
      action: 'sandbox.clock_moved',
      target: 'sandbox_clock',
      data,
    } as const
    await recordFacts(tx, vault, clock.now(), [fact])
    return row?.offset_ms ?? 0n
  })
  moveForward(clock, offsetMs)
}

/** Applies the clock offset that was set before a restart, or by another node. */
export async function followSandboxClock(database: Database, clock: Clock): Promise<void> {
  const [row] = await database.query<{ offset_ms: bigint }>(`select offset_ms from sandbox_clock`, [])
  moveForward(clock, row?.offset_ms ?? 0n)
}

function moveForward(clock: Clock, offsetMs: bigint): void {
  if (Number(offsetMs) > clock.offsetMs()) clock.setOffsetMs(Number(offsetMs))
}
