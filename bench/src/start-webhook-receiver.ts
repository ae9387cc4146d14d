import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FromReceiver, Manner, ReceiverFigures, ToReceiver } from './webhook-messages.ts'

/** A receiver in a separate process, like that of a platform. */
export interface WebhookReceiver {
  readonly url: string
  trust(secret: string): Promise<void>
  behave(manner: Manner): Promise<void>
  mark(): Promise<void>
  read(): Promise<ReceiverFigures>
  stop(): Promise<void>
}

const SCRIPT = fileURLToPath(new URL('webhook-receiver.ts', import.meta.url))

interface Waiting {
  onReply(reply: FromReceiver): void
  fail(error: Error): void
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const child = fork(SCRIPT, { serialization: 'advanced', execArgv: [] })
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  // Replies come in the order of the messages.
  const waiting: Waiting[] = []
  child.on('message', (reply: FromReceiver) => waiting.shift()?.onReply(reply))
  child.once('exit', () => {
    for (const { fail } of waiting.splice(0)) fail(new Error('the webhook receiver ended'))
  })
  const nextReply = () => new Promise<FromReceiver>((onReply, fail) => waiting.push({ onReply, fail }))
  const send = (message: ToReceiver) => {
    const reply = nextReply()
    child.send(message)
    return reply
  }
  const first = await nextReply()
  if (first.kind !== 'listening') throw new Error('the webhook receiver did not report its address')
  return {
    url: `http://127.0.0.1:${first.port}/webhooks`,
    trust: async secret => void (await send({ kind: 'trust', secret })),
    behave: async manner => void (await send({ kind: 'behave', manner })),
    mark: async () => void (await send({ kind: 'mark' })),
    async read() {
      const reply = await send({ kind: 'read' })
      if (reply.kind !== 'figures') throw new Error('the webhook receiver did not report its figures')
      return reply.figures
    },
    async stop() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
