/**
 * The beginning of a body, decompressed, and whether that is all of it. The sender decides how long a body becomes:
 * a few kilobytes can hold a gigabyte, so reading stops at the limit.
 */
export async function readAtMost(
  response: Response,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly isWhole: boolean }> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    length += chunk.length
    if (length > maxBytes) break
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isWhole: length <= maxBytes }
}
