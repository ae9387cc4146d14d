import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { leafFaults, leavesThatWait } from './src/audit-faults.ts'
import { openTestDatabase } from './src/database.ts'
import { ledgerFaults } from './src/ledger-faults.ts'
import { startLoad } from './src/load.ts'
import type { Agent } from './src/network.ts'
import {
  type ChaosNode,
  type ChaosStage,
  HARM,
  holdFaults,
  openChaosStage,
  payWhilePaused,
  sumFaults,
} from './src/node-chaos.ts'
import { LEASE_S, paymentFaults } from './src/payment-faults.ts'

const SECONDS = Number(process.env['CHAOS_SECONDS'] ?? 25)
const LONGEST_HARM_MS = 6_000
const PATIENCE_MS = 120_000
/** Sums over all transfers end three minutes back; the sandbox's clock, when it is moved, delays them too. */
const FOLDED_AFTER_S = 300
/** So many hours are about a second. */
const SOON = 0.0003

let stage: ChaosStage
let agents: readonly Agent[]
let stopped: Agent

beforeAll(async () => {
  stage = await openChaosStage()
  const made: Agent[] = []
  for (let count = 0; count < 6; count++) made.push(await stage.newFundedAgent(5_000_000))
  agents = made
  stopped = await stage.newFundedAgent(100_000)
}, PATIENCE_MS)
afterAll(() => stage.close())

function oneOf<T>(from: readonly T[]): T {
  const one = from[randomInt(from.length)]
  if (one === undefined) throw new Error('nothing to choose from')
  return one
}

/** Harms one node after another. Returns how often each harm was done. */
async function harmNodes(until: number, harmed: Set<ChaosNode>): Promise<Map<string, number>> {
  const times = new Map<string, number>()
  const kinds = Object.entries(HARM)
  for (let count = 0; Date.now() < until; count++) {
    const node = oneOf(stage.nodes)
    const [name, harm] = kinds[count % kinds.length] ?? oneOf(kinds)
    times.set(name, (times.get(name) ?? 0) + 1)
    harmed.add(node)
    await harm(node, randomInt(500, LONGEST_HARM_MS))
    harmed.delete(node)
    await delay(randomInt(200, 1_000))
  }
  return times
}

/** Holds money that times out in about a second, at any node. */
async function holdShortly(until: number): Promise<number> {
  let held = 0
  while (Date.now() < until) {
    const agent = oneOf(agents)
    const call = { params: { agent_id: agent.id }, headers: agent.headers }
    const body = { amount: 2, timeout_hours: SOON }
    const reply = await oneOf(stage.nodes)
      .api.send(routes.holdEscrowWithTimeout, { ...call, body })
      .catch(() => null)
    if (reply?.status === 201) held += 1
    await delay(100)
  }
  return held
}

/** Stops an agent again and again. Counts the confirmed stops, and the payments that it made after one. */
async function stopAndTry(until: number, harmed: ReadonlySet<ChaosNode>) {
  const call = { params: { agent_id: stopped.id }, headers: stopped.owner.platform.headers }
  const payee = oneOf(agents)
  let stops = 0
  let paid = 0
  while (Date.now() < until) {
    const at = stage.nodes.find(node => !harmed.has(node))
    if (at !== undefined) {
      const made = await payWhilePaused(stage.nodes, { agent: stopped, payee, at }).catch(() => null)
      if (made !== null) stops += 1
      paid += made ?? 0
      await at.api.send(routes.resumeAgent, call).catch(() => null)
    }
    await delay(200)
  }
  return { stops, paid }
}

test(
  'three nodes that are killed, paused and cut off, with clocks a minute apart, lose, double and let through nothing',
  async () => {
    const until = Date.now() + SECONDS * 1_000
    const harmed = new Set<ChaosNode>()
    const loads = stage.nodes.map(({ service }) =>
      startLoad(service.address, { clients: 4, agents, maxPaise: 200, onNoResponse: 'go on' }),
    )
    const [times, held, stopping] = await Promise.all([
      harmNodes(until, harmed),
      holdShortly(until),
      stopAndTry(until, harmed),
    ])
    await Promise.all(loads.map(load => load.stop()))
    const attempts = loads.flatMap(load => load.attempts)
    const paid = attempts.filter(({ outcome }) => outcome.kind === 'paid').length
    console.log(
      `${SECONDS} s: ${paid} payments, ${held} holds, ${stopping.stops} stops,`,
      Object.fromEntries(times),
    )
    expect(stopping.paid).toBe(0)
    expect(stopping.stops).toBeGreaterThan(0)
    expect(paid).toBeGreaterThan(0)
    expect(held).toBeGreaterThan(0)

    const [{ api }] = stage.nodes as [ChaosNode]
    await api.ok(routes.advanceClock, { body: { advance_seconds: LEASE_S } })
    const window = await openTestDatabase(stage.database.url)
    expect(await ledgerFaults(window.query)).toEqual([])
    expect(await paymentFaults(api, window, attempts)).toEqual([])
    await expect
      .poll(() => window.query(`select id from escrows where status = 'held'`), { timeout: PATIENCE_MS })
      .toEqual([])
    expect(await holdFaults(window)).toEqual([])
    await expect.poll(() => leavesThatWait(window), { timeout: PATIENCE_MS }).toBe(0)
    expect(await leafFaults(window)).toEqual([])
    await api.ok(routes.advanceClock, { body: { advance_seconds: FOLDED_AFTER_S } })
    await expect.poll(() => sumFaults(window), { timeout: PATIENCE_MS }).toEqual([])
    await window.close()
  },
  SECONDS * 1_000 + 6 * PATIENCE_MS,
)
