import type { AppScope, allowConnectRequest, BodyOf } from '@batua/contract'
import type { Provider } from 'oidc-provider'
import type { OwnerCaller } from '../../http/caller.ts'
import { AppError, raise, refuse } from '../../kernel/app-error.ts'
import { DAY_MS } from '../../kernel/clock.ts'
import { type Paise, requirePaise } from '../../kernel/money.ts'
import { actorOf } from '../../operations/facts.ts'
import { forCaller, readSession, requireAgentAccess, sessionPhoneOf } from '../parties/index.ts'
import { connectCommand } from './change-app.ts'
import type { AppsContext } from './context.ts'
import { answerRequest, type ConnectRequest, noRequest, requireRequest } from './oauth/connect-request.ts'
import { ACCOUNT, resourceOf } from './oauth/endpoints.ts'
import { consumeRecord, findRecord, grantHashOf, releaseRecord, saveRecord } from './oauth/records.ts'

/** Runs work that answers a request. Of several answers, from whichever node, one counts. */
async function answering<T>(context: AppsContext, requestId: string, work: () => Promise<T>): Promise<T> {
  const isFirst = await consumeRecord(context, 'Interaction', requestId, context.clock.now())
  if (!isFirst) throw noRequest()
  try {
    return await work()
  } catch (error) {
    await releaseRecord(context, 'Interaction', requestId)
    throw error
  }
}

/** Refuses the client. */
export function denyRequest(context: AppsContext, provider: Provider, requestId: string): Promise<string> {
  return answering(context, requestId, async () => {
    await requireRequest(provider, requestId)
    return answerRequest(provider, requestId, {
      error: 'access_denied',
      error_description: 'The owner did not allow it',
    })
  })
}

type Allowed = BodyOf<typeof allowConnectRequest>

/** Connects the client to an agent, and lets it have its code. */
export async function allowRequest(
  context: AppsContext,
  provider: Provider,
  caller: OwnerCaller,
  requestId: string,
  allowed: Allowed,
): Promise<string> {
  const { database, vault, ledger, agents } = context
  const agent = await requireAgentAccess(database, caller, allowed.agent_id)
  if (agent.isOwnerFrozen) raise(FROZEN)
  const { phone } = await readSession(database, caller)
  return answering(context, requestId, async () => {
    const request = await requireRequest(provider, requestId)
    const scopes = grantedScopes(request, allowed)
    const lifetimeMs = allowed.expires_in_days * DAY_MS
    const grantId = await saveGrant(context, provider, request, scopes, lifetimeMs)
    const terms = {
      ...{ agentId: agent.id, clientId: request.clientId, name: request.name, scopes, lifetimeMs },
      ...capOf(allowed),
      grantHash: grantHashOf(vault, grantId),
    }
    const command = connectCommand(agents, terms, {
      actor: actorOf(caller, agent.ownerId),
      phone: vault.decrypt(phone, sessionPhoneOf(caller.sessionId)),
      handle: agent.handle,
    })
    await ledger.submit(forCaller(agents, { caller, agentId: agent.id }, command))
    await keepClient(context, request.clientId, lifetimeMs)
    return answerRequest(provider, requestId, {
      login: { accountId: ACCOUNT, remember: false },
      consent: { grantId },
    })
  })
}

const FROZEN = refuse(
  'conflict',
  'This owner is frozen, so no app can be connected until an administrator unfreezes the owner',
)

/** What the owner allows of what the client asks for. */
function grantedScopes(request: ConnectRequest, { scopes }: Allowed): AppScope[] {
  const more = scopes.find(scope => !request.scopes.includes(scope))
  if (more !== undefined)
    throw new AppError('validation_error', `The app does not ask for ${more}`, { field: 'scopes' })
  return request.scopes.filter(scope => scopes.includes(scope))
}

function capOf({ daily, per_tx }: Allowed): { readonly dailyPaise: Paise; readonly perTxPaise: Paise } {
  const dailyPaise = requirePaise(daily, 'daily')
  const perTxPaise = per_tx === undefined ? dailyPaise : requirePaise(per_tx, 'per_tx')
  if (perTxPaise <= dailyPaise) return { dailyPaise, perTxPaise }
  throw new AppError('validation_error', 'One payment may be no more than all payments of a day', {
    field: 'per_tx',
  })
}

async function saveGrant(
  context: AppsContext,
  provider: Provider,
  { clientId }: ConnectRequest,
  scopes: readonly AppScope[],
  lifetimeMs: number,
): Promise<string> {
  const exp = Math.floor((Date.now() + lifetimeMs) / 1000)
  const grant = new provider.Grant({ accountId: ACCOUNT, clientId })
  grant.exp = exp
  grant.addResourceScope(resourceOf(context.baseUrl), scopes.join(' '))
  return grant.save()
}

/** A client that registered itself is kept as long as its app, because it needs its id to renew its token. */
async function keepClient(context: AppsContext, clientId: string, lifetimeMs: number): Promise<void> {
  const now = context.clock.now()
  const expiresAt = new Date(now.getTime() + lifetimeMs + DAY_MS)
  const record = await findRecord(context, 'Client', clientId, now)
  if (record === null || record.expiresAt >= expiresAt) return
  await saveRecord(context, { kind: 'Client', id: clientId, payload: record.payload, now, expiresAt })
}
