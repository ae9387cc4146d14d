import { type BodyOf, MAX_PUSH_SUBSCRIPTIONS, type ResponseOf, type routes } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import { isPublicKey, type PushTarget } from '../../gateways/web-push.ts'
import type { OwnerCaller, SessionCaller } from '../../http/caller.ts'
import { AppError, type Refusal, raise, refuse } from '../../kernel/app-error.ts'
import { formatId, newUuid, type Uuid } from '../../kernel/ids.ts'
import type { Vault } from '../../kernel/secrets.ts'
import { actorOf, recordFacts } from '../../operations/facts.ts'
import { decideWebhookUrl, openedFrom } from '../parties/index.ts'
import type { NotificationsContext } from './context.ts'
import { subscribedFact, unsubscribedFact } from './facts.ts'
import { personOf } from './settings.ts'
import { lockSettings } from './settings-store.ts'
import {
  decryptHint,
  deleteOfSessions,
  deleteSubscription,
  encryptHint,
  encryptTarget,
  endpointIndex,
  lockByEndpoint,
  putSubscription,
  renewSubscription,
  type StoredSubscription,
  selectSubscriptions,
} from './subscription-store.ts'

type Context = Pick<NotificationsContext, 'database' | 'vault' | 'mode'>
type Body = BodyOf<typeof routes.createPushSubscription>
type SubscriptionRecord = ResponseOf<typeof routes.createPushSubscription>

/** What a browser gave, if notifications can be sent there. Each connection checks again that the address is public. */
export function decideTarget({ endpoint, keys }: Body, mode: 'sandbox' | 'live'): Refusal | PushTarget {
  const address = decideWebhookUrl(endpoint, mode, 'endpoint')
  if (address.kind === 'refusal') return address
  if (!isPublicKey(keys.p256dh)) {
    return refuse('validation_error', 'keys.p256dh must be a public key of P-256', { field: 'keys.p256dh' })
  }
  return { endpoint, ...keys }
}

/** Adds a browser of the caller’s person. A known one keeps its id and is from now on part of this session. */
export async function subscribe(
  { database, vault, mode }: Context,
  caller: OwnerCaller,
  {
    body,
    userAgent,
    now,
  }: { readonly body: Body; readonly userAgent: string | undefined; readonly now: Date },
): Promise<SubscriptionRecord> {
  const target = decideTarget(body, mode)
  if ('kind' in target) raise(target)
  const person = await personOf({ database, vault }, caller)
  const { phoneIndex } = person
  const { sessionId } = caller
  const index = endpointIndex(vault, target.endpoint)
  return database.inTransaction(async tx => {
    await lockSettings(tx, vault, person)
    const known = await lockByEndpoint(tx, index)
    if (known?.phoneIndex.equals(phoneIndex) === true) {
      await renewSubscription(tx, { id: known.id, target: encryptTarget(vault, known, target), sessionId })
      return subscriptionRecord(vault, { ...known, sessionId }, sessionId)
    }
    await requireRoom(tx, phoneIndex)
    const row = { id: newUuid(now), phoneIndex }
    const { agentHint } = openedFrom('', userAgent)
    const added = { ...row, sessionId, agentHint: encryptHint(vault, row, agentHint), createdAt: now }
    await putSubscription(tx, { ...added, endpointIndex: index, target: encryptTarget(vault, row, target) })
    const actor = actorOf(caller)
    const replaced = known === null ? [] : [unsubscribedFact(actor, known.id, 'another_person')]
    await recordFacts(tx, vault, now, [...replaced, subscribedFact(actor, row.id)])
    return subscriptionRecord(vault, { ...added, lastNotifiedAt: null }, sessionId)
  })
}

async function requireRoom(tx: Queryable, phoneIndex: Buffer): Promise<void> {
  const { length } = await selectSubscriptions(tx, phoneIndex)
  if (length < MAX_PUSH_SUBSCRIPTIONS) return
  throw new AppError(
    'conflict',
    `You are notified in ${length} browsers, and no more than ${MAX_PUSH_SUBSCRIPTIONS} are kept; remove one first`,
    { details: { push_subscriptions: length, max_push_subscriptions: MAX_PUSH_SUBSCRIPTIONS } },
  )
}

export async function listSubscriptions(
  context: Context,
  caller: OwnerCaller,
): Promise<SubscriptionRecord[]> {
  const { phoneIndex } = await personOf(context, caller)
  const rows = await selectSubscriptions(context.database, phoneIndex)
  return rows.map(row => subscriptionRecord(context.vault, row, caller.sessionId))
}

export async function unsubscribe(
  context: Context,
  caller: OwnerCaller,
  id: Uuid | null,
  now: Date,
): Promise<Uuid> {
  const { database, vault } = context
  const { phoneIndex } = await personOf(context, caller)
  return database.inTransaction(async tx => {
    if (id === null || !(await deleteSubscription(tx, id, phoneIndex))) {
      throw new AppError('not_found', 'You have no push subscription with this id')
    }
    await recordFacts(tx, vault, now, [unsubscribedFact(actorOf(caller), id, 'owner')])
    return id
  })
}

/** Ends the subscriptions of browsers whose sessions a person ended. A session that expires leaves them. */
export async function unsubscribeSessions(
  tx: Queryable,
  vault: Vault,
  {
    caller,
    sessionIds,
    now,
  }: { readonly caller: SessionCaller; readonly sessionIds: readonly Uuid[]; readonly now: Date },
): Promise<void> {
  const ended = await deleteOfSessions(tx, sessionIds)
  const actor = actorOf(caller)
  await recordFacts(
    tx,
    vault,
    now,
    ended.map(id => unsubscribedFact(actor, id, 'logout')),
  )
}

function subscriptionRecord(vault: Vault, row: StoredSubscription, sessionId: Uuid): SubscriptionRecord {
  return {
    subscription_id: formatId('psub', row.id),
    agent_hint: decryptHint(vault, row, row.agentHint),
    created_at: row.createdAt.toISOString(),
    last_notified_at: row.lastNotifiedAt?.toISOString() ?? null,
    current: row.sessionId === sessionId,
  }
}
