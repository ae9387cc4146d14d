import { Readable } from 'node:stream'
import { onBehalfOf } from '../../../../db/database.ts'
import { currentOrigin } from '../../../../db/work-origin.ts'
import type { Caller } from '../../../../http/caller.ts'
import { AppError } from '../../../../kernel/app-error.ts'
import { assert } from '../../../../kernel/assert.ts'

type Chunks = AsyncGenerator<string | Buffer>

/** The statements that are under way on this node, so that they take a bounded part of it. */
export interface OpenExports {
  /**
   * Begins one for a credential and returns its body; the place is free again when the body is closed, or when
   * `begin` throws. Throws `rate_limit_exceeded` while the credential has one under way, and `service_unavailable` when
   * the node has too many.
   */
  open(caller: Caller, begin: () => Promise<Chunks>): Promise<Readable>
}

const PER_NODE = 32
const RETRY = { headers: { 'retry-after': '1' } }
/** A client that takes nothing for so long is disconnected. */
const STALL_MS = 60_000
const CHUNK_BYTES = 64 * 1024

export function openExports(stopping: AbortSignal, stallMs = STALL_MS): OpenExports {
  const busy = new Set<string>()

  return {
    async open(caller, begin) {
      const credential = credentialOf(caller)
      if (busy.has(credential)) {
        const message = 'This credential has a statement under way; wait until it was sent'
        throw new AppError('rate_limit_exceeded', message, RETRY)
      }
      if (busy.size >= PER_NODE) {
        throw new AppError('service_unavailable', 'Too many statements are under way; try again later', RETRY)
      }
      busy.add(credential)
      try {
        const body = readableOf(await begin(), stopping, stallMs)
        return body.once('close', () => busy.delete(credential))
      } catch (error) {
        busy.delete(credential)
        throw error
      }
    },
  }
}

/** A platform's statements count together, because it has one secret. */
function credentialOf(caller: Caller): string {
  assert(caller.kind !== 'public', 'a statement is for a credential')
  if (caller.kind === 'agent') return caller.agentId
  return caller.kind === 'platform' ? caller.platformId : caller.sessionId
}

/** Makes the next chunk when the client has taken the one before. */
function readableOf(chunks: Chunks, stopping: AbortSignal, stallMs: number): Readable {
  // A stream asks for its chunks from wherever its client reads; the work stays the caller's.
  const origin = currentOrigin()
  const stalled = () => body.destroy(new Error('the client of a statement has stopped reading'))
  let timer = setTimeout(stalled, stallMs)
  async function* watched(): Chunks {
    for (;;) {
      clearTimeout(timer)
      const { done, value } = await onBehalfOf(origin, () => chunks.next())
      if (done === true) return
      timer = setTimeout(stalled, stallMs)
      yield value
    }
  }
  const body = Readable.from(watched(), { objectMode: false, highWaterMark: CHUNK_BYTES })
  const stop = () => body.destroy(new Error('the service is stopping'))
  stopping.addEventListener('abort', stop, { once: true })
  body.once('close', () => {
    clearTimeout(timer)
    stopping.removeEventListener('abort', stop)
    void chunks.return(undefined)
  })
  return body
}
