import type { Uuid } from '../kernel/ids.ts'
import type { Command, Entry } from './command.ts'
import { createLane, type Lane, type LaneOptions, unavailable } from './lane.ts'

export interface Ledger {
  /** Resolves after the commit, with what the decision returned. Rejects with the refusal as an AppError. */
  submit<Result extends object>(command: Command<Result>): Promise<Result>
  /**
   * Resolves once whoever waits for a commit that is under way on these accounts has been told of it: so nobody hears
   * of a payment after hearing that its payer was stopped, at least not from this node.
   */
  answered(accounts: readonly Uuid[]): Promise<void>
  /** Finishes what was accepted, then refuses more. */
  close(): Promise<void>
  readonly queued: () => number
  /** How many commands were finished since it was opened, the refused ones included. */
  readonly finished: () => number
}

export interface LedgerOptions extends LaneOptions {
  /** Connections that commit batches side by side. */
  readonly lanes?: number
  /** Commands in one commit at the most. */
  readonly maxBatch?: number
  /** Commands that may wait; more are refused as service_unavailable. */
  readonly maxQueued?: number
}

const DEFAULT_LANES = 2
const DEFAULT_MAX_BATCH = 256
const DEFAULT_MAX_QUEUED = 20_000

/** The posting engine: whatever waits when a lane is free goes into its next commit; there is no timer. */
export function openLedger(options: LedgerOptions): Ledger {
  const maxBatch = options.maxBatch ?? DEFAULT_MAX_BATCH
  const maxQueued = options.maxQueued ?? DEFAULT_MAX_QUEUED
  const idle: Lane[] = Array.from({ length: options.lanes ?? DEFAULT_LANES }, () => createLane(options))
  const lanes = [...idle]
  const locked = new Set<Uuid>()
  const running = new Map<ReadonlySet<Uuid>, Promise<void>>()
  let queue: Entry[] = []
  let inFlight = 0
  let finished = 0
  let scheduled = false
  let closed: Promise<void> | null = null
  let whenDrained: (() => void) | null = null

  function schedule(): void {
    if (scheduled || idle.length === 0 || queue.length === 0) return
    scheduled = true
    // After this turn of the event loop, so that requests read together go into one commit.
    setImmediate(() => {
      scheduled = false
      dispatch()
    })
  }

  function dispatch(): void {
    const lane = idle.at(-1)
    if (lane === undefined) return
    // An even share for each lane, so that one lane's commit and the next one's decisions overlap.
    const share = Math.min(maxBatch, Math.ceil((queue.length + inFlight) / lanes.length))
    const { batch, rest } = pick(queue, locked, { share, maxBatch })
    if (batch.length === 0) return
    queue = rest
    idle.pop()
    inFlight += batch.length
    const accounts = new Set(batch.flatMap(entry => entry.command.accounts))
    for (const id of accounts) locked.add(id)
    const run = lane.run(batch).finally(() => {
      running.delete(accounts)
      for (const id of accounts) locked.delete(id)
      idle.push(lane)
      inFlight -= batch.length
      finished += batch.length
      if (inFlight === 0 && queue.length === 0) whenDrained?.()
      schedule()
    })
    running.set(accounts, run)
    schedule()
  }

  async function drain(): Promise<void> {
    if (inFlight > 0 || queue.length > 0) {
      await new Promise<void>(resolve => {
        whenDrained = resolve
      })
    }
    await Promise.all(lanes.map(lane => lane.close()))
  }

  return {
    submit<Result extends object>(command: Command<Result>): Promise<Result> {
      if (closed !== null) return Promise.reject(unavailable('The service is shutting down'))
      if (queue.length >= maxQueued) return Promise.reject(unavailable('Too many payments are waiting'))
      return new Promise<Result>((resolve, reject) => {
        queue.push({ command, resolve: result => resolve(result as Result), reject })
        schedule()
      })
    },
    async answered(ids) {
      const theirs = [...running].filter(([accounts]) => ids.some(id => accounts.has(id)))
      await Promise.all(theirs.map(([, run]) => run))
    },
    close: () => (closed ??= drain()),
    queued: () => queue.length,
    finished: () => finished,
  }
}

export interface BatchSize {
  /** How many commands to take of those that could go with any lane. */
  readonly share: number
  /** How many to take at the most. */
  readonly maxBatch: number
}

/**
 * The next batch: the oldest commands, without those whose wallets another lane holds, because they would
 * only wait there for a lock. Beyond its share it takes what shares a wallet with it, which could go nowhere
 * else meanwhile: so a hot wallet fills one batch, and strangers spread over the lanes. Who waits keeps its
 * place before later commands on the same wallets.
 */
export function pick(
  queue: readonly Entry[],
  locked: ReadonlySet<Uuid>,
  { share, maxBatch }: BatchSize,
): { batch: Entry[]; rest: Entry[] } {
  if (locked.size === 0 && queue.length <= share) return { batch: [...queue], rest: [] }
  const batch: Entry[] = []
  const rest: Entry[] = []
  const taken = new Set<Uuid>()
  const waiting = new Set<Uuid>()
  for (const entry of queue) {
    const { accounts } = entry.command
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
