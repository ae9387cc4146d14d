import type { GatewayResult } from './gateway-result.ts'

/** Reads at most this much of a response; a longer one is cut off and counts as incomplete. */
export async function readAtMost(
  response: Response,
  maxBytes: number,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > maxBytes) break
  }
  const text = Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8')
  return { text, isWhole: bytes <= maxBytes }
}

export type NoResponse = Extract<GatewayResult<never>, { readonly kind: 'retryable' | 'unknown' }>

/** Errors before a connection is established: nothing was sent, so the request may be sent again. */
const NOT_CONNECTED: readonly unknown[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]

/** The result of a request that `fetch` failed. The message contains nothing of the address or the body. */
export function noResponse(error: unknown): NoResponse {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return { kind: 'unknown', message: 'the provider did not respond in time' }
  }
  // The error's message may quote the address, which may contain a phone; its code cannot.
  const cause: unknown = error instanceof Error ? error.cause : undefined
  const code: unknown = cause instanceof Error ? Reflect.get(cause, 'code') : undefined
  const reason = typeof code === 'string' ? code : 'connection lost'
  if (NOT_CONNECTED.includes(code)) return { kind: 'retryable', message: `no connection: ${reason}` }
  return { kind: 'unknown', message: `the request broke: ${reason}` }
}
