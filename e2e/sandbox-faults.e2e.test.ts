import { routes, SANDBOX_OUTCOMES } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DocRow, docTable } from './src/doc-tables.ts'
import { eventFaults } from './src/event-faults.ts'
import { ledgerFaults } from './src/ledger-faults.ts'
import type { Agent, Owner, Platform } from './src/network.ts'
import {
  type Outcome,
  openSandboxScenarios,
  runRows,
  type SandboxScenarios,
  type Session,
} from './src/sandbox-scenarios.ts'
import { type Stage, sharedStage } from './src/stage.ts'

// Runs every row of docs/sandbox.md over HTTP and compares the result with the page.

/** For all rows of a table at once, on a busy machine. */
const RUN_WITHIN_MS = 90_000

let stage: Stage
let scenarios: SandboxScenarios
let platform: Platform
let owner: Owner

beforeAll(async () => {
  stage = await sharedStage()
  scenarios = openSandboxScenarios(stage.api)
  platform = await stage.network.platform()
  owner = await stage.network.owner(platform)
})
afterAll(async () => {
  expect(await ledgerFaults(stage.database.query)).toEqual([])
  expect(await eventFaults(stage.database)).toEqual([])
  await stage.close()
})

const NONE = '–'

async function balanceOf(agent: Agent): Promise<string> {
  return String((await stage.network.balance(agent)).available)
}

function named(rows: readonly DocRow[], ...columns: readonly string[]): [string, DocRow][] {
  return rows.map(row => [columns.map(column => row[column]).join(', '), row])
}

describe('an outcome of a payment session', () => {
  const rows = docTable('sandbox.md', 'Outcomes of a payment session')
  let ended: Map<DocRow, DocRow>
  beforeAll(async () => {
    ended = await runRows(
      scenarios,
      rows,
      async row => {
        const agent = await stage.network.agent(owner)
        const session = await scenarios.open(agent, 1000)
        if (row['Before'] === 'completed') await scenarios.simulate(session, 'success')
        return { agent, session, status: await scenarios.simulate(session, row['Outcome'] as Outcome) }
      },
      async (row, { agent, session, status }) => {
        const { status: ends } = await scenarios.funding(agent, session)
        return { ...row, Status: status, Ends: ends, Balance: await balanceOf(agent) }
      },
    )
  }, RUN_WITHIN_MS)

  test.each(named(rows, 'Outcome', 'Before'))('the result for %s is the one on the page', (_name, row) => {
    expect(ended.get(row)).toEqual(row)
  })

  test('the page lists every outcome', () => {
    expect(new Set(rows.map(row => row['Outcome']))).toEqual(new Set(SANDBOX_OUTCOMES))
  })
})

describe('a funding of a magic amount', () => {
  const rows = docTable('sandbox.md', 'Amounts that make the gateway’s API fail')
  let ended: Map<DocRow, DocRow>
  beforeAll(async () => {
    ended = await runRows(
      scenarios,
      rows,
      async row => {
        const agent = await stage.network.agent(owner)
        const reply = await stage.api.send(routes.createFunding, {
          params: { agent_id: agent.id },
          headers: agent.headers,
          body: { amount: Number(row['Amount']) },
        })
        const session = reply.status === 201 ? (reply.body as Session) : null
        if (session !== null) {
          const { status } = await scenarios.funding(agent, session)
          if (status === 'pending') await scenarios.simulate(session, 'success')
        }
        return { agent, session, response: String(reply.status) }
      },
      async (row, { agent, session, response }) => {
        const ends = session === null ? NONE : (await scenarios.funding(agent, session)).status
        return { ...row, Response: response, Ends: ends, Balance: await balanceOf(agent) }
      },
    )
  }, RUN_WITHIN_MS)

  test.each(named(rows, 'Amount'))('the result for %s is the one on the page', (_name, row) => {
    expect(ended.get(row)).toEqual(row)
  })
})

describe('a collect request to a magic UPI id', () => {
  const rows = docTable('sandbox.md', 'UPI ids')
  let ended: Map<DocRow, DocRow>
  beforeAll(async () => {
    ended = await runRows(
      scenarios,
      rows,
      async row => {
        const agent = await stage.network.agent(owner)
        const reply = await stage.api.send(routes.createUpiCollect, {
          params: { agent_id: agent.id },
          headers: agent.headers,
          body: { amount: 1000, upi_id: row['UPI id'] },
        })
        const session = reply.status === 201 ? (reply.body as Session & { collect: boolean }) : null
        return { agent, session, response: String(reply.status) }
      },
      async (row, { agent, session, response }) => {
        const ends = session === null ? NONE : (await scenarios.funding(agent, session)).status
        const collect = session === null ? NONE : String(session.collect)
        return { ...row, Response: response, Collect: collect, Ends: ends, Balance: await balanceOf(agent) }
      },
    )
  }, RUN_WITHIN_MS)

  test.each(named(rows, 'UPI id'))('the result for %s is the one on the page', (_name, row) => {
    expect(ended.get(row)).toEqual(row)
  })
})

describe('a code for a magic phone', () => {
  test.each(named(docTable('sandbox.md', 'Phone numbers'), 'Phone'))(
    'the code for %s arrives as the page says',
    async (phone, row) => {
      const { headers } = platform
      const body = { name: 'Asha Rao', phone, pan: `ABCPE${phone.slice(-4)}F` }
      await stage.api.ok(routes.createOwner, { headers, body })
      await stage.api.ok(routes.sendOtp, { body: { phone } })
      const { status } = await stage.api.send(routes.getSandboxOtp, { params: { phone } })
      expect(String(status)).toBe(row['Response'])
    },
  )
})
