import { randomInt, randomUUID } from 'node:crypto'
import { NEAR, type Payee } from './loads.ts'
import type { Payer } from './messages.ts'

/** Prepared requests, so that sending one costs the generator almost nothing. */
export interface RequestRing {
  /** The next payment, with its own idempotency key. Valid until the ring returns to it. */
  next(): Buffer
}

/** Far more than can be in progress at once, so that no request is changed while it is being sent. */
const RING_SIZE = 32_768
const COUNTER_DIGITS = 12
const ZERO = 0x30
const LEAST_PAISE = 100
const MOST_PAISE = 300

/** Keys look like UUIDs, the most common choice: a random part for the run and a counter. */
export interface KeySource {
  readonly prefix: string
  nextNumber(): number
}

export function keySource(): KeySource {
  let last = 0
  return { prefix: randomUUID().slice(0, -COUNTER_DIGITS), nextNumber: () => ++last }
}

export function requestRing(payers: readonly Payer[], payee: Payee, keys: KeySource): RequestRing {
  const requests = Array.from({ length: RING_SIZE }, (_, index) => {
    const [from, to] = drawPair(payers, payee)
    return writeRequest(from, to, index, keys.prefix)
  })
  const counterAts = requests.map(request => request.indexOf(keys.prefix) + keys.prefix.length)
  let position = randomInt(RING_SIZE)
  return {
    next() {
      position = (position + 1) % RING_SIZE
      const request = requests[position] ?? Buffer.alloc(0)
      writeCounter(request, counterAts[position] ?? 0, keys.nextNumber())
      return request
    },
  }
}

/** Complete requests in turns. */
export function preparedRing(texts: readonly string[]): RequestRing {
  const requests = texts.map(text => Buffer.from(text))
  let position = randomInt(requests.length)
  return {
    next() {
      position = (position + 1) % requests.length
      return requests[position] ?? Buffer.alloc(0)
    },
  }
}

/** Two different agents. The hot payee is the first of all. */
function drawPair(payers: readonly Payer[], payee: Payee): [Payer, Payer] {
  const to = payee === 'hot' ? 0 : randomInt(payers.length)
  const from = (to + placesAhead(payers.length, payee)) % payers.length
  const pair = [payers[from], payers[to]] as const
  if (pair[0] === undefined || pair[1] === undefined) throw new Error('a network has at least two agents')
  return [pair[0], pair[1]]
}

/** How many places before the payer the payee is. */
function placesAhead(size: number, payee: Payee): number {
  // A near payee is at most so many places after its payer.
  if (payee === 'near') return size - 1 - randomInt(NEAR)
  // Where two platforms' agents alternate, an odd number of places leads to the other platform.
  if (payee === 'across') return 1 + 2 * randomInt(size / 2)
  return 1 + randomInt(size - 1)
}

/** A mix like that of clients: one payment in four has a reference, another one in four names its payee by handle. */
function writeRequest(from: Payer, to: Payer, index: number, keyPrefix: string): Buffer {
  const body = JSON.stringify({
    to: index % 4 === 1 ? to.handle : to.id,
    amount: randomInt(LEAST_PAISE, MOST_PAISE + 1) / 100,
    idempotency_key: keyPrefix + '0'.repeat(COUNTER_DIGITS),
    ...(index % 4 === 2 ? { reference: `invoice-${index}` } : {}),
  })
  const head = [
    `POST /v1/agents/${from.id}/pay HTTP/1.1`,
    'host: 127.0.0.1',
    `x-agent-key: ${from.key}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function writeCounter(request: Buffer, at: number, counter: number): void {
  let rest = counter
  for (let index = at + COUNTER_DIGITS - 1; index >= at; index--) {
    request[index] = ZERO + (rest % 10)
    rest = Math.floor(rest / 10)
  }
}
