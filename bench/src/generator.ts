import { driveLoad } from './drive-load.ts'
import type { FromGenerator, Introduction, Order, ToGenerator } from './messages.ts'
import { keySource, type RequestRing, requestRing } from './request-ring.ts'

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
function ringFor({ payee, agents }: Order): RequestRing {
  if (groups === null) throw new Error('the generator was not introduced to the network')
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
  else void carryOut(message)
})
process.on('disconnect', () => process.exit(0))
