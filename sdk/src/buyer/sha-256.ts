import { hashes } from '../protocol/hashes.ts'

/** SHA-256 in lower-case hex, of bytes or of a text's UTF-8. */
export async function sha256(content: string | ArrayBuffer | Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await hashes.sha256(bytesOf(content))
  return Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('')
}

/** By structure and not by class, because every realm has its own ArrayBuffer. */
function bytesOf(content: string | ArrayBuffer | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (typeof content === 'string') return new TextEncoder().encode(content)
  return ArrayBuffer.isView(content) ? content : new Uint8Array(content)
}
