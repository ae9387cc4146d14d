import type { GatewayResult } from './gateway-result.ts'

/** As much of an answer as is worth reading; what goes on longer is cut off and is not whole. */
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

/** What fails before a connection stands: nothing was sent, so it may be sent again. */
const NOT_CONNECTED: readonly unknown[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]

/** What a request that `fetch` gave up may have done. Nothing of the address or the body stands in the message. */
export function noResponse(error: unknown): NoResponse {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return { kind: 'unknown', message: 'the provider did not answer in time' }
  }
  // Its words may quote the address, in which a phone may stand; its code cannot.
  const cause: unknown = error instanceof Error ? error.cause : undefined
  const code: unknown = cause instanceof Error ? Reflect.get(cause, 'code') : undefined
  const reason = typeof code === 'string' ? code : 'connection lost'
  if (NOT_CONNECTED.includes(code)) return { kind: 'retryable', message: `no connection: ${reason}` }
  return { kind: 'unknown', message: `the request broke: ${reason}` }
}
