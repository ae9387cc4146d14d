import { ownError } from './own-error.ts'

/** A file from the service, of any length. It can be read once: as a stream, or whole by one of the methods. */
export interface Download<Json> {
  /** The media type, such as `text/csv`. */
  readonly type: string
  /** The name to save it under; null: the service named none. */
  readonly fileName: string | null
  /** Its bytes as they come. Reading fails if the connection ends early, so what was read to its end is complete. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>
  bytes(): Promise<Uint8Array<ArrayBuffer>>
  text(): Promise<string>
  /** For the format `json`. */
  json(): Promise<Json>
}

/** @internal The download of a successful response. */
export function downloadOf(response: Response, baseUrl: string): Download<unknown> {
  const { headers, body } = response
  if (body === null) throw ownError('invalid_response', `${baseUrl} sent no file`)
  async function whole<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read()
    } catch (cause) {
      if (cause instanceof DOMException && cause.name === 'AbortError') throw cause
      throw ownError('network_error', `The file from ${baseUrl} ended early`, { cause })
    }
  }
  return {
    type: headers.get('content-type')?.split(';')[0] ?? '',
    fileName: /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '')?.[1] ?? null,
    body,
    bytes: () => whole(async () => new Uint8Array(await response.arrayBuffer())),
    text: () => whole(() => response.text()),
    json: () => whole(() => response.json()),
  }
}
