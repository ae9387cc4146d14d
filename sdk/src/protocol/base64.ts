/** UTF-8 as base64: the standard alphabet, padded. Made of what browsers have too. */
export function base64FromText(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}

/** What a base64 says as UTF-8; null when it is not the one way to write that, byte by byte. */
export function textFromBase64(base64: string): string | null {
  try {
    const binary = atob(base64)
    // Much is forgiven: spaces, no padding, stray bits. Written again, it shows.
    if (btoa(binary) !== base64) return null
    const bytes = new Uint8Array(binary.length)
    for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index)
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}
