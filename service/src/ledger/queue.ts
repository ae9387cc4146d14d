import { currentOrigin } from '../db/work-origin.ts'
import type { Uuid } from '../kernel/ids.ts'
import type { Command, Entry, Party } from './command.ts'
import { type BatchSize, pick } from './pick.ts'
import { unavailable } from './unavailable.ts'

/** The commands that wait for a lane. */
export interface Queue {
  length(): number
  /** Resolves or rejects as the lane that takes the command says; rejects at once when there is no place for it. */
  add<Result extends object>(command: Command<Result>): Promise<Result>
  /** Takes the next batch out of the queue. */
  take(locked: ReadonlySet<Uuid>, size: BatchSize): Entry[]
}

export interface QueueOptions {
  /** Commands that may wait; more are refused as service_unavailable. */
  readonly maxQueued?: number
  /** How many of them may be of one party (see db/work-origin.ts), so that none takes the places of all others. */
  readonly maxQueuedOfParty?: number
}

const DEFAULT_MAX_QUEUED = 20_000
/** Three parties that fill all they may have leave places for the next one. */
const PARTIES_THAT_FILL_THE_QUEUE = 4

export function openQueue(options: QueueOptions): Queue {
  const maxQueued = options.maxQueued ?? DEFAULT_MAX_QUEUED
  const maxQueuedOfParty = options.maxQueuedOfParty ?? Math.ceil(maxQueued / PARTIES_THAT_FILL_THE_QUEUE)
  /** Those of which commands wait. */
  const parties = new Map<string, Party>()
  let queue: Entry[] = []

  function partyNamed(name: string): Party {
    let party = parties.get(name)
    if (party === undefined) parties.set(name, (party = { name, waiting: 0, taken: 0 }))
    return party
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
      })
    },
    take(locked, size) {
      const { batch, rest } = pick(queue, locked, size, parties)
      queue = rest
      for (const { party } of batch) {
        party.waiting -= 1
        if (party.waiting === 0) parties.delete(party.name)
      }
      return batch
    },
  }
}
