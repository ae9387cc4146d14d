import type { PaymentResult, PolicyLayer, PolicyVersion } from '@batua/contract'
import { expect } from 'vitest'
import { parseId, type Uuid } from '../../../kernel/ids.ts'
import { paise } from '../../../kernel/money.ts'
import { recordFacts } from '../../../operations/facts.ts'
import { PROOF_LENGTH } from '../../../testing/knobs.ts'
import {
  AS_ADMIN,
  asOwners,
  type Reply,
  type SignedUp,
  type StageAgent,
  stage,
  test,
} from '../../../testing/limits/policy-stage.ts'
import { networkContext, TEST_VAULT } from '../../../testing/network.ts'
import { ownerPolicyFacts } from './facts.ts'
import { announceOwnerPolicies } from './owner-policy.ts'
import { lockOwnerPolicy, updateOwnerPolicy } from './owner-policy-store.ts'
import { expectDecidedAsShown, historyOf } from './testing/history.ts'

const CHANGES = 12 * PROOF_LENGTH
const PAYERS = 6
const HIGHEST = 40

let signedUp: SignedUp
let payee: StageAgent
let agent: StageAgent

/** Only the limit on a payment refuses, however many payments are made. */
const NO_OTHER_LIMIT = { daily: 10_000_000, monthly: 10_000_000 }

test.beforeEach(async () => {
  const raised = await stage.ask('PATCH', '/v1/admin/tiers/sandbox', AS_ADMIN, NO_OTHER_LIMIT)
  expect(raised.status).toBe(200)
  signedUp = await stage.newOwner()
  payee = await stage.newAgentOf(signedUp)
  agent = await stage.newAgentOf(signedUp)
})

const setLimit: Readonly<
  Record<'agent' | 'owner' | 'tier', (limit: number, node: number) => Promise<Reply>>
> = {
  agent: (limit, node) =>
    stage.ask('PATCH', `/v1/agents/${agent.id}`, signedUp.platform, { spend_limit_per_tx: limit }, node),
  owner: (limit, node) =>
    stage.ask('PATCH', '/api/web/policy', asOwners(signedUp.ownerId), { spend_limit_per_tx: limit }, node),
  tier: (limit, node) => stage.ask('PATCH', '/v1/admin/tiers/sandbox', AS_ADMIN, { per_tx: limit }, node),
}

/** A payment as it was decided. */
interface Decided {
  readonly amount: number
  readonly response: Reply
}

/** Pays on one node, one payment after the other, while there are changes. */
async function payOn(node: number, state: { readonly over: boolean }): Promise<Decided[]> {
  const decided: Decided[] = []
  while (!state.over) {
    const amount = Math.ceil(Math.random() * HIGHEST)
    const response = await stage.pay(agent, payee, amount, node)
    // One that waited too long for its turn was not decided.
    if (response.status !== 503) decided.push({ amount, response })
  }
  return decided
}

test.each(['agent', 'owner', 'tier'] as const)(
  'while the limit of the %s changes, each payment and refusal on two nodes names the version that decided it',
  async layer => {
    expect((await setLimit[layer](HIGHEST, 0)).status).toBe(200)
    const state = { over: false }
    const paying = Array.from({ length: PAYERS }, (_, at) => payOn(at % 2, state))
    for (let change = 1; change <= CHANGES; change++) {
      // Only tiers are raised at once. A tier that is as it was has its version again.
      const limit =
        layer === 'tier' && change % 3 === 0 ? HIGHEST : HIGHEST - (HIGHEST / 2 / CHANGES) * change
      if (change % 2 === 0) stage.clock.advance(1)
      expect((await setLimit[layer](Math.floor(limit), change % 2)).status).toBe(200)
    }
    state.over = true
    const decided = (await Promise.all(paying)).flat()

    const history = historyOf(stage, agent)
    const versions = await history.all()
    const limits = limitsOf(versions, layer)
    for (const { amount, response } of decided) expectDecidedBy(versions, limits, { amount, response })
    const paid = decided.filter(({ response }) => response.status === 200)
    expect(paid.length).toBeGreaterThan(0)
    expect(paid.length).toBeLessThan(decided.length)
    const named = new Set(paid.map(({ response }) => response.body['policy_version']))
    expect(named.size).toBeGreaterThan(2)
    for (const version of named) {
      const last = paid.findLast(({ response }) => response.body['policy_version'] === version)
      await expectDecidedAsShown(history, last?.response.body as unknown as PaymentResult)
    }
  },
  120_000,
)

/** The limit on a payment that each version has in a layer. */
function limitsOf(versions: readonly PolicyVersion[], layer: PolicyLayer): Map<string, number> {
  let limit = Infinity
  return new Map(
    versions.toReversed().map(({ policy_version, changed }) => {
      const change = changed.find(each => each.layer === layer && each.control === 'spend_limit_per_tx')
      if (typeof change?.to === 'number') limit = change.to
      return [policy_version, limit]
    }),
  )
}

function expectDecidedBy(
  versions: readonly PolicyVersion[],
  limits: ReadonlyMap<string, number>,
  { amount, response: { status, body } }: Decided,
): void {
  if (status === 200) {
    const { policy_version, created_at } = body as unknown as PaymentResult
    expect(amount).toBeLessThanOrEqual(limits.get(policy_version ?? '') ?? 0)
    const then = versions.find(({ effective_at }) => effective_at <= created_at)
    expect(then?.policy_version).toBe(policy_version)
    return
  }
  const { code, details } = body['error'] as { code: string; details: Record<string, unknown> }
  expect(code).toBe('spend_limit_exceeded')
  expect(limits.get(String(details['policy_version']))).toBe(details['limit'])
  expect(amount).toBeGreaterThan(Number(details['limit']))
}

/** Writes an owner's limit as the route does, and stops before it is announced to her agents. */
async function writeUnannounced(ownerId: Uuid, limit: bigint): Promise<void> {
  const actor = { type: 'owner', id: signedUp.ownerId } as const
  await stage.db.database.inTransaction(async tx => {
    const { isFrozen: _, ...before } = await lockOwnerPolicy(tx, TEST_VAULT, ownerId)
    const after = { ...before, policy: { ...before.policy, spend_limit_per_tx: paise(limit) } }
    const versions = await updateOwnerPolicy(tx, TEST_VAULT, ownerId, after)
    const fact = { actor, action: 'owner.policy_changed' } as const
    const facts = ownerPolicyFacts(fact, ownerId, { before, applied: before, after })
    await recordFacts(tx, TEST_VAULT, stage.clock.now(), facts, versions)
  })
}

test('a node that reads a limit of the owner before it is announced to the agents records it in their histories first', async () => {
  const history = historyOf(stage, agent)
  const paid = (await stage.pay(agent, payee, 20)).body as unknown as PaymentResult
  await writeUnannounced(parseId('own', signedUp.ownerId) ?? '', 1_000n)
  // The first node knows the agent as it was.
  const still = (await stage.pay(agent, payee, 20)).body as unknown as PaymentResult
  expect(still.policy_version).toBe(paid.policy_version)
  const limited = { rule: 'spend_limit_per_tx', layer: 'owner', limit: 10 }
  const refused = await stage.pay(agent, payee, 20, 1)
  const [newest, first, ...others] = await history.all()
  expect(others).toEqual([])
  expect(first?.policy_version).toBe(paid.policy_version)
  expect(newest).toMatchObject({
    changed: [{ layer: 'owner', control: 'spend_limit_per_tx', from: null, to: 10 }],
    actor: { type: 'owner', id: signedUp.ownerId },
  })
  const details = { ...limited, policy_version: newest?.policy_version }
  expect(refused.body['error']).toMatchObject({ details })
  expect((await stage.pay(agent, payee, 20)).body['error']).toMatchObject({ details })
  await expectDecidedAsShown(history, still)

  while ((await announceOwnerPolicies(networkContext(stage.db.database, stage.clock))) > 0);
  expect(await history.all()).toHaveLength(2)
})

test('concurrent first payments after such a change record it once', async () => {
  await writeUnannounced(parseId('own', signedUp.ownerId) ?? '', 1_000n)
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, at) => stage.pay(agent, payee, 1 + at, at % 2)),
  )
  const history = historyOf(stage, agent)
  const versions = await history.all()
  expect(versions).toHaveLength(2)
  const limits = limitsOf(versions, 'owner')
  for (const [at, response] of responses.entries()) {
    expectDecidedBy(versions, limits, { amount: 1 + at, response })
  }
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(10)
})
