/** UTF-8 as base64, standard alphabet, padded. Works in browsers too. */
export function base64FromText(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}

/** The UTF-8 text of a base64; null unless it is the canonical encoding. */
export function textFromBase64(base64: string): string | null {
  try {
    const binary = atob(base64)
    // The decoder tolerates spaces, missing padding and stray bits; encoding the result again reveals them.
    if (btoa(binary) !== base64) return null
    const bytes = new Uint8Array(binary.length)
    for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index)
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** The bytes of a base64 in either alphabet, padded or not; null if it is invalid. */
export function bytesFromBase64(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    const binary = atob(base64.replaceAll('-', '+').replaceAll('_', '/'))
    return Uint8Array.from(binary, character => character.charCodeAt(0))
  } catch {
    return null
  }
}
