import type { Uuid } from '../../../kernel/ids.ts'
import { paymentEventName } from '../../../operations/payment-event.ts'
import type { WebhooksContext } from '../context.ts'
import { readEvents } from '../events/read-events.ts'
import { type Chunk, selectChunks } from './backlog-store.ts'
import { selectDue } from './outcome-store.ts'
import type { Parcel, ReadyParcel } from './parcel.ts'

/**
 * What a courier has in memory of its platform's events. Bounded: ids of some chunks and due deliveries, and texts for a
 * few times as many requests as the receiver gets at once.
 */
export interface Load {
  /** Reads more where there is room; answers the parcels whose event is not as the service wrote it. */
  refill(now: Date, concurrency: number): Promise<Parcel[]>
  hasNext(): boolean
  next(): ReadyParcel | undefined
  /** Whether a refill would be of use soon. */
  isLow(concurrency: number): boolean
  /** There may be more in the database than the last refill found. */
  mayHaveMore(): void
  /** The parcel was tried. */
  done(parcel: Parcel): void
  /** What is left of the chunks that parcels were done of since the last time. */
  takeChunks(): Chunk[]
  /** What these parcels came to is in the database now. */
  written(ids: readonly Uuid[]): void
}

interface OpenChunk {
  readonly left: Set<Uuid>
  changed: boolean
}

const DUE_AT_ONCE = 128
const CHUNKS_AT_ONCE = 2
/** Texts are read for so many times the requests at once. */
const READY_TIMES = 4

export function openLoad({ database, vault }: WebhooksContext, platformId: Uuid): Load {
  const waiting: Parcel[] = []
  const ready: ReadyParcel[] = []
  /**
   * What is in memory and not written yet: the database still calls it due. An event that waits in a chunk may be a due
   * delivery too, after a retry by hand.
   */
  const held = new Set<Uuid>()
  const chunks = new Map<Uuid, OpenChunk>()
  let isExhausted = false

  function add(parcel: Parcel): void {
    held.add(parcel.id)
    waiting.push(parcel)
  }

  async function readMore(now: Date): Promise<void> {
    // Said before anything is asked: whoever deals out more meanwhile takes it back.
    isExhausted = true
    const due = await selectDue(database, platformId, { now, but: [...held], limit: DUE_AT_ONCE })
    for (const delivery of due) add(delivery)
    if (due.length === DUE_AT_ONCE) {
      isExhausted = false
      return
    }
    const more = await selectChunks(database, platformId, { but: [...chunks.keys()], limit: CHUNKS_AT_ONCE })
    for (const { id: chunkId, eventIds } of more) {
      chunks.set(chunkId, { left: new Set(eventIds), changed: false })
      for (const id of eventIds) if (!held.has(id)) add({ id, event: paymentEventName(id), attempts: 0 })
    }
    if (more.length === CHUNKS_AT_ONCE) isExhausted = false
  }

  async function readTexts(count: number): Promise<Parcel[]> {
    const parcels = waiting.splice(0, count)
    if (parcels.length === 0) return []
    const keys = parcels.map(({ id, event: name }) => ({ id, name }))
    const texts = await readEvents(database, vault, platformId, keys)
    const spoilt: Parcel[] = []
    for (const parcel of parcels) {
      const body = texts.get(parcel.id)
      if (body === undefined) spoilt.push(parcel)
      else ready.push({ ...parcel, body })
    }
    return spoilt
  }

  return {
    async refill(now, concurrency) {
      const wanted = concurrency * READY_TIMES
      if (waiting.length < wanted && !isExhausted) await readMore(now)
      return ready.length < wanted ? readTexts(wanted - ready.length) : []
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
      for (const id of ids) held.delete(id)
      for (const [id, chunk] of chunks) if (chunk.left.size === 0 && !chunk.changed) chunks.delete(id)
    },
  }
}
