import type { Uuid } from '../kernel/ids.ts'
import type { Entry, Party } from './command.ts'

export interface BatchSize {
  /** How many commands to take of those that any committer could run. */
  readonly share: number
  /** The maximum number of commands to take. */
  readonly maxBatch: number
}

/** The accounts whose commands have to wait. */
export interface Blocked {
  /** The accounts that other committers have locked. */
  readonly locked: ReadonlySet<Uuid>
  /** Whether a change in this process has locked an account; null: there is no change. */
  readonly inChange: ((id: Uuid) => boolean) | null
}

export interface Picked {
  readonly batch: Entry[]
  readonly rest: Entry[]
}

/**
 * Picks the next batch: the oldest commands, without those whose wallets another committer or a change has locked,
 * because they would only wait for the lock. Beyond its share it takes commands on the wallets of the batch, which no
 * other committer could run meanwhile. So a hot wallet fills one batch, and other commands spread over the committers.
 * A waiting command keeps its place before later commands on the same wallets. A command that waits for a change does
 * not, so that an agent that is being changed does not delay its payees.
 *
 * Commands that fit into one batch are taken in their order. When more wait, of several parties, each party first gets
 * an even part of the share, its oldest commands first. `parties` are those of the queue.
 */
export function pick(
  queue: readonly Entry[],
  blocked: Blocked,
  size: BatchSize,
  parties: ReadonlyMap<string, Party>,
): Picked {
  if (blocked.locked.size === 0 && blocked.inChange === null && queue.length <= size.share)
    return { batch: [...queue], rest: [] }
  const isFair = queue.length <= size.maxBatch || parties.size <= 1
  return isFair ? pickOldest(queue, blocked, size) : pickInTurns(queue, blocked, size, parties)
}

function pickOldest(
  queue: readonly Entry[],
  { locked, inChange }: Blocked,
  { share, maxBatch }: BatchSize,
): Picked {
  const batch: Entry[] = []
  const rest: Entry[] = []
  const taken = new Set<Uuid>()
  const waiting = new Set<Uuid>()
  for (const entry of queue) {
    const { accounts } = entry.command
    if (inChange !== null && accounts.some(inChange)) {
      rest.push(entry)
      continue
    }
    const fits = batch.length < share || (batch.length < maxBatch && accounts.some(id => taken.has(id)))
    if (fits && !accounts.some(id => locked.has(id) || waiting.has(id))) {
      batch.push(entry)
      for (const id of accounts) taken.add(id)
    } else {
      for (const id of accounts) waiting.add(id)
      rest.push(entry)
    }
  }
  return { batch, rest }
}

/**
 * Two passes: the first gives each party its turns, the second fills the rest of the batch as without parties. A command
 * that the first pass skips stays before later ones on its wallets.
 */
function pickInTurns(
  queue: readonly Entry[],
  blocked: Blocked,
  size: BatchSize,
  parties: ReadonlyMap<string, Party>,
): Picked {
  const { locked, inChange } = blocked
  const turns = turnsOf(parties, size.share)
  for (const party of parties.values()) party.taken = 0
  const chosen = new Uint8Array(queue.length)
  const taken = new Set<Uuid>()
  const mark = (at: number, accounts: readonly Uuid[]) => {
    chosen[at] = 1
    for (const id of accounts) taken.add(id)
  }
  let count = 0
  const inTurn = new Set<Uuid>()
  for (const [at, { command, party }] of queue.entries()) {
    if (count >= size.share) break
    const { accounts } = command
    if (inChange !== null && accounts.some(inChange)) continue
    if (party.taken < turns && !accounts.some(id => locked.has(id) || inTurn.has(id))) {
      mark(at, accounts)
      party.taken += 1
      count += 1
    } else for (const id of accounts) inTurn.add(id)
  }
  const passedOver = new Set<Uuid>()
  for (const [at, { command }] of queue.entries()) {
    if (count >= size.maxBatch) break
    if (chosen[at] === 1) continue
    const { accounts } = command
    if (inChange !== null && accounts.some(inChange)) continue
    const fits = count < size.share || accounts.some(id => taken.has(id))
    if (fits && !accounts.some(id => locked.has(id) || passedOver.has(id))) {
      mark(at, accounts)
      count += 1
    } else for (const id of accounts) passedOver.add(id)
  }
  const isChosen = (_entry: Entry, at: number) => chosen[at] === 1
  return { batch: queue.filter(isChosen), rest: queue.filter((_entry, at) => chosen[at] === 0) }
}

/** How many commands of a share each party may have, at least one. A party with fewer commands leaves the rest to others. */
function turnsOf(parties: ReadonlyMap<string, Party>, share: number): number {
  let left = share
  let others = parties.size
  for (const { waiting } of [...parties.values()].toSorted((one, other) => one.waiting - other.waiting)) {
    const turns = Math.floor(left / others)
    if (waiting > turns) return Math.max(1, turns)
    left -= waiting
    others -= 1
  }
  return share
}
