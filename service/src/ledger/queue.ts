import type { LockedRows } from '../db/locked-rows.ts'
import { currentOrigin } from '../db/work-origin.ts'
import type { Uuid } from '../kernel/ids.ts'
import type { Command, Entry, Party } from './command.ts'
import { openPassedOver } from './passed-over.ts'
import { type BatchSize, pick } from './pick.ts'
import { unavailable } from './unavailable.ts'

/** The commands that wait for a lane. */
export interface Queue {
  length(): number
  /** Resolves or rejects as the lane that takes the command says; rejects at once when there is no place for it. */
  add<Result extends object>(command: Command<Result>): Promise<Result>
  /** Takes the next batch out of the queue, without commands on accounts that other lanes or changes hold. */
  take(locked: ReadonlySet<Uuid>, size: BatchSize): Entry[]
  /** Nothing waits and nothing will. */
  close(): void
}

export interface QueueOptions {
  /** Commands that may wait; more are refused as service_unavailable. */
  readonly maxQueued?: number
  /** How many of them may be of one party (see db/work-origin.ts), so that none takes the places of all others. */
  readonly maxQueuedOfParty?: number
  /** How long commands on an account stay here because changes of this process hold it; then they are refused. */
  readonly maxPassedOverSeconds?: number
}

const DEFAULT_MAX_QUEUED = 20_000
/** Three parties that fill all they may have leave places for the next one. */
const PARTIES_THAT_FILL_THE_QUEUE = 4
const DEFAULT_MAX_PASSED_OVER_SECONDS = 5

/** `wake` is called when a command has come, and when what waited for a change may go. */
export function openQueue(options: QueueOptions, changing: LockedRows, wake: () => void): Queue {
  const maxQueued = options.maxQueued ?? DEFAULT_MAX_QUEUED
  const maxQueuedOfParty = options.maxQueuedOfParty ?? Math.ceil(maxQueued / PARTIES_THAT_FILL_THE_QUEUE)
  /** Those of which commands wait. */
  const parties = new Map<string, Party>()
  let queue: Entry[] = []
  const maxPassedOverSeconds = options.maxPassedOverSeconds ?? DEFAULT_MAX_PASSED_OVER_SECONDS
  const passedOver = openPassedOver(changing, maxPassedOverSeconds, wake)

  function partyNamed(name: string): Party {
    let party = parties.get(name)
    if (party === undefined) parties.set(name, (party = { name, waiting: 0, taken: 0 }))
    return party
  }

  function left(batch: readonly Entry[]): void {
    for (const { party, command } of batch) {
      passedOver.taken(command.accounts)
      party.waiting -= 1
      if (party.waiting === 0) parties.delete(party.name)
    }
  }

  /** What has waited too long for a change is refused, as whatever waits too long for a lock. */
  function refuseOverdue(isOverdue: (id: Uuid) => boolean): void {
    const overdue = queue.filter(({ command }) => command.accounts.some(isOverdue))
    if (overdue.length === 0) return
    const refused = new Set(overdue)
    queue = queue.filter(entry => !refused.has(entry))
    left(overdue)
    for (const entry of overdue) entry.reject(unavailable('An agent of this payment is being changed'))
  }

  return {
    length: () => queue.length,
    add<Result extends object>(command: Command<Result>): Promise<Result> {
      if (queue.length >= maxQueued) return Promise.reject(unavailable('Too many payments are waiting'))
      const party = partyNamed(currentOrigin().party)
      if (party.waiting >= maxQueuedOfParty) {
        return Promise.reject(unavailable('Too many payments of this caller are waiting'))
      }
      party.waiting += 1
      return new Promise<Result>((resolve, reject) => {
        queue.push({ command, party, resolve: result => resolve(result as Result), reject })
        wake()
      })
    },
    take(locked, size) {
      const isOverdue = passedOver.overdue()
      if (isOverdue !== null) refuseOverdue(isOverdue)
      const { batch, rest } = pick(queue, { locked, inChange: passedOver.inChange() }, size, parties)
      queue = rest
      left(batch)
      return batch
    },
    close: passedOver.close,
  }
}
