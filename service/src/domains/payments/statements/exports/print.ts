import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { PaperStatement } from './pdf.ts'

/** More than a document of the most lines takes. */
const MEMORY = { maxOldGenerationSizeMb: 512 }

let last: Promise<unknown> = Promise.resolve()

/**
 * Makes a document in a thread of its own: shaping the letters of some thousand lines takes seconds of a processor, and
 * payments must not wait for it. One document is made after the other, however many are asked for.
 */
export function print(statement: PaperStatement): Promise<Buffer> {
  const printed = last.then(() => printAlone(statement))
  last = printed.catch(() => undefined)
  return printed
}

async function printAlone(statement: PaperStatement): Promise<Buffer> {
  const worker = new Worker(new URL('pdf-worker.ts', import.meta.url), {
    workerData: statement,
    resourceLimits: MEMORY,
    name: 'statement',
    // None of the service’s secrets.
    env: {},
  })
  try {
    const [bytes] = (await once(worker, 'message')) as [Uint8Array]
    return Buffer.from(bytes)
  } finally {
    await worker.terminate()
  }
}
