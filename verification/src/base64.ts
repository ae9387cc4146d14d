/** The bytes of a base64 text, or null when it is not in canonical form (RFC 4648). */
export function bytesOfBase64(text: string, encoding: 'base64' | 'base64url' = 'base64'): Buffer | null {
  const bytes = Buffer.from(text, encoding)
  return bytes.toString(encoding) === text ? bytes : null
}
