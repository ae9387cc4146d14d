import { randomInt } from 'node:crypto'
import { type ResponseOf, routes } from '@batua/contract'
import type { Api } from './api.ts'
import type { Agent } from './network.ts'

/** A funding in progress, with the last step that was acknowledged. */
export interface FundingAttempt {
  readonly agent: Agent
  readonly session: ResponseOf<typeof routes.createFunding>
  acknowledged: boolean
}

/** Funds wallets one after the other until the service is gone. */
export async function fundUntilUnavailable(
  api: Api,
  agents: readonly Agent[],
  fundings: FundingAttempt[],
): Promise<void> {
  for (;;) {
    const agent = agents[randomInt(agents.length)]
    if (agent === undefined) return
    try {
      const session = await api.ok(routes.createFunding, {
        params: { agent_id: agent.id },
        headers: agent.headers,
        body: { amount: 10 },
      })
      const funding: FundingAttempt = { agent, session, acknowledged: false }
      fundings.push(funding)
      const params = { payment_session_id: session.payment_session_id }
      const { status } = await api.ok(routes.completeSandboxPayment, { params, body: { outcome: 'success' } })
      funding.acknowledged = status === 'completed'
    } catch {
      return
    }
  }
}

/** The faults of fundings after a crash: acknowledged payments that are not completed. */
export async function lostFundings(api: Api, fundings: readonly FundingAttempt[]): Promise<string[]> {
  const faults: string[] = []
  for (const { agent, session, acknowledged } of fundings) {
    const call = { params: { agent_id: agent.id, funding_id: session.funding_id }, headers: agent.headers }
    const { status } = await api.ok(routes.getFunding, call)
    if (acknowledged && status !== 'completed')
      faults.push(`${session.funding_id} was acknowledged and is ${status}`)
  }
  return faults
}
