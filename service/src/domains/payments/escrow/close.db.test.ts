import type { AgentStatus } from '@batua/contract'
import { afterAll, beforeEach, describe, expect } from 'vitest'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { hashSecret } from '../../../kernel/secrets.ts'
import { balanceOf, changeAgent } from '../../../testing/builders.ts'
import {
  attestOn,
  eventsTo,
  held,
  intent,
  refundOn,
  releaseOn,
  waiting,
  writtenEscrow,
} from '../../../testing/escrows.ts'
import { refusalOf } from '../../../testing/expect-refusal.ts'
import {
  clock,
  database,
  newFundedAgent,
  newUnfundedAgent,
  node,
  test,
} from '../../../testing/ledger-test.ts'
import type { Escrow, HoldIntent } from './escrow.ts'

let payer: Uuid
let payee: Uuid
let attestor: Uuid

beforeEach(async () => {
  payer = await newFundedAgent(100_000n)
  payee = await newUnfundedAgent()
  attestor = await newUnfundedAgent()
})

afterAll(async () => {
  const { held: heldPaise, inLedger } = await waiting(database)
  expect(inLedger).toBe(heldPaise)
})

const heldNow = (more: Partial<HoldIntent> = {}) => held(database, node, intent(payer, 1_000n, more))
const become = (id: Uuid, status: AgentStatus) => changeAgent(database, id, { status })

describe('a closed escrow', () => {
  test.each(['released', 'refunded'] as const)(
    'that was %s cannot be released, refunded or attested again',
    async how => {
      const escrow = await heldNow({ attestorId: attestor, toAgentId: payee })
      const closed = await (how === 'released' ? releaseOn(node, escrow, payee) : refundOn(node, escrow))
      expect(closed).toMatchObject({ status: how, resolvedAt: clock.now() })
      expect(await writtenEscrow(database, escrow.id)).toEqual(closed)
      for (const work of [releaseOn(node, escrow, payee), refundOn(node, escrow), attestOn(node, escrow)]) {
        expect(await refusalOf(work)).toMatchObject({
          ...{ code: 'conflict', details: { escrow_id: formatId('esc', escrow.id), status: how } },
        })
      }
      expect(await balanceOf(database, payee)).toBe(how === 'released' ? 1_000n : 0n)
    },
  )

  test('notifies the payer’s platform, and a release the payee’s platform too', async () => {
    const [first, second] = [await heldNow({ reference: 'r' }), await heldNow()]
    await releaseOn(node, first, payee)
    await refundOn(node, second)
    const [from, to] = [formatId('agt', payer), formatId('agt', payee)]
    const released = { escrow_id: formatId('esc', first.id), from, to, amount: 10, reference: 'r' }
    const events = await eventsTo(database, payer)
    expect(events.slice(2)).toEqual([
      { name: 'agent.escrow.released', data: { agent_id: from, ...released } },
      {
        name: 'agent.escrow.refunded',
        data: {
          ...{ agent_id: from, escrow_id: formatId('esc', second.id), from, to: null },
          ...{ amount: 10, reference: null },
        },
      },
    ])
    expect(await eventsTo(database, payee)).toEqual([
      { name: 'agent.escrow.released', data: { agent_id: to, ...released } },
    ])
  })

  test('notifies a platform once that has both sides', async () => {
    const neighbour = await newUnfundedAgent({ platform_id: payer })
    await releaseOn(node, await heldNow(), neighbour)
    expect((await eventsTo(database, payer)).map(({ name }) => name)).toEqual([
      'agent.escrow.held',
      'agent.escrow.released',
    ])
    expect(await eventsTo(database, neighbour)).toEqual([])
  })
})

describe('a release', () => {
  test('goes only to the named recipient', async () => {
    const escrow = await heldNow({ toAgentId: payee, attestorId: attestor })
    expect(await refusalOf(releaseOn(node, escrow, attestor))).toMatchObject({
      ...{ code: 'conflict', field: 'to_agent_id', details: { to_agent_id: formatId('agt', payee) } },
    })
    await releaseOn(node, escrow, payee)
  })

  test('may go to an agent other than the attestor, which is only the default recipient', async () => {
    const escrow = await heldNow({ attestorId: attestor })
    expect(await releaseOn(node, escrow, payee)).toMatchObject({ releasedTo: payee })
    expect(await balanceOf(database, payee)).toBe(1_000n)
  })

  test('never goes to the payer itself or to a missing agent', async () => {
    const escrow = await heldNow()
    expect(await refusalOf(releaseOn(node, escrow, payer))).toMatchObject({ code: 'validation_error' })
    const missing = '01890000-0000-7000-8000-000000000dea'
    expect(await refusalOf(releaseOn(node, escrow, missing))).toMatchObject({
      ...{ code: 'not_found', field: 'to_agent_id' },
    })
  })

  test('checks the payee lists again only where it pays an agent that the hold did not name', async () => {
    const [named, meant] = [await heldNow({ toAgentId: payee }), await heldNow({ attestorId: attestor })]
    await changeAgent(database, payer, { allowed_payees: [] })
    await releaseOn(node, named, payee)
    expect(await refusalOf(releaseOn(node, meant, payee))).toMatchObject({ code: 'authorization_error' })
    await attestOn(node, meant)
  })

  test.each(['paused', 'deactivated'] as const)('is possible while its payer is %s', async status => {
    const escrows = [await heldNow(), await heldNow({ attestorId: attestor })] as const
    await become(payer, status)
    await releaseOn(node, escrows[0], payee)
    await attestOn(node, escrows[1])
    expect(await balanceOf(database, payee)).toBe(1_000n)
  })

  test.each(['frozen', 'quarantined'] as const)(
    'is refused while its payer is %s; a refund is not',
    async status => {
      const escrow = await heldNow({ attestorId: attestor })
      await become(payer, status)
      const stopped = { code: 'policy_denied', message: `Agent is ${status}` }
      expect(await refusalOf(releaseOn(node, escrow, payee))).toMatchObject(stopped)
      expect(await refusalOf(attestOn(node, escrow))).toMatchObject(stopped)
      await refundOn(node, escrow)
      expect(await balanceOf(database, payer)).toBe(100_000n)
    },
  )

  test.each(['frozen', 'paused', 'deactivated'] as const)(
    'never goes to a payee that is %s',
    async status => {
      const escrow = await heldNow({ toAgentId: payee, attestorId: attestor })
      await become(payee, status)
      const unfit = { code: 'validation_error' }
      expect(await refusalOf(releaseOn(node, escrow, payee))).toMatchObject({
        ...unfit,
        field: 'to_agent_id',
      })
      expect(await refusalOf(attestOn(node, escrow))).toMatchObject(unfit)
    },
  )

  test('may go to a payee that is quarantined', async () => {
    const escrow = await heldNow({ toAgentId: payee })
    await become(payee, 'quarantined')
    expect(await releaseOn(node, escrow, payee)).toMatchObject({ status: 'released' })
  })
})

describe('an attestor', () => {
  test.each(['paused', 'quarantined', 'frozen'] as const)('that is %s cannot attest', async status => {
    const escrow = await heldNow({ toAgentId: payee, attestorId: attestor })
    await become(attestor, status)
    expect(await refusalOf(attestOn(node, escrow))).toMatchObject({
      ...{ code: 'policy_denied', message: `Agent is ${status}` },
    })
    expect(await statusOf(escrow)).toBe('held')
    // For a closed escrow, the refusal says that it is closed.
    await refundOn(node, escrow)
    expect(await refusalOf(attestOn(node, escrow))).toMatchObject({ code: 'conflict' })
  })

  test('is checked by its key again at the moment of the release', async () => {
    const escrow = await heldNow({ toAgentId: payee, attestorId: attestor })
    await changeAgent(database, attestor, { key_hash: hashSecret('rotated') })
    expect(await refusalOf(attestOn(node, escrow))).toMatchObject({ code: 'authentication_error' })
    expect(await statusOf(escrow)).toBe('held')
  })
})

async function statusOf(escrow: Escrow): Promise<string> {
  return (await writtenEscrow(database, escrow.id)).status
}
