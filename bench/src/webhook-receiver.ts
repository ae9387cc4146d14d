import { listenForWebhooks } from './webhook-listener.ts'
import type { FromReceiver, ToReceiver } from './webhook-messages.ts'

/** The process of one receiver: counts webhooks for the benchmark and ends when it ends. */

const listener = await listenForWebhooks()

function send(message: FromReceiver): void {
  // The parent process may have ended; then this one ends too.
  process.send?.(message, undefined, {}, () => {})
}

function obey(message: ToReceiver): FromReceiver {
  switch (message.kind) {
    case 'trust':
      listener.trust(message.secret)
      return { kind: 'done' }
    case 'behave':
      listener.behave(message.manner)
      return { kind: 'done' }
    case 'mark':
      listener.mark()
      return { kind: 'done' }
    case 'read':
      return { kind: 'figures', figures: listener.read() }
  }
}

process.on('message', (message: ToReceiver) => send(obey(message)))
process.on('disconnect', () => process.exit(0))
send({ kind: 'listening', port: listener.port })
