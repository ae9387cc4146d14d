import { movementOf, type Uuid } from '../../../kernel/ids.ts'
import { selectCauses } from '../../../ledger/index.ts'
import { paymentEventName } from '../../../operations/payment-fact.ts'
import type { DelivererContext } from '../context.ts'
import { readEvents } from '../events/read-events.ts'
import { type Chunk, selectChunks } from './backlog-store.ts'
import { type DueDelivery, selectDue } from './outcome-store.ts'

/** A due delivery with the JSON text to send. */
export interface ReadyDelivery extends DueDelivery {
  readonly body: string
  /** The `traceparent` of the request that caused the event; null: it is not known or not traced. */
  readonly cause: string | null
}

/**
 * The deliveries of one platform that a worker has in memory. Bounded: the ids of a few chunks and due deliveries, and
 * bodies for a few times as many requests as may run at once.
 */
export interface DeliveryBuffer {
  /** Reads more where there is room; returns the deliveries whose event failed verification. */
  refill(now: Date, concurrency: number): Promise<DueDelivery[]>
  hasNext(): boolean
  next(): ReadyDelivery | undefined
  /** Whether a refill is needed soon. */
  isLow(concurrency: number): boolean
  /** The database may contain more than the last refill found. */
  mayHaveMore(): void
  /** The delivery's attempt has ended. */
  done(delivery: DueDelivery): void
  /** The remaining events of the chunks that have changed since the last call. */
  takeChunks(): Chunk[]
  /** The outcomes of these deliveries have been written to the database. */
  written(ids: readonly Uuid[]): void
}

interface OpenChunk {
  readonly left: Set<Uuid>
  changed: boolean
}

const NO_CAUSES: ReadonlyMap<Uuid, string> = new Map()
const DUE_AT_ONCE = 128
const CHUNKS_AT_ONCE = 2
/** Bodies are read for this many times the number of concurrent requests. */
const READY_TIMES = 4

type BufferContext = Pick<DelivererContext, 'database' | 'vault' | 'tracing'>

/** The bodies of the events, and which requests caused them. */
async function readContents(
  { database, vault, tracing }: BufferContext,
  platformId: Uuid,
  deliveries: readonly DueDelivery[],
) {
  const keys = deliveries.map(({ id, event: name }) => ({ id, name }))
  const ids = deliveries.map(({ id }) => id)
  const [bodies, causes] = await Promise.all([
    readEvents(database, vault, platformId, keys),
    tracing === null ? NO_CAUSES : selectCauses(database, ids),
  ])
  return { bodies, causes }
}

export function openDeliveryBuffer(context: BufferContext, platformId: Uuid): DeliveryBuffer {
  const { database } = context
  const waiting: DueDelivery[] = []
  const ready: ReadyDelivery[] = []
  /**
   * Deliveries in memory whose outcome is not written yet: in the database they are still due. After a retry by hand an
   * event in a chunk may be a due delivery too.
   */
  const inMemory = new Set<Uuid>()
  const chunks = new Map<Uuid, OpenChunk>()
  let isExhausted = false

  function add(delivery: DueDelivery): void {
    inMemory.add(delivery.id)
    waiting.push(delivery)
  }

  async function readMore(now: Date): Promise<void> {
    // Set before the queries, so that a fan-out that commits during them can reset it.
    isExhausted = true
    const due = await selectDue(database, platformId, { now, but: [...inMemory], limit: DUE_AT_ONCE })
    for (const delivery of due) add(delivery)
    if (due.length === DUE_AT_ONCE) {
      isExhausted = false
      return
    }
    const more = await selectChunks(database, platformId, { but: [...chunks.keys()], limit: CHUNKS_AT_ONCE })
    for (const { id: chunkId, eventIds } of more) {
      chunks.set(chunkId, { left: new Set(eventIds), changed: false })
      for (const id of eventIds) if (!inMemory.has(id)) add({ id, event: paymentEventName(id), attempts: 0 })
    }
    if (more.length === CHUNKS_AT_ONCE) isExhausted = false
  }

  async function readBodies(count: number): Promise<DueDelivery[]> {
    const deliveries = waiting.splice(0, count)
    if (deliveries.length === 0) return []
    const { bodies, causes } = await readContents(context, platformId, deliveries)
    const unverified: DueDelivery[] = []
    for (const delivery of deliveries) {
      const body = bodies.get(delivery.id)
      if (body === undefined) unverified.push(delivery)
      else ready.push({ ...delivery, body, cause: causes.get(movementOf(delivery.id).movement) ?? null })
    }
    return unverified
  }

  return {
    async refill(now, concurrency) {
      const wanted = concurrency * READY_TIMES
      if (waiting.length < wanted && !isExhausted) await readMore(now)
      return ready.length < wanted ? readBodies(wanted - ready.length) : []
    },
    hasNext: () => ready.length > 0,
    next: () => ready.shift(),
    isLow: concurrency => ready.length < concurrency && (waiting.length > 0 || !isExhausted),
    mayHaveMore() {
      isExhausted = false
    },
    done({ id }) {
      for (const chunk of chunks.values()) if (chunk.left.delete(id)) chunk.changed = true
    },
    takeChunks() {
      const taken: Chunk[] = []
      for (const [id, chunk] of chunks) {
        if (!chunk.changed) continue
        chunk.changed = false
        taken.push({ id, eventIds: [...chunk.left] })
      }
      return taken
    },
    written(ids) {
      for (const id of ids) inMemory.delete(id)
      for (const [id, chunk] of chunks) if (chunk.left.size === 0 && !chunk.changed) chunks.delete(id)
    },
  }
}
