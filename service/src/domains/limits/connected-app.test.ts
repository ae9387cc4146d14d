import { expect, test } from 'vitest'
import { istDay } from '../../kernel/clock.ts'
import { newUuid } from '../../kernel/ids.ts'
import { type Paise, ZERO_PAISE } from '../../kernel/money.ts'
import { type ConnectedApp, spentToday, withReturned, withSpent } from './connected-app.ts'

const MIDNIGHT_MS = Date.UTC(2026, 10, 26, 18, 30)
const before = MIDNIGHT_MS - 1
const after = MIDNIGHT_MS + 1
const hundred = 10_000n as Paise

/** An app that a node connected at a moment of its clock. */
function connectedAt(nowMs: number): ConnectedApp {
  return {
    id: newUuid(new Date(nowMs)),
    agentId: newUuid(new Date(nowMs)),
    clientId: 'client',
    name: 'Assistant',
    scopes: 'payments:write',
    perTxPaise: hundred,
    dailyPaise: hundred,
    grantHash: Buffer.alloc(32),
    createdAt: new Date(nowMs),
    expiresAt: new Date(nowMs + 86_400_000),
    spentDay: istDay(new Date(nowMs)),
    spentPaise: ZERO_PAISE,
    uses: 0,
    endedAt: null,
  }
}

test('an app that a node ahead at midnight connected counts its spending on the day of the node that decides', () => {
  const app = withSpent(connectedAt(after), hundred, before)
  expect(app.spentDay).toBe(istDay(new Date(before)))
  expect(spentToday(app, after)).toBe(ZERO_PAISE)
  expect(withReturned(app, hundred, before).spentPaise).toBe(ZERO_PAISE)
})

test('what an app spent on the next day already counts against a node whose clock is behind', () => {
  const app = withSpent(connectedAt(before), hundred, after)
  expect(spentToday(app, before)).toBe(hundred)
  expect(withSpent(app, hundred, before).spentDay).toBe(istDay(new Date(after)))
})
