import {
  EVENT_NAMES,
  EVENTS,
  kindOfEvent,
  NOTIFICATION_KIND_NAMES,
  NOTIFICATION_LANGUAGES,
} from '@batua/contract'
import { expect, test } from 'vitest'
import { formatId, newUuid } from '../../kernel/ids.ts'
import { writeNotification } from './write.ts'

const now = new Date('2026-11-20T06:30:00.000Z')
const [agent, payee] = [newUuid(now), newUuid(now)]
const names = new Map([
  [agent, { name: 'Buyer', handle: 'buyer-1' }],
  [payee, { name: 'Your bank', handle: 'seller-1' }],
])

const requested = {
  agent_id: formatId('agt', agent),
  to: formatId('agt', payee),
  approval_id: 'apr_1',
  kind: 'payment',
  amount: 100_000,
  reference: 'a secret reference',
}
const event = (data: object) => ({ name: 'agent.approval.requested', agentId: agent, data }) as const
const write = (data: object, of = names) =>
  writeNotification({ kind: 'approval_requested', language: 'en', events: [event(data)], names: of })

test('a payee is named by its handle, which nobody can imitate, and a reference is left out', () => {
  expect(write(requested)).toEqual({
    title: 'A request waits for you',
    body: 'Buyer wants to pay ₹1,00,000.00 to @seller-1.',
    path: '/console/inbox/apr_1',
  })
})

test('a hold without a payee names none', () => {
  expect(write({ ...requested, kind: 'escrow_hold', to: null }).body).toBe(
    'Buyer wants to hold ₹1,00,000.00 in escrow.',
  )
})

test('a long name is cut between letters, and an unknown agent is named by its id', () => {
  const long = new Map([[agent, { name: '😀'.repeat(100), handle: 'x' }]])
  expect(write(requested, long).body).toBe(
    `${'😀'.repeat(40)}… wants to pay ₹1,00,000.00 to @${requested.to}.`,
  )
})

test('every event that owners are notified of has a text in every language, and leads to a page of the console', () => {
  for (const name of EVENT_NAMES) {
    const kind = kindOfEvent(name)
    if (kind === null) continue
    const [example] = (EVENTS[name] as { examples?: readonly object[] }).examples ?? []
    for (const language of NOTIFICATION_LANGUAGES) {
      const events = [{ name, agentId: agent, data: example }]
      const { title, body, path } = writeNotification({ kind, language, events, names })
      expect([title, body], `${name} ${language}`).not.toContain('')
      expect(body).not.toMatch(/undefined|NaN|null/)
      expect(path).toMatch(/^\/console\//)
    }
  }
})

test('several events at once are one text with their number, in every language', () => {
  for (const kind of NOTIFICATION_KIND_NAMES) {
    for (const language of NOTIFICATION_LANGUAGES) {
      const events = Array.from({ length: 7 }, () => event(requested))
      const { body, path } = writeNotification({ kind, language, events, names })
      expect(body).toContain('7')
      expect(path).toMatch(/^\/console\//)
    }
  }
})
