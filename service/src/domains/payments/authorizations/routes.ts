import {
  AUTHORIZATION_SECONDS,
  type AuthorizationResult,
  authorize,
  type BodyOf,
  captureAuthorization,
  closeAuthorization,
  getAuthorization,
  listAuthorizations,
  voidAuthorization,
} from '@batua/contract'
import { type AgentCaller, appOfCaller, type Caller } from '../../../http/caller.ts'
import type { Serve } from '../../../http/serve.ts'
import { AppError, raise } from '../../../kernel/app-error.ts'
import { formatId } from '../../../kernel/ids.ts'
import { requirePaise } from '../../../kernel/money.ts'
import type { Ledger } from '../../../ledger/index.ts'
import { actorOf } from '../../../operations/facts.ts'
import type { AgentPolicyCache } from '../../limits/index.ts'
import { type FindAgent, forCaller, mayAccess, requireAccess } from '../../parties/index.ts'
import { isPolicyRefusal, type RiskSignals } from '../../risk/index.ts'
import { selectApprovalsOf } from '../approvals/store.ts'
import { givenContext, selectContexts } from '../context.ts'
import type { Authorization } from './authorization.ts'
import { resultOf } from './authorization-record.ts'
import { authorizeCommand } from './authorize.ts'
import { captureCommand } from './capture.ts'
import { decideWay, type Wanted } from './decide.ts'
import { beginClosingCommand, endCommand, NO_AUTHORIZATION } from './end.ts'
import {
  type AuthorizationReader,
  type FoundAuthorization,
  findAuthorizations,
  requireAuthorization,
  shownAt,
} from './find-authorization.ts'
import { requireVoucherKey, verifyVoucher } from './voucher.ts'

export interface AuthorizationsContext extends AuthorizationReader {
  readonly ledger: Ledger
  readonly agents: AgentPolicyCache
  readonly findAgent: FindAgent
  readonly signals: Pick<RiskSignals, 'policyRefusal'>
}

export function serveAuthorizations(serve: Serve, context: AuthorizationsContext): void {
  const { database, ledger, agents } = context
  const shown = async (authorization: Authorization, now: Date) => {
    const [record] = await shownAt(context, [authorization], now)
    if (record === undefined) throw new Error('assertion failed: each authorization has a record')
    return record
  }

  serve(
    authorize,
    async ({ caller, params, body, idempotencyKey }, response): Promise<AuthorizationResult> => {
      const payer = await requireAccess(database, caller, params.agent_id)
      if (body.voucher_key !== undefined) requireVoucherKey(body.voucher_key)
      const intent = {
        payerId: payer.id,
        payeeId: await context.findAgent(body.to),
        amountPaise: requirePaise(body.amount, 'amount'),
        expiresInSeconds: body.expires_in ?? AUTHORIZATION_SECONDS.default,
        reference: body.reference?.normalize() ?? null,
        idempotencyKey: body.idempotency_key ?? idempotencyKey ?? null,
        voucherKey: body.voucher_key ?? null,
        context: givenContext(body.context),
        app: appOfCaller(caller),
      }
      const command = authorizeCommand(agents, intent, caller.keyHash)
      const made = await ledger.submit(command).catch((error: unknown) => {
        if (isPolicyRefusal(error)) context.signals.policyRefusal(caller.agentId)
        throw error
      })
      if ('waiting' in made) response.code(200)
      return resultOf(context, made)
    },
  )

  serve(captureAuthorization, async ({ caller, params, body }) => {
    const found = await requireForPayee(context, caller, params.authorization_id)
    const { keyHash } = caller
    const { authorization: seen } = found
    const wanted = wantedOf(body, seen)
    return ledger.submit(captureCommand(agents, { seen, wanted, isFinal: body.final === true, keyHash }))
  })

  serve(voidAuthorization, async ({ caller, params, now }) => {
    const { authorization } = await requireForPayee(context, caller, params.authorization_id)
    const { keyHash } = caller
    return shown(await ledger.submit(endCommand(agents, authorization, { keyHash, as: 'voided' })), now)
  })

  serve(closeAuthorization, async ({ caller, params, now }) => {
    const found = await requireAuthorization(context, caller, params.authorization_id)
    return shown(await ledger.submit(closeFor(agents, caller, found)), now)
  })

  serve(getAuthorization, async ({ caller, params, now }) => {
    const { authorization, payer } = await requireAuthorization(context, caller, params.authorization_id)
    const { id } = authorization
    const record = await shown(authorization, now)
    // Why the payer spends, and what its owner decided, is nothing that its payee should know.
    if (!mayAccess(caller, payer)) return record
    const [approvals, contexts] = await Promise.all([
      selectApprovalsOf(database, [id]),
      selectContexts(database, [id]),
    ])
    const approvedBy = approvals.get(id)
    const shownToPayer = { ...record, context: contexts.get(id) ?? null }
    return approvedBy === undefined
      ? shownToPayer
      : { ...shownToPayer, approval_id: formatId('apr', approvedBy) }
  })

  serve(listAuthorizations, ({ caller, params, query, now }) =>
    findAuthorizations(context, caller, { agentRef: params.agent_id, query, now }),
  )
}

/** The authorization for the agent that it is for. Its payer learns that only that agent may do this. */
async function requireForPayee(
  context: AuthorizationReader,
  caller: AgentCaller,
  address: string,
): Promise<FoundAuthorization> {
  const found = await requireAuthorization(context, caller, address)
  if (found.payee.id === caller.agentId) return found
  throw new AppError('authorization_error', 'Only the payee of an authorization can do this; use its key')
}

/** The payee ends it, by its key; the payer, its platform, its owner and its apps begin the closing. */
function closeFor(agents: AgentPolicyCache, caller: Caller, found: FoundAuthorization) {
  const { authorization, payer, payee } = found
  if (caller.kind === 'agent' && caller.agentId === payee.id) {
    if (caller.app !== undefined) {
      throw new AppError(
        'authorization_error',
        'A connected app cannot close what its agent receives; the agent does it with its key',
      )
    }
    return endCommand(agents, authorization, { keyHash: caller.keyHash, as: 'closed' })
  }
  if (!mayAccess(caller, payer)) {
    throw new AppError(
      'authorization_error',
      'Only the payee, the payer, and the payer’s platform and owner can close an authorization',
    )
  }
  const keyHash = caller.kind === 'agent' ? caller.keyHash : null
  const actor = actorOf(caller, payer.ownerId)
  const command = beginClosingCommand(agents, authorization, { actor, keyHash })
  return forCaller(agents, { caller, agentId: payer.id, otherwise: NO_AUTHORIZATION }, command)
}

/** What a capture asks for: exactly one of the three, and a total beside a voucher. */
function wantedOf(
  { amount, total, voucher }: BodyOf<typeof captureAuthorization>,
  seen: Authorization,
): Wanted {
  if (voucher !== undefined) {
    if (amount !== undefined) throw oneOfThree('amount')
    const unfit = decideWay(seen, 'voucher')
    if (unfit !== null) raise(unfit)
    const signed = verifyVoucher(voucher, seen)
    const wanted = total === undefined ? signed : requirePaise(total, 'total')
    if (wanted <= signed) return { kind: 'voucher', paise: wanted }
    throw new AppError('validation_error', 'total is more than the voucher was signed for', {
      field: 'total',
    })
  }
  if (amount !== undefined && total === undefined) {
    return { kind: 'amount', paise: requirePaise(amount, 'amount') }
  }
  if (total !== undefined && amount === undefined) {
    return { kind: 'total', paise: requirePaise(total, 'total') }
  }
  throw oneOfThree(amount === undefined ? 'amount' : 'total')
}

function oneOfThree(field: string): AppError {
  return new AppError(
    'validation_error',
    'Send one of amount, total and voucher; only a total may go with a voucher',
    {
      field,
    },
  )
}
