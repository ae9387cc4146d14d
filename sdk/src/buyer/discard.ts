/** Reading so little is cheaper than a new connection. */
const DRAINED_BYTES = 65_536

/** Lets go of an answer that nobody will read, so that its connection is free for the next request. */
export function discard(answer: Response): void {
  const length = answer.headers.get('content-length')
  const isShort = length !== null && Number(length) <= DRAINED_BYTES
  // Whether that comes off is all the same.
  const ended: Promise<unknown> = isShort
    ? answer.arrayBuffer()
    : (answer.body?.cancel() ?? Promise.resolve())
  ended.catch(() => undefined)
}
