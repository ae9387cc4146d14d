import { sha256 } from './sha-256.ts'

/** A request's body that can be sent any number of times. */
export interface RepeatableBody {
  /** null: it has none. */
  readonly bytes: Uint8Array<ArrayBuffer> | null
  /** What `fetch` would say that it is. */
  readonly contentType: string | null
  /** SHA-256 in hex, the same for the same content; of a form over its entries, because its boundary is random. */
  readonly digest: string
}

export const NO_BODY: RepeatableBody = { bytes: null, contentType: null, digest: '' }

const ANYWHERE = 'https://localhost'
const REPEATABLE = new Set(['String', 'ArrayBuffer', 'URLSearchParams', 'FormData', 'Blob', 'File'])
const MULTIPART = /^multipart\/form-data\b/i

/** A copy of a body as `fetch` takes it; null when it is a stream, which can be read once. */
export async function repeatableBody(body: RequestInit['body']): Promise<RepeatableBody | null> {
  if (body === null || body === undefined) return NO_BODY
  if (!ArrayBuffer.isView(body) && !REPEATABLE.has(kindOf(body))) return null
  // Not a Response: some servers put one of their own in its place, which takes every body for text.
  const packed = new Request(ANYWHERE, { method: 'POST', body })
  const contentType = packed.headers.get('content-type')
  return withDigest(new Uint8Array(await packed.arrayBuffer()), contentType)
}

/** A copy of the body of a `Request`, which is left unread. */
export async function bodyOfRequest(request: Request): Promise<RepeatableBody> {
  const bytes = new Uint8Array(await request.clone().arrayBuffer())
  // Not every platform has `body`. An empty body can be read only once too, so it is copied.
  const hasNone = request.body === null || (request.body === undefined && bytes.byteLength === 0)
  if (hasNone) return NO_BODY
  return withDigest(bytes, request.headers.get('content-type'))
}

/** By name and not by class, because every realm and many a library has classes of its own. */
function kindOf(body: unknown): string {
  return Object.prototype.toString.call(body).slice('[object '.length, -1)
}

async function withDigest(
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string | null,
): Promise<RepeatableBody> {
  const form = contentType !== null && MULTIPART.test(contentType) ? await formIn(bytes, contentType) : null
  return { bytes, contentType, digest: await sha256(form === null ? bytes : await entriesOf(form)) }
}

async function formIn(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<FormData | null> {
  try {
    return await new Response(bytes, { headers: { 'content-type': contentType } }).formData()
  } catch {
    return null
  }
}

async function entriesOf(form: FormData): Promise<string> {
  const entries = Array.from(form, async ([name, value]) =>
    typeof value === 'string'
      ? [name, value]
      : [name, value.name, value.type, await sha256(await value.arrayBuffer())],
  )
  return JSON.stringify(await Promise.all(entries))
}
