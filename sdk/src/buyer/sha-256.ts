import { hexFromBytes } from '../protocol/base64.ts'
import { hashes } from '../protocol/hashes.ts'

const text = new TextEncoder()

/** SHA-256 in lower-case hex, of bytes or of a text's UTF-8. */
export async function sha256(content: string | ArrayBuffer | Uint8Array<ArrayBuffer>): Promise<string> {
  return hexFromBytes(await hashes.sha256(bytesOf(content)))
}

/** By structure and not by class, because every realm has its own ArrayBuffer. */
function bytesOf(content: string | ArrayBuffer | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (typeof content === 'string') return text.encode(content)
  return ArrayBuffer.isView(content) ? content : new Uint8Array(content)
}
