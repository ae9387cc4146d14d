import {
  type BodyOf,
  NOTIFICATION_KIND_NAMES,
  type NotificationKind,
  type NotificationSettings,
  type routes,
} from '@batua/contract'
import type { OwnerCaller } from '../../http/caller.ts'
import { AppError } from '../../kernel/app-error.ts'
import { actorOf, type FactData, recordFacts } from '../../operations/facts.ts'
import { readSession, sessionPhoneOf } from '../parties/index.ts'
import type { NotificationsContext } from './context.ts'
import { settingsFact } from './facts.ts'
import {
  lockSettings,
  NOTHING,
  type Person,
  type Settings,
  selectSettings,
  updateSettings,
} from './settings-store.ts'

export type SettingsChange = BodyOf<typeof routes.updateNotificationSettings>

type Context = Pick<NotificationsContext, 'database' | 'vault' | 'messages' | 'pushKey'>

/** The person of a session. */
export async function personOf(
  { database, vault }: Pick<Context, 'database' | 'vault'>,
  caller: OwnerCaller,
): Promise<Person> {
  const { phone, phoneIndex } = await readSession(database, caller)
  return { phoneIndex, phone: vault.decrypt(phone, sessionPhoneOf(caller.sessionId)) }
}

export async function readSettings(context: Context, caller: OwnerCaller): Promise<NotificationSettings> {
  const person = await personOf(context, caller)
  return settingsRecord(
    context,
    person,
    (await selectSettings(context.database, person.phoneIndex)) ?? NOTHING,
  )
}

export async function changeSettings(
  context: Context,
  caller: OwnerCaller,
  change: SettingsChange,
  now: Date,
): Promise<NotificationSettings> {
  const { database, vault } = context
  const person = await personOf(context, caller)
  const asksForMessages = Object.values(change.kinds ?? {}).some(channels => channels.message === true)
  if (asksForMessages && !hasMessages(context, person)) {
    throw new AppError(
      'conflict',
      'The operator of this service sends no messages to your phone; choose push',
    )
  }
  const changed = await database.inTransaction(async tx => {
    const before = await lockSettings(tx, vault, person)
    const after = withChange(before, change)
    const difference = differenceOf(before, after)
    if (Object.keys(difference).length === 0) return after
    await updateSettings(tx, person.phoneIndex, after)
    await recordFacts(tx, vault, now, [settingsFact(actorOf(caller), difference)])
    return after
  })
  return settingsRecord(context, person, changed)
}

/** Settings with what a change names. */
export function withChange(before: Settings, { kinds = {}, language }: SettingsChange): Settings {
  const chosen = (channel: 'push' | 'message') =>
    NOTIFICATION_KIND_NAMES.filter(kind => kinds[kind]?.[channel] ?? before[channel].includes(kind))
  return { language: language ?? before.language, push: chosen('push'), message: chosen('message') }
}

/** What differs, as the audit log holds it. */
function differenceOf(before: Settings, after: Settings): FactData {
  const channels = (['push', 'message'] as const).flatMap(channel => {
    const differs = (kind: NotificationKind) =>
      before[channel].includes(kind) !== after[channel].includes(kind)
    return NOTIFICATION_KIND_NAMES.filter(differs).map(kind => [
      `${channel}.${kind}`,
      after[channel].includes(kind),
    ])
  })
  const language = before.language === after.language ? {} : { language: after.language }
  return { ...Object.fromEntries(channels), ...language }
}

/** Whether the operator sends messages to this phone. */
function hasMessages({ messages }: Pick<Context, 'messages'>, { phone }: Person): boolean {
  return messages !== null && (messages.phones === null || messages.phones.includes(phone))
}

function settingsRecord(
  context: Context,
  person: Person,
  { language, push, message }: Settings,
): NotificationSettings {
  const kinds = NOTIFICATION_KIND_NAMES.map(kind => [
    kind,
    { push: push.includes(kind), message: message.includes(kind) },
  ])
  return {
    kinds: Object.fromEntries(kinds) as NotificationSettings['kinds'],
    language,
    push_public_key: context.pushKey.publicKey,
    message_available: hasMessages(context, person),
  }
}
