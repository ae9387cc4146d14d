import {
  attestEscrow,
  type EscrowHold,
  getEscrow,
  holdEscrow,
  holdEscrowWithAttestation,
  holdEscrowWithTimeout,
  listEscrows,
  type PaymentContext,
  refundEscrow,
  releaseEscrow,
} from '@batua/contract'
import type { Database } from '../../../db/database.ts'
import { type AgentCaller, appOfCaller, type PlatformCaller } from '../../../http/caller.ts'
import type { ResponseHead, Serve } from '../../../http/serve.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { HOUR_MS } from '../../../kernel/clock.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { requirePaise } from '../../../kernel/money.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { Command, Ledger } from '../../../ledger/index.ts'
import { actorOf } from '../../../operations/facts.ts'
import { type AgentPolicyCache, selectDecidingVersions } from '../../limits/index.ts'
import { type FindAgent, forCaller, requireAccess } from '../../parties/index.ts'
import { givenContext } from '../context.ts'
import { keyOf } from '../idempotency.ts'
import { attestCommand, refundCommand, releaseCommand } from './end.ts'
import { type Escrow, meantFor, type Terms } from './escrow.ts'
import { escrowRecord } from './escrow-record.ts'
import { findEscrows, NO_ESCROW, requireEscrow, requireOwnEscrow } from './find-escrow.ts'
import { holdCommand } from './hold.ts'

export interface EscrowContext {
  readonly database: Database
  readonly ledger: Ledger
  readonly agents: AgentPolicyCache
  readonly findAgent: FindAgent
  readonly vault: Vault
}

/** The fields that the three ways of holding share. */
interface HoldCall {
  readonly caller: PlatformCaller | AgentCaller
  readonly params: { readonly agent_id: string }
  readonly body: {
    readonly amount: number
    readonly reference?: string
    readonly to_agent_id?: string
    readonly context?: PaymentContext
  }
  readonly idempotencyKey: string | undefined
}

const UNTIMED: Terms = { timeoutMs: null, autoAction: null }

export function serveEscrow(serve: Serve, context: EscrowContext): void {
  const { database, ledger, agents } = context
  const forPayer = (caller: PlatformCaller, { agentId }: Escrow, command: Command<Escrow>) =>
    forCaller(agents, { caller, agentId, otherwise: NO_ESCROW }, command)
  const shownNow = async (escrow: Escrow) =>
    escrowRecord(escrow, (await selectDecidingVersions(database, [escrow])).get(escrow.id) ?? null)

  serve(holdEscrow, (call, response) => shown(holdFor(context, call, UNTIMED, undefined), response))

  serve(holdEscrowWithTimeout, (call, response) => {
    const { timeout_hours: hours, auto_action: autoAction = 'refund' } = call.body
    const timeoutMs = Math.max(1, Math.round(hours * HOUR_MS))
    return shown(holdFor(context, call, { timeoutMs, autoAction }, undefined), response)
  })

  serve(holdEscrowWithAttestation, (call, response) =>
    shown(holdFor(context, call, UNTIMED, call.body.attestor_agent_id), response),
  )

  serve(releaseEscrow, async ({ caller, params, body }) => {
    const { escrow } = await requireOwnEscrow(context, caller, params.escrow_id)
    const payeeId = await requirePayee(context, escrow, body.to_agent_id)
    const command = releaseCommand(agents, { escrow, payeeId, actor: actorOf(caller) })
    return shownNow(await ledger.submit(forPayer(caller, escrow, command)))
  })

  serve(refundEscrow, async ({ caller, params }) => {
    const { escrow } = await requireOwnEscrow(context, caller, params.escrow_id)
    const command = refundCommand(agents, escrow, actorOf(caller))
    return shownNow(await ledger.submit(forPayer(caller, escrow, command)))
  })

  serve(attestEscrow, async ({ caller, params }) => {
    const { escrow } = await requireEscrow(context, caller, params.escrow_id)
    const { agentId: attestorId, keyHash } = caller
    const payeeId = meantFor(escrow)
    if (escrow.attestorId !== attestorId || payeeId === null) {
      throw new AppError(
        'authorization_error',
        'Only the attestor that the hold names can attest; use the key of that agent',
      )
    }
    return shownNow(await ledger.submit(attestCommand(agents, { escrow, payeeId, attestorId, keyHash })))
  })

  serve(listEscrows, ({ caller, query }) => findEscrows(context, caller, query))

  serve(getEscrow, async ({ caller, params }) =>
    shownNow((await requireEscrow(context, caller, params.escrow_id)).escrow),
  )
}

/** Where the owner has to approve, nothing was created. */
async function shown(work: Promise<EscrowHold>, response: ResponseHead): Promise<EscrowHold> {
  const made = await work
  if (made.status === 'pending_approval') response.code(200)
  return made
}

/** The payee: the agent that the request names, else the one that the hold named. */
async function requirePayee(
  context: EscrowContext,
  escrow: Escrow,
  named: string | undefined,
): Promise<Uuid> {
  if (named !== undefined) return requireNamed(context, named, 'to_agent_id')
  if (escrow.toAgentId !== null) return escrow.toAgentId
  throw new AppError(
    'validation_error',
    'The hold named no recipient: say in to_agent_id who gets the money, an agent id or a handle',
    { field: 'to_agent_id' },
  )
}

async function holdFor(
  context: EscrowContext,
  { caller, params, body, idempotencyKey }: HoldCall,
  terms: Terms,
  attestor: string | undefined,
): Promise<EscrowHold> {
  const payer = await requireAccess(context.database, caller, params.agent_id)
  const { amount, reference, to_agent_id: recipient, context: given } = body
  const intent = {
    payerId: payer.id,
    toAgentId: recipient === undefined ? null : await requireNamed(context, recipient, 'to_agent_id'),
    attestorId: attestor === undefined ? null : await requireNamed(context, attestor, 'attestor_agent_id'),
    amountPaise: requirePaise(amount, 'amount'),
    reference: reference?.normalize() ?? null,
    idempotencyKey: keyOf(caller, idempotencyKey),
    formerKey: idempotencyKey === undefined ? null : `hold\n${idempotencyKey}`,
    context: givenContext(given),
    app: appOfCaller(caller),
    ...terms,
  }
  const { ledger, agents } = context
  const keyHash = caller.kind === 'agent' ? caller.keyHash : null
  const command = holdCommand(agents, intent, { actor: actorOf(caller), keyHash })
  return ledger.submit(forCaller(agents, { caller, agentId: payer.id }, command))
}

/** The agent's id is not checked here: the decision does, under the lock. */
async function requireNamed(
  { findAgent }: Pick<EscrowContext, 'findAgent'>,
  idOrHandle: string,
  field: string,
): Promise<Uuid> {
  const id = await findAgent(idOrHandle)
  if (id !== null) return id
  throw new AppError('not_found', 'There is no agent with this id or handle', { field })
}
