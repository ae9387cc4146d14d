import type { LockedRows } from '../db/locked-rows.ts'
import { currentOrigin } from '../db/work-origin.ts'
import { monotonicSeconds } from '../kernel/clock.ts'
import type { Uuid } from '../kernel/ids.ts'
import type { Span } from '../kernel/tracing.ts'
import type { Command, Entry, EntryTrace, Party } from './command.ts'
import { openPassedOver } from './passed-over.ts'
import { type BatchSize, pick } from './pick.ts'
import { unavailable } from './unavailable.ts'

/** The commands that wait for a committer. */
export interface Queue {
  length(): number
  /** Resolves or rejects with the result of the command; rejects at once when the queue is full. */
  add<Result extends object>(command: Command<Result>): Promise<Result>
  /** Takes the next batch out of the queue, without commands on accounts that other committers or changes have locked. */
  take(locked: ReadonlySet<Uuid>, size: BatchSize): Entry[]
  /** Call it when the queue is empty and gets no more commands. */
  close(): void
}

export interface QueueOptions {
  /** The maximum number of waiting commands; more are refused with `service_unavailable`. */
  readonly maxQueued?: number
  /** The maximum of one party (see db/work-origin.ts), so that no party fills the queue alone. */
  readonly maxQueuedOfParty?: number
  /** How long a caller waits for a result, in the queue and for the commit. */
  readonly maxWaitSeconds?: number
  /** How long commands wait for an account that changes in this process have locked; then they are refused. */
  readonly maxPassedOverSeconds?: number
}

const DEFAULT_MAX_QUEUED = 20_000
/** Three parties at their maximum leave room for a fourth. */
const PARTIES_THAT_FILL_THE_QUEUE = 4
const DEFAULT_MAX_PASSED_OVER_SECONDS = 5
/** A database that hangs has a caller wait for less than ten seconds. */
export const DEFAULT_MAX_WAIT_SECONDS = 9
const CHECK_EVERY_MS = 500

/** Calls `wake` when a command is added, and when commands that waited for a change may run. */
export function openQueue(options: QueueOptions, changing: LockedRows, wake: () => void): Queue {
  const maxQueued = options.maxQueued ?? DEFAULT_MAX_QUEUED
  const maxQueuedOfParty = options.maxQueuedOfParty ?? Math.ceil(maxQueued / PARTIES_THAT_FILL_THE_QUEUE)
  /** The parties with waiting commands. */
  const parties = new Map<string, Party>()
  let queue: Entry[] = []
  let check: NodeJS.Timeout | null = null
  const maxWaitSeconds = options.maxWaitSeconds ?? DEFAULT_MAX_WAIT_SECONDS
  const maxPassedOverSeconds = options.maxPassedOverSeconds ?? DEFAULT_MAX_PASSED_OVER_SECONDS
  const passedOver = openPassedOver(changing, maxPassedOverSeconds, wake)

  function partyNamed(name: string): Party {
    let party = parties.get(name)
    if (party === undefined) parties.set(name, (party = { name, waiting: 0, taken: 0 }))
    return party
  }

  function left(batch: readonly Entry[]): void {
    for (const { party, command, trace } of batch) {
      trace?.wait.end()
      passedOver.taken(command.accounts)
      party.waiting -= 1
      if (party.waiting === 0) parties.delete(party.name)
    }
  }

  function refuse(isOverdue: (entry: Entry) => boolean, reason: string): void {
    const overdue = queue.filter(isOverdue)
    if (overdue.length === 0) return
    const refused = new Set(overdue)
    queue = queue.filter(entry => !refused.has(entry))
    left(overdue)
    for (const entry of overdue) entry.reject(unavailable(reason))
  }

  /** While commands wait, refuses those whose callers have waited too long: no committer is free, or none commits. */
  function refuseOverdueLater(): void {
    check ??= setTimeout(() => {
      check = null
      const before = monotonicSeconds() - maxWaitSeconds
      refuse(({ addedAt }) => addedAt < before, 'The database does not respond')
      if (queue.length > 0) refuseOverdueLater()
    }, CHECK_EVERY_MS).unref()
  }

  return {
    length: () => queue.length,
    add<Result extends object>(command: Command<Result>): Promise<Result> {
      if (queue.length >= maxQueued) return Promise.reject(unavailable('Too many payments are waiting'))
      const { party: name, span = null } = currentOrigin()
      const party = partyNamed(name)
      if (party.waiting >= maxQueuedOfParty) {
        return Promise.reject(unavailable('Too many payments of this caller are waiting'))
      }
      party.waiting += 1
      return new Promise<Result>((resolve, reject) => {
        const entry = { command, party, trace: traceOf(span), addedAt: monotonicSeconds() }
        queue.push({ ...entry, resolve: result => resolve(result as Result), reject })
        refuseOverdueLater()
        wake()
      })
    },
    take(locked, size) {
      const isOverdue = passedOver.overdue()
      // Refuses commands that have waited too long for a change, as a lock timeout would.
      if (isOverdue !== null)
        refuse(({ command }) => command.accounts.some(isOverdue), 'An agent of this payment is being changed')
      const { batch, rest } = pick(queue, { locked, inChange: passedOver.inChange() }, size, parties)
      queue = rest
      left(batch)
      return batch
    },
    close() {
      clearTimeout(check ?? undefined)
      passedOver.close()
    },
  }
}

function traceOf(request: Span | null): EntryTrace | null {
  return request?.isSampled === true ? { request, wait: request.child('ledger queue') } : null
}
