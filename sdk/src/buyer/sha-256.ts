import { hashes } from '../protocol/hashes.ts'

/** SHA-256 in lower-case hex, of bytes or of a text's UTF-8. */
export async function sha256(content: string | ArrayBuffer | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = content instanceof ArrayBuffer ? new Uint8Array(content) : bytesOf(content)
  const digest = await hashes.sha256(bytes)
  return Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('')
}

function bytesOf(content: string | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content
}
