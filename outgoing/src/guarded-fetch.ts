import type { Agent, fetch as UndiciFetch } from 'undici'
import { openConnector } from './connector.ts'
import type { Lookup } from './lookup.ts'
import { NOT_HTTPS, NOT_PUBLIC, NotConnected, noResponseError } from './no-response.ts'

export interface GuardedFetchOptions {
  /** In live mode only public addresses by https; in sandbox mode also those of developers’ own machines. */
  readonly mode: 'sandbox' | 'live'
  /** The longest body that a caller reads; everything around it may take as much again. */
  readonly maxBodyBytes: number
  readonly lookup?: Lookup
  /** The certificate authority to trust instead of those of Node. */
  readonly ca?: string
}

/** A `fetch` for addresses that others chose. */
export interface GuardedFetch {
  /**
   * Each connection is checked, also that to the target of a redirect. Rejects with `NoResponse`, whose message quotes
   * nothing, or with the reason of the caller’s signal. The caller limits time and the body that it reads.
   */
  readonly fetch: typeof fetch
  /** Aborts what is in progress. */
  close(): Promise<void>
}

/** Why there was no response. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse'
  /** Whether the address may not be called at all. */
  readonly isRefused: boolean

  constructor(cause: unknown) {
    super(noResponseError(cause))
    this.isRefused = cause instanceof NotConnected && [NOT_HTTPS, NOT_PUBLIC].includes(cause.message)
  }
}

const CONNECT_TIMEOUT_MS = 10_000
const MAX_HEADER_BYTES = 16 * 1024

interface Opened {
  readonly fetch: typeof UndiciFetch
  readonly dispatcher: Agent
}

export function openGuardedFetch({ maxBodyBytes, ...options }: GuardedFetchOptions): GuardedFetch {
  const connector = openConnector({
    ...options,
    timeoutMs: CONNECT_TIMEOUT_MS,
    maxResponseBytes: 2 * maxBodyBytes,
  })
  let opened: Promise<Opened> | null = null

  /** undici takes megabytes, and most processes call nobody. */
  async function open(): Promise<Opened> {
    const undici = await import('undici')
    const dispatcher = new undici.Agent({
      connect: connector.connect,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: MAX_HEADER_BYTES,
    })
    return { fetch: undici.fetch, dispatcher }
  }

  /** The next call tries again. */
  function forget(error: unknown): never {
    opened = null
    throw error
  }

  async function guarded(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
    try {
      const { fetch, dispatcher } = await (opened ??= open().catch(forget))
      const given = init as Parameters<typeof UndiciFetch>[1]
      // It runs on Node 20 too, so it has not what the newest Node adds to responses.
      return (await fetch(input, { ...given, dispatcher })) as Response
    } catch (error) {
      if (init?.signal?.aborted === true) throw error
      throw new NoResponse(error instanceof Error ? (error.cause ?? error) : error)
    }
  }
  return {
    fetch: guarded,
    async close() {
      const destroyed = opened?.then(({ dispatcher }) => dispatcher.destroy())
      connector.close()
      await destroyed
    },
  }
}

/**
 * The beginning of a body, decompressed, and whether that is all of it. The sender decides how long a body becomes:
 * a few kilobytes can hold a gigabyte, so reading stops at the limit.
 */
export async function readAtMost(
  response: Response,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly isWhole: boolean }> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    length += chunk.length
    if (length > maxBytes) break
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isWhole: length <= maxBytes }
}
