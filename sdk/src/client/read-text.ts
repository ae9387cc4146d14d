/** The longest response is a page of 100 agents, each with four lists of 1,000 payees: about 13 MB. */
const MAX_ANSWER_BYTES = 32 * 1_048_576

/** Reads a text body to its end; null if it is longer than the bound, and then its connection is closed. */
export async function readText(response: Response, maxBytes = MAX_ANSWER_BYTES): Promise<string | null> {
  const { body } = response
  // Not every platform that has `fetch` shows a body as a stream.
  if (typeof body?.getReader !== 'function') return response.text()
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > maxBytes) {
      reader.cancel().catch(() => undefined)
      return null
    }
    text += decoder.decode(value, { stream: true })
  }
}
