import { beforeEach, expect } from 'vitest'
import type { AgentCaller } from '../../../http/caller.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { fund, order } from '../../../testing/builders.ts'
import { changesOfColumns, keepTables } from '../../../testing/column-changes.ts'
import { clock, database, node, test } from '../../../testing/ledger-test.ts'
import { agentCaller, networkContext, newAgent, newOwner, newPlatform } from '../../../testing/network.ts'
import { faultsOf, testContext, wholeRound } from '../../checks/ledger-check/testing/stage.ts'
import { findAlteredAgents } from '../../parties/agents/proven-store.ts'
import { checkReceipt, type ReceiptVerification } from './check-receipt.ts'

const PAYMENTS = 3
let payer: AgentCaller
let payee: AgentCaller
let payments: Uuid[]
let putBack: () => Promise<void>
let check: (id: Uuid) => Promise<ReceiptVerification>

test.beforeAll(async () => {
  const network = networkContext(database, clock)
  const owner = await newOwner(network, (await newPlatform(network)).platform.id)
  payer = agentCaller(await newAgent(network, owner))
  payee = agentCaller(await newAgent(network, owner))
  await fund(node.ledger, payer.agentId, 1_000_000n)
  for (let made = 0; made < PAYMENTS; made++) {
    const words = { reference: `r${made}`, note: `n${made}`, idempotencyKey: `k${made}` }
    await node.pay({
      ...order(payer.agentId, payee.agentId, 100n + BigInt(made), words),
      keyHash: payer.keyHash,
    })
  }
  const paid = await database.query<{ id: Uuid }>(
    `select id from transfers where kind = 'payment' order by id`,
  )
  payments = paid.map(({ id }) => id)
  check = id => checkReceipt(network, payer, formatId('rcp', id))
  putBack = await keepTables(database, ['transfers', 'agents'])
})

beforeEach(async () => {
  await putBack()
  expect(await faultsOfRound()).toEqual([])
  for (const id of payments) expect(await check(id)).toMatchObject({ valid: true, reason: 'ok' })
})

/** The findings of a full ledger check, agents included. */
async function faultsOfRound(): Promise<string[]> {
  clock.advance(1)
  await wholeRound({ ...testContext(database, clock), findAlteredAgents })
  return (await faultsOf(database)).map(({ kind }) => kind)
}

async function tamper(statement: string, values: readonly unknown[] = []): Promise<void> {
  const rows = await database.query(`${statement} returning 1 as changed`, values)
  expect(rows.length).toBeGreaterThan(0)
}

/** These no longer have a valid receipt and the ledger check finds them; the others are unchanged. */
async function expectFound(tampered: readonly Uuid[], because: string): Promise<void> {
  for (const id of payments) {
    expect.soft((await check(id)).valid, `${because}: ${id}`).toBe(!tampered.includes(id))
  }
  expect.soft(await faultsOfRound(), because).not.toEqual([])
  await putBack()
}

test('a change of any column of a payment is detected', async () => {
  const changes = await changesOfColumns(database, 'transfers')
  expect(changes.length).toBeGreaterThan(20)
  for (const { column, set } of changes) {
    // A payment has no linked_id that could be removed.
    if (column === 'linked_id' && set === 'null') continue
    await tamper(`update transfers set ${column} = ${set} where id = $1`, [payments[1]])
    await expectFound(payments.slice(1, 2), `${column} = ${set}`)
  }
})

test('a deleted payment has no receipt and is reported as missing', async () => {
  for (const id of payments) {
    await tamper('delete from transfers where id = $1', [id])
    expect(await check(id)).toEqual({ valid: false, reason: 'not_found', receipt: null })
    await expectFound([id], 'deleted')
  }
})

test('payments whose contents were swapped are detected', async () => {
  const changes = await changesOfColumns(database, 'transfers')
  const columns = [...new Set(changes.map(({ column }) => column))]
    .filter(column => column !== 'id')
    .join(', ')
  for (const [one, other] of [payments.slice(0, 2), payments.slice(1)]) {
    await tamper('delete from transfers where id in ($1, $2)', [one, other])
    await tamper(
      `insert into transfers (id, ${columns})
       select case id when $1::uuid then $2::uuid else $1::uuid end, ${columns} from transfers_kept where id in ($1, $2)`,
      [one, other],
    )
    await expectFound([one ?? '', other ?? ''], 'exchanged')
  }
})

/** The identity of an agent, which never changes. Everything else may change, and no receipt contains it. */
const IDENTITY = ['id', 'platform_id', 'owner_id', 'handle', 'public_key', 'created_at', 'seal']

test.each(['payer', 'payee'] as const)(
  'a change of an agent’s %s is detected if a receipt contains it, and is not in the receipt otherwise',
  async side => {
    const { agentId } = side === 'payer' ? payer : payee
    const before = await check(payments[0] ?? '')
    for (const { column, set } of await changesOfColumns(database, 'agents')) {
      const where = `where id = '${agentId}'`
      const [changed] = await database.query(
        `select ${column} is distinct from (${set}) as changed from agents ${where}`,
      )
      // No code reads or returns an agent's times finer than a millisecond.
      if (changed?.['changed'] !== true || set.includes('microsecond')) continue
      if (IDENTITY.includes(column)) {
        await tamper(`update agents set ${column} = ${set} ${where}`)
        expect
          .soft(await check(payments[0] ?? ''), column)
          .toMatchObject({ reason: 'bad_signature', receipt: null })
        expect.soft(await faultsOfRound(), column).toEqual(['altered_agent'])
      } else if (await isAllowed(`update agents set ${column} = ${set} ${where}`)) {
        expect.soft(await check(payments[0] ?? ''), column).toEqual(before)
      }
      await putBack()
    }
  },
)

/** What a table constraint forbids needs no MAC. */
async function isAllowed(statement: string): Promise<boolean> {
  return database.query(statement, []).then(
    () => true,
    () => false,
  )
}

test('two agents with swapped handles and a deleted agent are detected', async () => {
  const handles = await database.query<{ id: Uuid; handle: string }>('select id, handle from agents')
  await tamper(`update agents set handle = 'between' where id = $1`, [payer.agentId])
  for (const { id, handle } of handles.toReversed()) {
    const other = id === payer.agentId ? payee.agentId : payer.agentId
    await tamper('update agents set handle = $2 where id = $1', [other, handle])
  }
  await expectFound(payments, 'exchanged')
  await tamper('delete from agents where id = $1', [payee.agentId])
  await expectFound(payments, 'gone')
})
