import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Api } from './src/api.ts'
import { type CrashStage, openCrashStage } from './src/crash-stage.ts'
import type { EmbeddedService } from './src/embedded.ts'
import { type FundingAttempt, fundUntilUnavailable } from './src/funding-attempts.ts'
import { ledgerFaults } from './src/ledger-faults.ts'
import { startLoad } from './src/load.ts'
import type { Agent } from './src/network.ts'
import { LEASE_S, paymentFaults } from './src/payment-faults.ts'

const CRASHES = Number(process.env['LONG_CRASHES'] ?? 25)
const CLIENTS = 24
const LONGEST_LOAD_MS = 1_200

let stage: CrashStage
let service: EmbeddedService
let api: Api
let agents: readonly Agent[]

beforeAll(async () => {
  stage = await openCrashStage()
  ;({ service, api, agents } = stage)
})
afterAll(async () => {
  expect(await stage.close()).toEqual([])
})

/** The faults of fundings after a crash: each must be completed once, after a second attempt if necessary. */
async function fundingFaults(fundings: readonly FundingAttempt[]): Promise<string[]> {
  const faults: string[] = []
  for (const { agent, session, acknowledged } of fundings) {
    const call = { params: { agent_id: agent.id, funding_id: session.funding_id }, headers: agent.headers }
    const { status } = await api.ok(routes.getFunding, call)
    if (acknowledged && status !== 'completed')
      faults.push(`${session.funding_id} was acknowledged and is ${status}`)
    if (status === 'completed') continue
    const params = { payment_session_id: session.payment_session_id }
    await api.send(routes.completeSandboxPayment, { params, body: { outcome: 'success' } })
    const after = await api.ok(routes.getFunding, call)
    if (after.status !== 'completed')
      faults.push(`${session.funding_id} is ${after.status} after another try`)
  }
  return faults
}

// A power failure ends both at once.
const VICTIMS = ['the service', 'the service and its database'] as const

test.each(Array.from({ length: CRASHES }, (_, index) => [index + 1, VICTIMS[index % 2]] as const))(
  'after crash %i, of %s, every acknowledged payment is in the ledger once, and none in part',
  async (_count, victim) => {
    const load = startLoad(service.address, { clients: CLIENTS, agents, maxPaise: 200, onNoResponse: 'end' })
    const fundings: FundingAttempt[] = []
    const humans = [fundUntilUnavailable(api, agents, fundings), fundUntilUnavailable(api, agents, fundings)]
    const isPaid = () => load.attempts.some(({ outcome }) => outcome.kind === 'paid')
    await vi.waitUntil(isPaid, { timeout: 30_000 })
    await delay(randomInt(50, LONGEST_LOAD_MS))
    const database = service.postmaster()
    await service.kill()
    if (victim !== 'the service') process.kill(database, 'SIGKILL')
    await Promise.all([load.stop(), ...humans])
    await service.start()
    await api.ok(routes.advanceClock, { body: { advance_seconds: LEASE_S } })

    const window = await service.window()
    expect(await ledgerFaults(window.query)).toEqual([])
    expect(await paymentFaults(api, window, load.attempts)).toEqual([])
    expect(await fundingFaults(fundings)).toEqual([])
    expect(await ledgerFaults(window.query)).toEqual([])
    await window.close()
  },
)
