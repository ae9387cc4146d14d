/** UTF-8 as base64: the standard alphabet, padded. Made of what browsers have too. */
export function base64FromText(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}

/** What a base64 says as UTF-8; null when it is not the one way to write that, byte by byte. */
export function textFromBase64(base64: string): string | null {
  try {
    const bytes = Uint8Array.from(atob(base64), character => character.charCodeAt(0))
    const text = new TextDecoder().decode(bytes)
    // Much is forgiven by both: spaces, no padding, stray bits, broken characters, a byte order mark.
    // Written again, it shows.
    return base64FromText(text) === base64 ? text : null
  } catch {
    return null
  }
}
