/** What engines of today have for bytes (ECMAScript 2026); older ones, and their types, do without. */
interface NativeBytes {
  readonly length: number
  toBase64?(options?: { readonly alphabet: 'base64url'; readonly omitPadding: true }): string
  toHex?(): string
}

interface NativeReader {
  readonly BYTES_PER_ELEMENT: number
  fromBase64?(text: string): Uint8Array<ArrayBuffer>
}

function native(bytes: Uint8Array): NativeBytes {
  return bytes
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const reader: NativeReader = Uint8Array

/** UTF-8 as base64, standard alphabet, padded. Works in browsers too. */
export function base64FromText(text: string): string {
  return base64FromBytes(encoder.encode(text))
}

/** Bytes as base64, standard alphabet, padded. At most some ten thousand bytes, because they may become arguments. */
export function base64FromBytes(bytes: Uint8Array): string {
  return native(bytes).toBase64?.() ?? btoa(String.fromCharCode(...bytes))
}

/** Bytes as unpadded base64url. */
export function base64UrlFromBytes(bytes: Uint8Array): string {
  return (
    native(bytes).toBase64?.({ alphabet: 'base64url', omitPadding: true }) ??
    base64FromBytes(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
  )
}

/** Bytes as lower-case hex. */
export function hexFromBytes(bytes: Uint8Array): string {
  return native(bytes).toHex?.() ?? Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

/** The UTF-8 text of a base64; null unless it is the canonical encoding. */
export function textFromBase64(base64: string): string | null {
  try {
    const bytes = bytesFromBase64(base64)
    // Decoders tolerate spaces, missing padding and stray bits; encoding the result again reveals them.
    return bytes === null || base64FromBytes(bytes) !== base64 ? null : decoder.decode(bytes)
  } catch {
    return null
  }
}

/** The bytes of unpadded base64url; null unless it is the canonical encoding. */
export function bytesFromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  const bytes = bytesFromBase64(text)
  return bytes !== null && base64UrlFromBytes(bytes) === text ? bytes : null
}

/** The bytes of a base64 in either alphabet, padded or not; null if it is invalid. */
export function bytesFromBase64(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    const standard = base64.replaceAll('-', '+').replaceAll('_', '/')
    if (reader.fromBase64 !== undefined) return reader.fromBase64(standard)
    const binary = atob(standard)
    const bytes = new Uint8Array(binary.length)
    for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index)
    return bytes
  } catch {
    return null
  }
}
