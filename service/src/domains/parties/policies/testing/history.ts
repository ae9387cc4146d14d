import type { EffectivePolicy, Payment, PaymentResult, PolicyVersion } from '@batua/contract'
import type { Headers, PolicyStage, StageAgent } from '../../../../testing/limits/policy-stage.ts'

/** The effective policy without what was used of it, as the history has to show it. */
export function withoutUse(shown: EffectivePolicy): EffectivePolicy {
  return {
    ...shown,
    max_amount_now: null,
    limits: shown.limits.map(limit => ({ ...limit, used: null, remaining: null, resets_at: null })),
  }
}

/** What decides payments, without its name and what is shown beside it. */
export function decidingPart({ tier, limits, thresholds, ...shown }: EffectivePolicy): string {
  const lists = [shown.allowed_payees.toSorted(), shown.blocked_payee_agents.toSorted()]
  const set = limits.map(({ rule, layer, window, limit }) => [rule, layer, window, limit])
  return JSON.stringify([tier, set, thresholds, lists])
}

/** The routes of one agent's policy. */
export function historyOf(stage: PolicyStage, agent: StageAgent, headers: Headers = agent.headers) {
  const get = async (path: string, node = 0): Promise<unknown> => {
    const { status, body } = await stage.ask(
      'GET',
      `/v1/agents/${agent.id}/${path}`,
      headers,
      undefined,
      node,
    )
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
    return body
  }
  return {
    now: async (node = 0) => (await get('policy', node)) as EffectivePolicy,
    at: async (moment: string) => (await get(`policy?at=${moment}`)) as EffectivePolicy,
    page: async (query = '') =>
      (await get(`policy/versions${query}`)) as {
        versions: PolicyVersion[]
        pagination: { total: number; next_cursor?: string }
      },
    async all(): Promise<PolicyVersion[]> {
      const versions: PolicyVersion[] = []
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const { versions: some, pagination } = await this.page(
          `?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`,
        )
        versions.push(...some)
        cursor = pagination.next_cursor
      }
      return versions
    },
    payment: async (id: string) => (await get(`payments/${id}`)) as Payment,
  }
}

/** Fails unless the payment, looked up later, and the policy of its moment name the version that decided it. */
export async function expectDecidedAsShown(
  history: ReturnType<typeof historyOf>,
  { payment_id, policy_version, created_at }: PaymentResult,
): Promise<void> {
  const [payment, then] = [await history.payment(payment_id ?? ''), await history.at(created_at)]
  if (payment.policy_version !== policy_version || then.policy_version !== policy_version) {
    const cause = {
      payment_id,
      created_at,
      policy_version,
      payment: payment.policy_version,
      history: then.policy_version,
    }
    throw new Error('a payment was decided by another version than the history shows', { cause })
  }
}
