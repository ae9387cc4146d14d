import type { EffectivePolicy, PaymentResult } from '@batua/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DAY_MS } from '../../../kernel/clock.ts'
import { PROOF_LENGTH, SEED } from '../../../testing/knobs.ts'
import {
  AS_ADMIN,
  asOwners,
  openPolicyStage,
  type PolicyStage,
  type SignedUp,
  type StageAgent,
} from '../../../testing/limits/policy-stage.ts'
import { serveOrganizations } from '../organizations/routes.ts'
import { decidingPart, expectDecidedAsShown, historyOf, withoutUse } from './testing/history.ts'
import { programs, type Step } from './testing/history-program.ts'

const PROGRAMS = 2 * PROOF_LENGTH

/** The second node as far ahead of the first: not at all, seconds, or a day behind a moved sandbox clock. */
describe.each([0, 5_000, -5_000, -DAY_MS])('the history of a policy on two nodes, %i ms apart,', apartMs => {
  let stage: PolicyStage

  beforeAll(async () => {
    stage = await openPolicyStage(new Date('2026-11-20T06:30:00.000Z'), serveOrganizations, apartMs)
  })
  afterAll(() => stage.close())

  test('is a simple list of what was shown after each change, whenever it is asked', async () => {
    console.log(`policy history seed ${SEED}`)
    const run = async (program: readonly Step[]) => {
      const { list, history } = await runSteps(stage, program, apartMs)
      await expectList(list, history)
      await expectMoments(list, history, stage.clock.now().getTime(), apartMs === 0)
    }
    await fc.assert(fc.asyncProperty(programs, run), { numRuns: PROGRAMS, seed: SEED })
  }, 600_000)

  test('has the version of a payment that one node decides right after another node’s change', async () => {
    const owner = await stage.newOwner()
    const payee = await stage.newAgentOf(owner)
    const agent = await stage.newAgentOf(owner)
    const history = historyOf(stage, agent)
    for (const [at, limit] of [50, 40, 30, 20].entries()) {
      const changed = { spend_limit_per_tx: limit }
      await stage.ask('PATCH', `/v1/agents/${agent.id}`, owner.platform, changed, at % 2)
      const { body } = await stage.pay(agent, payee, limit, (at + 1) % 2)
      await expectDecidedAsShown(history, body as unknown as PaymentResult)
      const [newest] = (await history.page('?limit=1')).versions
      expect(newest).toMatchObject({ policy_version: body['policy_version'], changed: [{ to: limit }] })
    }
  })
})

/** What was shown after a step: the policy from a moment on, and everything shown beside it from the step on. */
interface Shown {
  readonly fromMs: number
  readonly seenMs: number
  readonly policy: EffectivePolicy
}

type History = ReturnType<typeof historyOf>

async function runSteps(
  stage: PolicyStage,
  program: readonly Step[],
  apartMs: number,
): Promise<{ readonly list: readonly Shown[]; readonly history: History }> {
  const owner = await stage.newOwner()
  const payee = await stage.newAgentOf(owner)
  const agent = await stage.newAgentOf(owner, { spend_limit_per_tx: 60, allowed_payees: [payee.id] })
  const history = historyOf(stage, agent)
  const organization = await joined(stage, owner, agent)
  const policy = await history.now()
  const list: Shown[] = [{ fromMs: stage.clock.now().getTime(), seenMs: stage.clock.now().getTime(), policy }]
  const paid: PaymentResult[] = []
  for (const step of program) {
    if (step.do === 'wait') await stage.advance(step.ms)
    else if (step.do === 'pay') {
      const { status, body } = await stage.pay(agent, payee, step.amount, step.node)
      if (status === 200 && body['payment_id'] !== null) paid.push(body as unknown as PaymentResult)
    } else {
      const response = await act(stage, { owner, agent, organization }, step)
      expect(response.status).toBeLessThan(500)
    }
    const atMs = stage.clock.now().getTime() + ('node' in step && step.node === 1 ? apartMs : 0)
    const last = list.at(-1)
    const shown = await history.now()
    if (last === undefined) throw new Error('the list begins with the creation')
    const isSame = decidingPart(shown) === decidingPart(last.policy)
    // Not in the past of another node, and not at the time of a payment that the policy before it decided.
    const lastPaidMs = Math.max(0, ...paid.map(({ created_at }) => Date.parse(created_at)))
    const fromMs = isSame ? last.fromMs : Math.max(atMs, last.fromMs, lastPaidMs + 1)
    list.push({ fromMs, seenMs: Math.max(atMs, last.seenMs), policy: shown })
  }
  for (const payment of paid) await expectDecidedAsShown(history, payment)
  return { list, history }
}

async function joined(stage: PolicyStage, { ownerId }: SignedUp, agent: StageAgent): Promise<string> {
  const session = asOwners(ownerId)
  const { body } = await stage.ask('POST', '/v1/orgs', session, { name: 'A team', tier: 'tier1' })
  const organization = `/v1/orgs/${String(body['id'])}/agents`
  const member = { agent_id: agent.id, role: 'worker', budget_limit: 60 }
  expect((await stage.ask('POST', organization, session, member)).status).toBe(201)
  return organization
}

interface Subjects {
  readonly owner: SignedUp
  readonly agent: StageAgent
  readonly organization: string
}

function act(
  stage: PolicyStage,
  { owner: { ownerId, platform }, agent: { id }, organization }: Subjects,
  step: Exclude<Step, { readonly do: 'wait' | 'pay' }>,
) {
  const { node } = step
  const session = asOwners(ownerId)
  switch (step.do) {
    case 'change':
      return step.by === 'owner'
        ? stage.ask('PATCH', '/api/web/policy', session, step.body, node)
        : stage.ask('PATCH', `/v1/agents/${id}`, platform, step.body, node)
    case 'cancel': {
      const { by, control } = step
      return by === 'owner'
        ? stage.ask('DELETE', `/api/web/policy/pending/${control}`, session, undefined, node)
        : stage.ask('DELETE', `/v1/agents/${id}/pending-policy/${control}`, platform, undefined, node)
    }
    case 'change tier':
      return stage.ask('PATCH', '/v1/admin/tiers/sandbox', AS_ADMIN, step.body, node)
    case 'change budget':
      return stage.ask('PATCH', `${organization}/${id}`, session, step.body, node)
    case 'pause':
    case 'resume':
      return stage.ask('POST', `/v1/agents/${id}/${step.do}`, platform, undefined, node)
  }
}

/** The last entry of each moment, without those that change nothing. */
function changesIn<Entry>(
  entries: readonly Entry[],
  { fromMs, name }: { readonly fromMs: (entry: Entry) => number; readonly name: (entry: Entry) => string },
): [number, string][] {
  const last = new Map(entries.map(entry => [fromMs(entry), name(entry)]))
  return [...last].filter(([, each], at) => each !== [...last.values()][at - 1])
}

/** The list of versions agrees with the list of what was shown, and the same policy has the same name. */
async function expectList(list: readonly Shown[], history: History): Promise<void> {
  const versions = (await history.all()).toReversed()
  const recorded = changesIn(versions, {
    fromMs: ({ effective_at }) => Date.parse(effective_at),
    name: ({ policy_version }) => policy_version,
  })
  const shown = changesIn(list, {
    fromMs: ({ fromMs }) => fromMs,
    name: ({ policy }) => policy.policy_version,
  })
  expect(recorded).toEqual(shown)
  const names = new Map(list.map(({ policy }) => [decidingPart(policy), policy.policy_version]))
  expect(new Set(names.values()).size).toBe(names.size)
  for (const { policy } of list) expect(names.get(decidingPart(policy))).toBe(policy.policy_version)
  expectChanges(versions)
}

/** Every change begins with the value that the changes before it led to. */
function expectChanges(versions: Awaited<ReturnType<History['all']>>): void {
  const set = new Map<string, unknown>()
  for (const { changed } of versions) {
    for (const { layer, control, from, to } of changed) {
      expect(from).toEqual(set.get(`${layer} ${control}`) ?? null)
      set.set(`${layer} ${control}`, to)
    }
  }
}

/** At, before and after each change, and between them, the policy is the one that the list has then. */
async function expectMoments(
  list: readonly Shown[],
  history: History,
  nowMs: number,
  /** Status and what waits come from the log, whose entries have the times of their nodes. */
  isOneClock: boolean,
): Promise<void> {
  const createdMs = list[0]?.fromMs ?? 0
  const near = list.flatMap(({ fromMs, seenMs }) => [
    fromMs - 1,
    fromMs,
    fromMs + 1,
    seenMs,
    Math.floor((fromMs + nowMs) / 2),
  ])
  const moments = new Set([...near, nowMs].filter(ms => ms >= createdMs && ms <= nowMs))
  for (const ms of moments) {
    const at = new Date(ms).toISOString()
    const wanted = list.findLast(({ fromMs }) => fromMs <= ms)?.policy
    const beside = list.findLast(({ seenMs }) => seenMs <= ms)?.policy
    if (wanted === undefined || beside === undefined) throw new Error('the list begins with the creation')
    const shown = await history.at(at)
    expect({ at, ...without(shown, BESIDE) }).toEqual({ at, ...without(withoutUse(wanted), BESIDE) })
    if (isOneClock) expect({ at, ...only(shown, BESIDE) }).toEqual({ at, ...only(beside, BESIDE) })
  }
}

/** What is shown beside the policy. */
const BESIDE = ['status', 'pending_policy', 'owner_pending_policy']

function only(policy: EffectivePolicy, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(policy).filter(([name]) => names.includes(name)))
}

function without(policy: EffectivePolicy, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(policy).filter(([name]) => ![...names, 'as_of'].includes(name)))
}
