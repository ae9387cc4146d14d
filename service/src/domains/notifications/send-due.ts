import type { EventData } from '@batua/contract'
import type { TextMessage } from '../../gateways/message-senders.ts'
import { pushRequest } from '../../gateways/web-push.ts'
import { backoffMs } from '../../kernel/clock.ts'
import { formatId, parseId, type Uuid } from '../../kernel/ids.ts'
import { dueWork } from '../../operations/due-work.ts'
import { recordFacts } from '../../operations/facts.ts'
import type { Job } from '../../operations/jobs.ts'
import { selectAgentNames } from '../parties/index.ts'
import { selectWaiting } from '../payments/index.ts'
import { isGenuineEvent } from '../webhooks/index.ts'
import type { MessageChannel, NotificationsContext } from './context.ts'
import { decideMessage, decidePush, type Outcome } from './decide.ts'
import { PUSH_SERVICE, unsubscribedFact } from './facts.ts'
import {
  type DueNotification,
  deleteExpired,
  deleteNotification,
  dueNotifications,
  type OwnerEvent,
  postpone,
  postponeOthers,
  selectEvents,
} from './queue-store.ts'
import { phoneOf, type StoredSettings, selectSettings } from './settings-store.ts'
import {
  decryptTarget,
  deleteSubscription,
  noteAccepted,
  noteFailed,
  selectTarget,
} from './subscription-store.ts'
import { agentsIn, type Written, writeNotification } from './write.ts'

const RETRY_PAUSE = { firstMs: 10_000, longestMs: 30 * 60_000 }
const MOST_AT_ONCE = 16
const EXPIRED_AT_ONCE = 500

/** Sends what is due, each once, and deletes what has expired. */
export function notificationJobs(context: NotificationsContext): Job[] {
  return [notifications(context), expiredNotifications(context)]
}

const notifications = dueWork<NotificationsContext, DueNotification>({
  name: 'notifications',
  rows: dueNotifications,
  concurrency: MOST_AT_ONCE,
  work: sendNotification,
  failure: 'notification attempt failed; not retried, because it may have been delivered',
  ids: idsOf,
})

function idsOf({ id, subscriptionId, kind, attempts }: DueNotification) {
  const subscription = subscriptionId === null ? null : formatId('psub', subscriptionId)
  return { notification_id: id, subscription_id: subscription, kind, attempts }
}

/** Reads the current state again, so that nothing is sent that was turned off, decided or removed meanwhile. */
async function sendNotification(context: NotificationsContext, notification: DueNotification): Promise<void> {
  const { database, clock } = context
  const now = clock.now()
  const { id, kind, phoneIndex, subscriptionId, expiresAt } = notification
  const settings = await selectSettings(database, phoneIndex)
  const chosen = subscriptionId === null ? settings?.message : settings?.push
  const events = await eventsToSend(context, notification, now)
  if (settings === null || chosen?.includes(kind) !== true || expiresAt <= now || events.length === 0) {
    return deleteNotification(database, id)
  }
  const names = await selectAgentNames(database, agentsIn(events))
  const written = writeNotification({ kind, language: settings.language, events, names })
  return subscriptionId === null
    ? sendMessage(context, notification, settings, written)
    : sendPush(context, { ...notification, subscriptionId }, written, now)
}

/** The events that the owner must still be notified of: genuine ones, and of requests only those that still wait. */
async function eventsToSend(
  { database, vault }: NotificationsContext,
  { kind, eventIds }: DueNotification,
  now: Date,
): Promise<OwnerEvent[]> {
  const events = (await selectEvents(database, eventIds)).filter(event => isGenuineEvent(vault, event))
  if (kind !== 'approval_requested') return events
  const waiting = await selectWaiting(
    database,
    events.flatMap(event => approvalIn(event) ?? []),
    now,
  )
  return events.filter(event => {
    const id = approvalIn(event)
    return id !== null && waiting.has(id)
  })
}

function approvalIn({ data }: OwnerEvent): Uuid | null {
  return parseId('apr', (data as EventData<'agent.approval.requested'>).approval_id)
}

const URGENT: readonly DueNotification['kind'][] = ['approval_requested', 'agent_stopped', 'payout_failed']

type Push = DueNotification & { readonly subscriptionId: Uuid }

async function sendPush(
  context: NotificationsContext,
  notification: Push,
  { title, body, path }: Written,
  now: Date,
): Promise<void> {
  const { database, vault, pushKey, pushSender, wallClock, baseUrl } = context
  const { id, kind, phoneIndex, subscriptionId, expiresAt } = notification
  const found = await selectTarget(database, subscriptionId)
  if (found === null || !found.phoneIndex.equals(phoneIndex)) return deleteNotification(database, id)
  const target = decryptTarget(vault, { id: subscriptionId, phoneIndex }, found.target)
  const message = {
    text: JSON.stringify({ id, kind, title, body, path }),
    ttlS: Math.max(1, Math.floor((expiresAt.getTime() - now.getTime()) / 1_000)),
    urgency: URGENT.includes(kind) ? 'high' : 'normal',
  } as const
  const request = await pushRequest(target, message, {
    key: pushKey,
    contact: baseUrl.startsWith('https:') ? baseUrl : SANDBOX_CONTACT,
    now: wallClock.now(),
  })
  let isStarted = false
  const result = await pushSender.send(request, undefined, () => {
    isStarted = true
  })
  const pauseMs = backoffMs(found.failures, RETRY_PAUSE)
  await applyPush(context, notification, decidePush(result, { isStarted, now, pauseMs }))
}

/** Push services want an address of their sender; a sandbox on http has none. */
const SANDBOX_CONTACT = 'mailto:sandbox@example.com'

async function applyPush(context: NotificationsContext, notification: Push, outcome: Outcome): Promise<void> {
  const { database, vault, clock, logger } = context
  const { id, phoneIndex, subscriptionId } = notification
  switch (outcome.kind) {
    case 'sent':
      await noteAccepted(database, subscriptionId, clock.now())
      return deleteNotification(database, id)
    case 'gone':
      return database.inTransaction(async tx => {
        await deleteNotification(tx, id)
        if (!(await deleteSubscription(tx, subscriptionId, phoneIndex))) return
        const fact = unsubscribedFact(PUSH_SERVICE, subscriptionId, 'push_service')
        await recordFacts(tx, vault, clock.now(), [fact])
      })
    case 'retry':
      logger.warn(
        { ...idsOf(notification), reason: outcome.reason },
        'notification not delivered; it will be retried',
      )
      await noteFailed(database, subscriptionId, outcome.at)
      await postpone(database, id, outcome.at)
      return postponeOthers(database, subscriptionId, outcome.at)
    case 'dropped':
      logger.warn(
        { ...idsOf(notification), reason: outcome.reason },
        'notification dropped: not delivered, or the outcome is unknown',
      )
      await noteFailed(database, subscriptionId, outcome.pausedUntil)
      await postponeOthers(database, subscriptionId, outcome.pausedUntil)
      return deleteNotification(database, id)
  }
}

async function sendMessage(
  context: NotificationsContext,
  notification: DueNotification,
  settings: StoredSettings,
  written: Written,
): Promise<void> {
  const { database, vault, clock, logger, messages, baseUrl } = context
  const { id, kind, attempts } = notification
  const phone = phoneOf(vault, settings)
  if (messages === null || !isFor(messages, phone)) return deleteNotification(database, id)
  const response = await messages.sender.send(textMessage(phone, kind, written, baseUrl))
  const outcome = decideMessage(
    response,
    new Date(clock.now().getTime() + backoffMs(attempts - 1, RETRY_PAUSE)),
  )
  switch (outcome.kind) {
    case 'sent':
      return deleteNotification(database, id)
    case 'retry':
      logger.warn(
        { ...idsOf(notification), reason: outcome.reason },
        'notification not delivered; it will be retried',
      )
      return postpone(database, id, outcome.at)
    case 'dropped':
      logger.warn(
        { ...idsOf(notification), reason: outcome.reason },
        'notification dropped: not delivered, or the outcome is unknown',
      )
      return deleteNotification(database, id)
  }
}

function isFor({ phones }: MessageChannel, phone: string): boolean {
  return phones === null || phones.includes(phone)
}

function textMessage(
  phone: string,
  kind: DueNotification['kind'],
  { title, body, path }: Written,
  baseUrl: string,
): TextMessage {
  const url = `${baseUrl}${path}`
  return { phone, template: 'notification', text: `${title}. ${body}`, variables: { url, kind } }
}

/** A claimed row without an outcome is left by a process that crashed. */
function expiredNotifications({ database, logger }: NotificationsContext): Job {
  return {
    name: 'expired notifications',
    everyMs: 60_000,
    async run(now) {
      const { deleted, claimed } = await deleteExpired(database, now, EXPIRED_AT_ONCE)
      if (claimed > 0) {
        logger.warn(
          { notifications: claimed },
          'notifications may be lost: the process ended while they were sent',
        )
      }
      return deleted
    },
  }
}
