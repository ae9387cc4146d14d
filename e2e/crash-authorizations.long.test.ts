import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type ResponseOf, routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CrashStage, openCrashStage } from './src/crash-stage.ts'
import { ledgerFaults } from './src/ledger-faults.ts'
import type { Agent } from './src/network.ts'

const CRASHES = Number(process.env['LONG_CRASHES'] ?? 8)
const CLIENTS = 12
const LONGEST_LOAD_MS = 1_500

let stage: CrashStage

beforeAll(async () => {
  stage = await openCrashStage()
})
afterAll(async () => {
  expect(await stage.close()).toEqual([])
})

/** What the responses to a client said about one authorization. */
interface Session {
  readonly key: string
  readonly payer: Agent
  readonly payee: Agent
  /** null: the response to the request was lost. */
  id: string | null
  /** The highest total that was acknowledged, and that was sent, in paise. */
  acknowledged: number
  sent: number
  isClosed: boolean
}

type Reply = { readonly status: number; readonly body: unknown } | null

/** One client opens, captures and closes one authorization after the other, until it gets no response. */
async function runClient(name: string, sessions: Session[], stopping: AbortSignal): Promise<void> {
  const { api, agents } = stage
  const responded = (work: Promise<Reply>): Promise<Reply> => work.catch(() => null)
  for (let count = 0; !stopping.aborted; count++) {
    const payer = agents[count % agents.length]
    const payee = agents[(count + 1 + (Number(name) % (agents.length - 1))) % agents.length]
    if (payer === undefined || payee === undefined) return
    const session: Session = {
      ...{ key: `${name}-${count}-${Math.random()}`, payer, payee },
      ...{ id: null, acknowledged: 0, sent: 0, isClosed: false },
    }
    sessions.push(session)
    const made = await responded(
      api.send(routes.authorize, {
        ...{ params: { agent_id: payer.id }, headers: payer.headers },
        body: { to: payee.id, amount: 100, idempotency_key: session.key },
      }),
    )
    if (made?.status !== 201) return
    const { authorization_id } = made.body as ResponseOf<typeof routes.getAuthorization>
    session.id = authorization_id
    const call = { params: { authorization_id }, headers: payee.headers }
    for (let step = 0; step < 4; step++) {
      session.sent += randomInt(100, 2_000)
      const body = { total: session.sent / 100 }
      const captured = await responded(api.send(routes.captureAuthorization, { ...call, body }))
      if (captured?.status !== 200) return
      session.acknowledged = session.sent
    }
    const closed = await responded(api.send(routes.closeAuthorization, call))
    if (closed?.status !== 200) return
    session.isClosed = true
  }
}

/**
 * What is wrong with a session after the crash; a repeat of its last step must leave it as if it had been sent once.
 */
async function faultsOf(session: Session): Promise<string[]> {
  const { api } = stage
  const { key, payer, payee, acknowledged, sent, isClosed } = session
  const authorize = {
    ...{ params: { agent_id: payer.id }, headers: payer.headers },
    body: { to: payee.id, amount: 100, idempotency_key: key },
  }
  const again = await api.send(routes.authorize, authorize)
  const repeated = again.body as {
    authorization_id?: string
    error?: { details?: { authorization_id?: string } }
  }
  const id = repeated.authorization_id ?? repeated.error?.details?.authorization_id ?? null
  if (id === null) return [`${key} has no authorization after a repeat`]
  if (session.id !== null && session.id !== id) return [`${key} was made twice`]
  const call = { params: { authorization_id: id }, headers: payee.headers }
  const before = await api.ok(routes.getAuthorization, call)
  const captured = Math.round(before.captured * 100)
  if (captured < acknowledged || captured > sent)
    return [`${key} has captured ${captured}, acknowledged ${acknowledged} of ${sent}`]
  if (isClosed && before.status !== 'closed') return [`${key} was closed and is ${before.status}`]
  if (before.status !== 'open' || sent === 0) return []
  await api.ok(routes.captureAuthorization, { ...call, body: { total: sent / 100, final: true } })
  const after = await api.ok(routes.getAuthorization, call)
  return Math.round(after.captured * 100) === sent ? [] : [`${key} has ${after.captured} after a repeat`]
}

test.each(Array.from({ length: CRASHES }, (_, index) => index + 1))(
  'after crash %i every acknowledged authorization, capture and close is there once, and none in part',
  async count => {
    const { service } = stage
    const sessions: Session[] = []
    const stopping = new AbortController()
    const clients = Array.from({ length: CLIENTS }, (_, name) =>
      runClient(String(name), sessions, stopping.signal),
    )
    await delay(randomInt(200, LONGEST_LOAD_MS))
    const database = service.postmaster()
    await service.kill()
    if (count % 2 === 0) process.kill(database, 'SIGKILL')
    stopping.abort()
    await Promise.all(clients)
    await service.start()
    const window = await service.window()
    expect(sessions.some(({ acknowledged }) => acknowledged > 0)).toBe(true)
    expect(await ledgerFaults(window.query)).toEqual([])
    const faults: string[] = []
    for (const session of sessions.slice(-60)) faults.push(...(await faultsOf(session)))
    expect(faults).toEqual([])
    expect(await ledgerFaults(window.query)).toEqual([])
    await window.close()
  },
  300_000,
)
