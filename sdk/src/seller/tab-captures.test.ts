import { expect, test, vi } from 'vitest'
import { createClient } from '../client/client.ts'
import { memoryTabStore } from './memory-tab-store.ts'
import {
  type AuthorizationState,
  type BuyerTabs,
  endedTab,
  finishCall,
  noteResponse,
  takeCall,
  withTab,
} from './tab.ts'
import { capturesOf, type TabCaptures, type TabSettings } from './tab-captures.ts'
import type { TabStore } from './tab-store.ts'

const PAYEE = 'agt_01kb7q3f8meg5tz4x9wc2n6a09'
const START = Date.parse('2026-07-01T10:00:00.000Z')
const MINUTE_MS = 60_000
const buyerOf = (n: number) => `agt_01kb7q3f8meg5tz4x9wc2n6b${String(n).padStart(2, '0')}`
const authorizationOf = (n: number) => `ath_01kb7q3f8meg5tz4x9wc2n6c${String(n).padStart(2, '0')}`

/** Authorizations of 50 INR, all open at first. */
function openService(clock: { readonly ms: number }) {
  const state = { asked: [] as string[], refuse: null as Response | null }
  const captured = new Map<string, number>()
  const statuses = new Map<string, string>()
  const response: typeof fetch = async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input)
    const [, , , id = '', what = 'get'] = pathname.split('/')
    state.asked.push(`${what} ${id}`)
    if (state.refuse !== null) return state.refuse.clone()
    if (what === 'close') statuses.set(id, 'closed')
    if (what === 'capture') {
      const { total } = JSON.parse(typeof init?.body === 'string' ? init.body : '') as {
        readonly total: number
      }
      captured.set(id, Math.max(total, captured.get(id) ?? 0))
    }
    return Response.json(
      {
        ...{ amount: '50.00', captured: (captured.get(id) ?? 0).toFixed(2), voucher_key: null },
        ...{ status: statuses.get(id) ?? 'open', expires_at: new Date(START + 60 * MINUTE_MS).toISOString() },
      },
      { headers: { date: new Date(clock.ms).toUTCString() } },
    )
  }
  const agentKey = `agk_live_${'k'.repeat(43)}`
  const client = createClient({ baseUrl: 'http://service.test', agentKey, fetch: response, maxRetries: 0 })
  return { state, captured, statuses, client }
}

/** The same store for another process. */
function sharedWith(store: TabStore): TabStore {
  return {
    read: store.read,
    write: store.write,
    buyers: store.buyers,
  }
}

function openShop() {
  const clock = { ms: START }
  const errors: unknown[] = []
  const service = openService(clock)
  const settings = (captureEveryMs: number): TabSettings => ({
    ...{ client: service.client, captureEveryMs, captureAbovePaise: 100_000n, now: () => clock.ms },
    onError: error => errors.push(error),
  })
  return { clock, errors, service, settings }
}

let nonces = 0

/** Lets in a call of 0.50 INR of a buyer's authorization; its nonce. Throws an Error if it is refused. */
async function take({ records }: TabCaptures, n: number, now = START): Promise<string> {
  const authorizationId = authorizationOf(n)
  const state: AuthorizationState = {
    ...{ authorizationId, amountPaise: 5_000n, capturedPaise: 0n },
    ...{ expiresAt: START + 60 * MINUTE_MS, isOpen: true },
  }
  const nonce = `nonce ${++nonces}`
  const call = {
    ...{ authorizationId, voucher: 'voucher', voucherPaise: 5_000n, pricePaise: 50n, nonce, now },
    ...{ askedAt: now, nextNonce: `next ${nonces}`, maxOutstandingPaise: 5_000n },
  }
  const refusal = await records.update(buyerOf(n), before => {
    const known = withTab(before, state, now)
    const tabs = known === null ? 'outstanding' : takeCall(known, call)
    return typeof tabs === 'string' ? { tabs: before, result: tabs } : { tabs, result: null }
  })
  if (refusal !== null) throw new Error(refusal)
  return nonce
}

/** Serves such a call. */
async function serve(captures: TabCaptures, n: number, now = START): Promise<void> {
  const nonce = await take(captures, n, now)
  const call = { authorizationId: authorizationOf(n), nonce }
  await captures.records.update(buyerOf(n), tabs => ({ tabs: finishCall(tabs, call, true), result: null }))
}

test('at the end of an authorization, what another process served for is captured', async () => {
  const { clock, errors, service, settings } = openShop()
  const store = memoryTabStore()
  const [one, other] = await Promise.all([
    capturesOf(sharedWith(store), PAYEE, settings(20)),
    capturesOf(sharedWith(store), PAYEE, settings(MINUTE_MS)),
  ])
  await serve(one, 1)
  await serve(one, 1)
  clock.ms += 1_000
  await vi.waitFor(() => expect(service.captured.get(authorizationOf(1))).toBe(1))
  for (let call = 0; call < 9; call++) await serve(other, 1, clock.ms)
  clock.ms = START + 60 * MINUTE_MS
  await vi.waitFor(() => expect(service.statuses.get(authorizationOf(1))).toBe('closed'))
  expect(service.captured.get(authorizationOf(1))).toBe(5.5)
  clock.ms += 11 * MINUTE_MS
  await vi.waitFor(async () => expect(await store.read(PAYEE, buyerOf(1))).toBeNull())
  expect(errors).toEqual([])
})

test('once a process is ending an authorization, no process lets in a call', async () => {
  const { clock, service, settings } = openShop()
  const store = memoryTabStore()
  const [one, other] = await Promise.all([
    capturesOf(sharedWith(store), PAYEE, settings(20)),
    capturesOf(sharedWith(store), PAYEE, settings(MINUTE_MS)),
  ])
  await serve(one, 2)
  await serve(other, 2)
  service.state.refuse = new Response(null, { status: 503 })
  clock.ms = START + 60 * MINUTE_MS
  await vi.waitFor(() => expect(service.state.asked).toContain(`capture ${authorizationOf(2)}`))
  await expect(serve(other, 2, clock.ms)).rejects.toThrow('authorization_not_open')
  service.state.refuse = null
  await vi.waitFor(() => expect(service.statuses.get(authorizationOf(2))).toBe('closed'))
  expect(service.captured.get(authorizationOf(2))).toBe(1)
})

test('after a 429 the captures wait as long as it asks, and then continue, the largest debt first', async () => {
  const { clock, service, settings } = openShop()
  const captures = await capturesOf(sharedWith(memoryTabStore()), PAYEE, settings(20))
  for (let n = 1; n <= 4; n++) {
    for (let call = 0; call < n + 1; call++) await serve(captures, n)
  }
  const limit = new Response(
    JSON.stringify({ error: { code: 'rate_limit_exceeded', message: 'no', request_id: 'r' } }),
    { status: 429, headers: { 'retry-after': '1', 'content-type': 'application/json' } },
  )
  service.state.refuse = limit
  clock.ms += 1_000
  await vi.waitFor(() => expect(service.state.asked).toHaveLength(1))
  expect(captures.isBehind()).toBe(true)
  service.state.refuse = null
  await vi.waitFor(() => expect(service.captured.size).toBe(4), 4_000)
  const order = [4, 4, 3, 2, 1].map(n => `capture ${authorizationOf(n)}`)
  expect(service.state.asked).toEqual(order)
  expect(captures.isBehind()).toBe(false)
})

test('a call that ends while the store fails is captured later, and calls in progress continue', async () => {
  const { clock, service, settings } = openShop()
  const memory = memoryTabStore()
  let isFull = false
  const store: TabStore = {
    ...{ ...memory, isExclusive: true },
    write: async (...written) => {
      if (isFull) throw new Error('the disk is full')
      return memory.write(...written)
    },
  }
  const captures = await capturesOf(store, PAYEE, settings(MINUTE_MS))
  const { records } = captures
  const authorizationId = authorizationOf(1)
  await serve(captures, 1)
  const [first, second] = await Promise.all([take(captures, 1), take(captures, 1)])
  isFull = true
  records.note(buyerOf(1), tabs => finishCall(tabs, { authorizationId, nonce: first }, true))
  await expect(take(captures, 1)).rejects.toThrow('the disk is full')
  isFull = false
  records.note(buyerOf(1), tabs => finishCall(tabs, { authorizationId, nonce: second }, true))
  clock.ms += MINUTE_MS
  expect(await captures.room(buyerOf(1), new AbortController().signal)).toBe(true)
  expect(service.captured.get(authorizationId)).toBe(1.5)
})

test('an authorization is forgotten ten minutes after all was captured, and none is lost', async () => {
  const { clock, errors, service, settings } = openShop()
  const store = memoryTabStore()
  const captures = await capturesOf(sharedWith(store), PAYEE, settings(20))
  for (const n of [1, 1, 2]) await serve(captures, n)
  clock.ms += 1_000
  await vi.waitFor(() => expect(service.captured.get(authorizationOf(1))).toBe(1))
  clock.ms += 11 * MINUTE_MS
  await vi.waitFor(async () => expect(await store.read(PAYEE, buyerOf(1))).toBeNull())
  expect(await store.read(PAYEE, buyerOf(2))).not.toBeNull()
  expect(errors).toEqual([])
})

test('a buyer has at most 20 authorizations, of which a settled one is replaced by the next', () => {
  const stateOf = (n: number): AuthorizationState => ({
    ...{ authorizationId: authorizationOf(n), amountPaise: 5_000n, capturedPaise: 0n },
    ...{ expiresAt: START + 60 * MINUTE_MS, isOpen: true },
  })
  const owing = Array.from({ length: 20 }, (_, n) => n).reduce<BuyerTabs>(
    (tabs, n) => (withTab(tabs, stateOf(n), START) ?? []).map(tab => ({ ...tab, servedPaise: 50n })),
    [],
  )
  expect(owing).toHaveLength(20)
  expect(withTab(owing, stateOf(20), START)).toBeNull()
  expect(withTab(owing, stateOf(19), START)).toBe(owing)
  const settled = owing.map((tab, n) => (n === 7 ? { ...tab, servedPaise: 0n } : tab))
  const ids = withTab(settled, stateOf(20), START)?.map(tab => tab.authorizationId) ?? []
  expect([ids.length, ids.includes(authorizationOf(7)), ids.at(-1)]).toEqual([20, false, authorizationOf(20)])
})

test('an authorization that another process ended is not revived by what a process learnt before', async () => {
  const { clock, errors, service, settings } = openShop()
  const store = memoryTabStore()
  const [one, other] = await Promise.all([
    capturesOf(sharedWith(store), PAYEE, settings(20)),
    capturesOf(sharedWith(store), PAYEE, settings(MINUTE_MS)),
  ])
  await serve(one, 3)
  expect(await other.ask(buyerOf(3), authorizationOf(3), {})).toMatchObject({ isOpen: true })
  clock.ms = START + 60 * MINUTE_MS
  await vi.waitFor(() => expect(service.statuses.get(authorizationOf(3))).toBe('closed'))
  await vi.waitFor(() => expect(one.records.latest(buyerOf(3))).toMatchObject([{ hasEnded: true }]))
  const asked = service.state.asked.length
  await expect(take(other, 3)).rejects.toThrow('authorization_not_open')
  other.afterCall(buyerOf(3))
  one.afterCall(buyerOf(3))
  clock.ms += MINUTE_MS
  await expect(take(one, 3)).rejects.toThrow('authorization_not_open')
  expect([service.state.asked.length, errors]).toEqual([asked, []])
})

test('16 calls of a buyer that owes too much wait until one of its calls has ended', async () => {
  const { service, settings } = openShop()
  const captures = await capturesOf(sharedWith(memoryTabStore()), PAYEE, settings(MINUTE_MS))
  await serve(captures, 4)
  await take(captures, 4)
  const { signal } = new AbortController()
  let woken = 0
  const waiting = Array.from({ length: 16 }, () => captures.room(buyerOf(4), signal).then(() => woken++))
  expect(await captures.room(buyerOf(4), signal)).toBe(false)
  expect(woken).toBe(0)
  captures.afterCall(buyerOf(4))
  await Promise.all(waiting)
  expect(service.state.asked).toEqual([])
  await serve(captures, 4)
  expect(await captures.room(buyerOf(4), signal)).toBe(true)
  expect(service.captured.get(authorizationOf(4))).toBe(1)
})

test('a call of this process is not given up however long it lasts', async () => {
  const { clock, service, settings } = openShop()
  const store = memoryTabStore()
  const captures = await capturesOf(sharedWith(store), PAYEE, settings(20))
  for (const isLong of [true, false]) {
    const nonce = await take(captures, 5)
    if (isLong) captures.inProgress.add(nonce)
  }
  clock.ms += 11 * MINUTE_MS
  await vi.waitFor(() => expect(captures.records.latest(buyerOf(5))[0]?.open).toHaveLength(1))
  await vi.waitFor(() => expect(service.state.asked.length).toBeGreaterThan(0))
  const [open] = captures.records.latest(buyerOf(5))[0]?.open ?? []
  expect(captures.inProgress.has(open?.nonce ?? '')).toBe(true)
})

test('a call of a killed process counts after three minutes if it was answered, while it can be captured', async () => {
  const { clock, service, settings } = openShop()
  const store = memoryTabStore()
  const killed = await capturesOf(sharedWith(store), PAYEE, settings(60 * MINUTE_MS))
  for (const hasResponse of [true, true, false]) {
    const call = { authorizationId: authorizationOf(6), nonce: await take(killed, 6) }
    const tabsOf = (tabs: BuyerTabs) => (hasResponse ? noteResponse(tabs, call, true) : tabs)
    await killed.records.update(buyerOf(6), tabs => ({ tabs: tabsOf(tabs), result: null }))
  }
  clock.ms += 2 * MINUTE_MS
  const captures = await capturesOf(sharedWith(store), PAYEE, settings(20))
  const openCalls = () => captures.records.latest(buyerOf(6))[0]?.open.length
  await vi.waitFor(() => expect(openCalls()).toBe(3))
  clock.ms += MINUTE_MS + 1
  await vi.waitFor(() => expect(openCalls()).toBe(1))
  await vi.waitFor(() => expect(service.captured.get(authorizationOf(6))).toBe(1))
  clock.ms += 7 * MINUTE_MS
  await vi.waitFor(() => expect(openCalls()).toBe(0))
})

test('an authorization that has just ended is not replaced by another', () => {
  const stateOf = (n: number): AuthorizationState => ({
    ...{ authorizationId: authorizationOf(n), amountPaise: 5_000n, capturedPaise: 0n },
    ...{ expiresAt: START + 60 * MINUTE_MS, isOpen: true },
  })
  const full = Array.from({ length: 20 }, (_, n) => n).reduce<BuyerTabs>(
    (tabs, n) => (withTab(tabs, stateOf(n), START) ?? []).map(tab => ({ ...tab, servedPaise: 50n })),
    [],
  )
  const endedAt = START + 5_000
  const tabs = endedTab(full, authorizationOf(0), endedAt)
  // Otherwise a process that learnt before that it is open would take it again.
  expect(withTab(tabs, stateOf(20), endedAt + MINUTE_MS - 1)).toBeNull()
  expect(withTab(tabs, stateOf(20), endedAt + MINUTE_MS)?.at(-1)?.authorizationId).toBe(authorizationOf(20))
})
