import { EVENTS } from '@batua/contract'
import { expect, test } from 'vitest'
import { printable, summaryOf } from './webhook-summary.ts'

/** The first example that the contract gives of an event's data. */
function exampleOf(name: keyof typeof EVENTS): Readonly<Record<string, unknown>> {
  const { examples } = EVENTS[name] as { readonly examples?: readonly Readonly<Record<string, unknown>>[] }
  return examples?.[0] ?? {}
}

test('the summary of a payment names payer and payee on both sides', () => {
  const [payer, payee] = [exampleOf('agent.payment.sent')['agent_id'], exampleOf('agent.payment.sent')['to']]
  const end = (id: unknown) => `agt_…${String(id).slice(-4)}`
  const way = `400.00 INR from ${end(payer)} to ${end(payee)}`
  expect(summaryOf(exampleOf('agent.payment.sent'))).toBe(`${way}, fee 2.00 INR, invoice-2041`)
  expect(summaryOf(exampleOf('agent.payment.received'))).toBe(`${way}, invoice-2041`)
})

test('the summary of an escrow without a recipient names only its payer', () => {
  const data = { ...exampleOf('agent.escrow.held'), to: null }
  expect(summaryOf(data)).toMatch(/^400\.00 INR from agt_…\w{4}, order-77$/)
})

test('the summary of a change of status names both statuses', () => {
  expect(summaryOf(exampleOf('agent.status.changed'))).toMatch(/^agt_…\w{4}, active → paused$/)
})

test('every event of the contract has a summary', () => {
  for (const name of Object.keys(EVENTS) as (keyof typeof EVENTS)[]) {
    expect(summaryOf(exampleOf(name)), name).not.toBe('')
  }
})

test('data of any shape has a summary', () => {
  const odd = { agent_id: 7, amount: 'many', from: null, to: ['x'], status: {}, reference: '' }
  expect(summaryOf(odd)).toBe('')
  expect(summaryOf({ amount: Infinity, reference: 'x'.repeat(5_000) }).length).toBeLessThanOrEqual(160)
})

test('a summary contains no control characters', () => {
  expect(printable('a\u001b[2Jb\nc\u202ed')).toBe('a·[2Jb·c·d')
})
