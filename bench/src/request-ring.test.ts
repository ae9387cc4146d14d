import { expect, it } from 'vitest'
import type { Payee } from './loads.ts'
import type { Payer } from './messages.ts'
import { keySource, requestRing } from './request-ring.ts'

const payers = Array.from({ length: 3 }, (_, index) => ({
  id: `agt_${index}`,
  handle: `handle-${index}`,
  key: `key-${index}`,
}))

interface Seen {
  readonly from: string
  readonly to: string
  readonly key: string
  readonly sent: string
}

function draw(payee: Payee, count: number, among: readonly Payer[] = payers): Seen[] {
  const ring = requestRing(among, payee, keySource())
  return Array.from({ length: count }, () => {
    const sent = ring.next().toString()
    const [head = '', body = ''] = sent.split('\r\n\r\n')
    const { to, idempotency_key } = JSON.parse(body) as { to: string; idempotency_key: string }
    expect(head).toContain(`content-length: ${Buffer.byteLength(body)}`)
    return { from: /agents\/(\S+)\/pay/.exec(head)?.[1] ?? '', to, key: idempotency_key, sent }
  })
}

it('no idempotency key is repeated, even after the ring starts again', () => {
  const seen = draw('random', 70_000)
  expect(new Set(seen.map(request => request.key)).size).toBe(seen.length)
})

it('no agent pays itself, and every payer uses its own key', () => {
  for (const { from, to, sent } of draw('random', 5_000)) {
    expect(to.slice(-1)).not.toBe(from.slice(-1))
    expect(sent).toContain(`x-agent-key: key-${from.slice(-1)}\r\n`)
  }
})

it('a hot payee gets all payments and makes none', () => {
  for (const { from, to } of draw('hot', 5_000)) {
    expect(['agt_0', 'handle-0']).toContain(to)
    expect(from).not.toBe('agt_0')
  }
})

it('with two platforms no agent pays one of its own platform', () => {
  const sides = Array.from({ length: 6 }, (_, index) => ({
    id: `agt_${index}`,
    handle: `handle-${index}`,
    key: `key-${index}`,
  }))
  for (const { from, to } of draw('across', 5_000, sides)) {
    expect((Number(from.slice(-1)) + Number(to.slice(-1))) % 2).toBe(1)
  }
})
