import type { Headers } from './api.ts'

export interface StreamedEvent {
  readonly id: string | undefined
  readonly name: string
  readonly data: { readonly id?: string; readonly event?: string; readonly data?: Record<string, unknown> }
}

export interface OpenStream {
  /** The next event that fits; waits for it. */
  next(fits?: (event: StreamedEvent) => boolean): Promise<StreamedEvent>
  /** Everything that was received so far. */
  readonly received: readonly StreamedEvent[]
  /** Resolves when the service ends the stream. */
  readonly ended: Promise<void>
  close(): void
}

/** Follows the service's events as a browser does. */
export async function openStream(address: string, headers: Headers): Promise<OpenStream> {
  const stop = new AbortController()
  const response = await fetch(`${address}/api/web/events`, { headers, signal: stop.signal })
  if (response.status !== 200 || response.body === null)
    throw new Error(`no stream: ${response.status} ${await response.text()}`)
  const received: StreamedEvent[] = []
  const waiting = new Set<() => void>()
  const read = async (body: AsyncIterable<Uint8Array>) => {
    const decoder = new TextDecoder()
    let text = ''
    for await (const bytes of body) {
      text += decoder.decode(bytes, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      received.push(...blocks.flatMap(block => eventIn(block) ?? []))
      for (const look of waiting) look()
    }
  }
  const ended = read(response.body).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
  })
  let read_ = 0
  return {
    received,
    ended,
    async next(fits = () => true) {
      for (;;) {
        while (read_ < received.length) {
          const event = received[read_++]
          if (event !== undefined && fits(event)) return event
        }
        await new Promise<void>((resolve, reject) => {
          const look = () => {
            waiting.delete(look)
            resolve()
          }
          waiting.add(look)
          void ended.then(() => reject(new Error('the stream ended')), reject)
        })
      }
    },
    close: () => stop.abort(),
  }
}

function eventIn(block: string): StreamedEvent | null {
  const fields = new Map(
    block.split('\n').map(line => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]),
  )
  const name = fields.get('event')
  if (name === undefined) return null
  return { id: fields.get('id'), name, data: JSON.parse(fields.get('data') ?? 'null') }
}
