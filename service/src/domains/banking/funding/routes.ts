import {
  createFunding,
  createUpiCollect,
  type FundingMethod,
  getFunding,
  type ResponseOf,
} from '@batua/contract'
import type { Serve } from '../../../http/serve.ts'
import { AppError, raise } from '../../../kernel/app-error.ts'
import { formatId, parseId } from '../../../kernel/ids.ts'
import { requirePaise } from '../../../kernel/money.ts'
import { type Actor, actorOf } from '../../../operations/facts.ts'
import {
  type Agent,
  decryptPersonal,
  requireAccess,
  requireAgentAccess,
  requireOwnerAccess,
} from '../../parties/index.ts'
import { endFunding } from './check-funding.ts'
import { requireCollectLeft } from './collect-limits.ts'
import type { FundingContext } from './context.ts'
import { decideReceiver } from './decide.ts'
import type { Funding } from './funding.ts'
import { common, fundingRecord, sessionRecord } from './funding-record.ts'
import { gatewayError, openFunding } from './open-funding.ts'
import { selectFunding } from './store.ts'
import { collectUpi, maskUpiId, upiIntentOf } from './upi.ts'

export function serveFunding(serve: Serve, context: FundingContext): void {
  serve(createFunding, async call => {
    const agent = await requireAgentAccess(context.database, call.caller, call.params.agent_id)
    const { amount, method = 'link' } = call.body
    const request = { amount, method, opened: false, actor: actorOf(call.caller, agent.ownerId) }
    return sessionRecord(context, await open(context, agent, request))
  })

  serve(getFunding, async call => {
    const agent = await requireAccess(context.database, call.caller, call.params.agent_id)
    const id = parseId('fund', call.params.funding_id)
    const funding =
      id === null ? null : await selectFunding(context.database, context.vault, { agentId: agent.id, id })
    if (funding === null) throw new AppError('not_found', 'This agent has no funding with this id')
    return fundingRecord(context, funding)
  })

  serve(createUpiCollect, async call => {
    const agent = await requireAgentAccess(context.database, call.caller, call.params.agent_id)
    const { amount, upi_id: upiId } = call.body
    const actor = actorOf(call.caller, agent.ownerId)
    return startUpiFunding(context, agent, { amount, method: 'upi', opened: true, actor }, upiId ?? null)
  })
}

/** A payment session as it is requested. */
interface SessionRequest {
  readonly amount: number
  readonly method: FundingMethod
  readonly opened: boolean
  readonly actor: Actor
}

async function open(
  context: FundingContext,
  agent: Agent,
  { amount, ...request }: SessionRequest,
): Promise<Funding> {
  const amountPaise = requirePaise(amount, 'amount')
  const refusal = decideReceiver(agent.status)
  if (refusal !== null) raise(refusal)
  const customer = await customerOf(context, agent)
  const payer = { agentId: agent.id, handle: agent.handle, customer }
  return openFunding(context, { payer, amountPaise, ...request })
}

/** Gateways require the payer: the agent's owner, by a stable id and a phone number. */
async function customerOf(
  { database, vault }: FundingContext,
  agent: Agent,
): Promise<{ id: string; phone: string }> {
  const platform = { kind: 'platform', platformId: agent.platformId } as const
  const id = formatId('own', agent.ownerId)
  const owner = await requireOwnerAccess(database, platform, id)
  return { id, phone: decryptPersonal(vault, owner.id, 'phone', owner.phone) }
}

async function startUpiFunding(
  context: FundingContext,
  agent: Agent,
  request: SessionRequest,
  upiId: string | null,
): Promise<ResponseOf<typeof createUpiCollect>> {
  if (upiId !== null) await requireCollectLeft(context, agent.ownerId, upiId)
  const funding = await open(context, agent, request)
  const intent = await upiIntentOf(context, funding)
  const collected = upiId === null ? 'unsupported' : await collectUpi(context, funding, upiId)
  // A session that cannot be paid must not stay open: the caller gets an error for it.
  if (collected === 'wrong_upi_id' || typeof collected !== 'string' || intent === null) {
    await endFunding(context, funding, 'cancelled')
    if (intent === null) throw gatewayError()
    if (typeof collected !== 'string') raise(collected)
    throw new AppError('validation_error', 'No UPI app has this UPI id', { field: 'upi_id' })
  }
  return {
    ...common(context, funding),
    collect: collected === 'requested',
    upi_id: upiId === null ? null : maskUpiId(upiId),
    upi_intent: intent,
    qr: intent,
    expires_at: funding.expiresAt.toISOString(),
  }
}
