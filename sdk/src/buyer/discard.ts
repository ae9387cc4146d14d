/** Reading so little is cheaper than a new connection; more, or for longer, is not read. */
const DRAINED_BYTES = 65_536
const DRAINED_MS = 1_000

/** Discards a response that is not needed, so that its connection is free for the next request. */
export function discard(response: Response): void {
  // Its result does not matter.
  drain(response).catch(() => undefined)
}

/** Counts the decompressed bytes: neither the declared length nor the bytes on the wire bound them. */
async function drain({ body }: Response): Promise<void> {
  if (body === null) return
  const reader = body.getReader()
  const letGo = () => {
    reader.cancel().catch(() => undefined)
  }
  const timer = setTimeout(letGo, DRAINED_MS)
  letEnd(timer)
  try {
    for (let bytes = 0; bytes <= DRAINED_BYTES; ) {
      const { done, value } = await reader.read()
      if (done) return
      bytes += value.byteLength
    }
    letGo()
  } finally {
    clearTimeout(timer)
  }
}

/** Lets the process exit before this timer, on platforms whose timers support that; elsewhere they are numbers. */
function letEnd(timer: unknown): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function') {
    timer.unref()
  }
}
