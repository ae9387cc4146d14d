import { type BodyOf, routes } from '@batua/contract'
import type { Bodies, Headers } from './api.ts'
import type { Agent, Owner } from './network.ts'
import { openStage, type Stage } from './stage.ts'
import { typeId } from './type-id.ts'

/** An owner with a buyer that has money and asks before it pays more than 100 INR, and two payees. */
export interface ConsoleStage {
  readonly stage: Stage
  readonly owner: Owner
  readonly ownerSession: Headers
  readonly buyer: Agent
  readonly seller: Agent
  /** Requests that wait: 400, 250 and 120.50 INR, the newest first. */
  readonly approvalIds: readonly string[]
  /** Asks for one more. */
  ask(amount: number, note?: string): Promise<string>
}

/** `before`: what the owner's agents did earlier. `bodies` replaces what is sent. */
export async function openConsoleStage(
  before: (stage: Stage, owner: Owner) => Promise<unknown> = async () => undefined,
  bodies?: Bodies,
): Promise<ConsoleStage> {
  const stage = await openStage({}, bodies)
  const { network } = stage
  const owner = await network.owner(await network.platform())
  await before(stage, owner)
  await network.verify(owner)
  const buyer = await network.agent(owner, { name: 'Research Agent', require_human_approval_above: 100 })
  const seller = await network.agent(owner, { name: 'Translator' })
  await network.fund(buyer, 2000)
  const ask = async (amount: number, note?: string, context?: BodyOf<typeof routes.pay>['context']) => {
    const { approval_id } = await network.pay(buyer, seller, amount, {
      reference: 'invoice-2041',
      ...(note === undefined ? {} : { note }),
      ...(context === undefined ? {} : { context }),
    })
    if (approval_id === undefined || approval_id === null)
      throw new Error('the payment did not need approval')
    return approval_id
  }
  const approvalIds = [
    await ask(120.5),
    await ask(250, 'Hotel in Mysuru, one night'),
    await ask(400, 'Translation of 12 pages, Kannada to English', {
      purpose: 'The tender of the Pune office closes on Friday and has to be in English.',
      url: 'https://translator.example/orders/2041',
      items: [
        { name: 'Translated page', quantity: 12, amount: 360 },
        { name: 'Certified copy', amount: 40 },
      ],
      client: 'Research desk',
    }),
  ].toReversed()
  const ownerSession = await network.login(owner)
  return { stage, owner, ownerSession, buyer, seller, approvalIds, ask }
}

/** The status of a request, as the owner sees it. */
export async function statusOf({ stage, ownerSession }: ConsoleStage, approvalId: string): Promise<string> {
  const approval = await stage.api.ok(routes.getApproval, {
    params: { approval_id: approvalId },
    headers: ownerSession,
  })
  return approval.status
}

/** The fundings of an agent as they are stored, in INR, the smallest first. */
export async function fundingsOf(
  { query }: Stage['database'],
  agent: Agent,
): Promise<{ readonly amount: number; readonly status: string }[]> {
  const rows = await query<{ agent: string; amount: number; status: string }>(
    `select agent_id as agent, (amount_paise / 100)::int4 as amount, status from fundings order by amount_paise`,
  )
  return rows
    .filter(row => typeId('agt', row.agent) === agent.id)
    .map(({ amount, status }) => ({ amount, status }))
}
