import { randomInt } from 'node:crypto'
import { type ResponseOf, routes } from '@batua/contract'
import type { Api } from './api.ts'
import type { Agent } from './network.ts'

/** A funding under way: how far its human got, as far as anybody heard. */
export interface Story {
  readonly agent: Agent
  readonly session: ResponseOf<typeof routes.createFunding>
  acknowledged: boolean
}

/** Humans who fund wallets one after the other until the service is gone. */
export async function fundUntilSilence(api: Api, agents: readonly Agent[], stories: Story[]): Promise<void> {
  for (;;) {
    const agent = agents[randomInt(agents.length)]
    if (agent === undefined) return
    try {
      const session = await api.ok(routes.createFunding, {
        params: { agent_id: agent.id },
        headers: agent.headers,
        body: { amount: 10 },
      })
      const story: Story = { agent, session, acknowledged: false }
      stories.push(story)
      const params = { payment_session_id: session.payment_session_id }
      const { status } = await api.ok(routes.completeSandboxPayment, { params, body: { outcome: 'success' } })
      story.acknowledged = status === 'completed'
    } catch {
      return
    }
  }
}

/** What is wrong with the fundings after a crash: what was acknowledged is not completed. */
export async function lostFundings(api: Api, stories: readonly Story[]): Promise<string[]> {
  const faults: string[] = []
  for (const { agent, session, acknowledged } of stories) {
    const call = { params: { agent_id: agent.id, funding_id: session.funding_id }, headers: agent.headers }
    const { status } = await api.ok(routes.getFunding, call)
    if (acknowledged && status !== 'completed')
      faults.push(`${session.funding_id} was acknowledged and is ${status}`)
  }
  return faults
}
