import { driveLoad } from './drive-load.ts'
import type { FromGenerator, Introduction, Order, ToGenerator } from './messages.ts'
import { keySource, preparedRing, type RequestRing, requestRing } from './request-ring.ts'

/** The load generator's process: runs orders of the benchmark and ends when it ends. */

const keys = keySource()
const rings = new Map<string, RequestRing>()
let groups: Introduction['groups'] | null = null
let port = 0

function send(message: FromGenerator): void {
  // The parent process may have ended; then this one ends too.
  process.send?.(message, undefined, {}, () => {})
}

function introduce(introduction: Introduction): void {
  port = introduction.port
  groups = introduction.groups
  send({ kind: 'introduced' })
}

/** Made once for all orders with the same agents and the same payees. */
function ringFor(order: Order): RequestRing {
  if (groups === null) throw new Error('the generator was not introduced to the network')
  if ('prepared' in order) {
    const prepared = rings.get(order.prepared)
    if (prepared === undefined) throw new Error(`no requests are prepared as ${order.prepared}`)
    return prepared
  }
  const { payee, agents } = order
  const name = `${payee} ${agents}`
  const ring = rings.get(name) ?? requestRing(groups[agents], payee, keys)
  rings.set(name, ring)
  return ring
}

async function carryOut(order: Order): Promise<void> {
  const ring = ringFor(order)
  const report = await driveLoad(port, ring, order, {
    onBegan: () => send({ kind: 'began' }),
    onEnded: () => send({ kind: 'ended' }),
  })
  send({ kind: 'report', report })
}

process.on('message', (message: ToGenerator) => {
  if (message.kind === 'introduction') introduce(message)
  else if (message.kind === 'prepared') {
    rings.set(message.name, preparedRing(message.texts))
    send({ kind: 'prepared' })
  } else void carryOut(message)
})
process.on('disconnect', () => process.exit(0))
