import type { NotificationKind, NotificationLanguage } from '@batua/contract'
import { textArrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import { AlteredRow } from '../../db/row-mac.ts'
import type { Vault } from '../../kernel/secrets.ts'

/** A person who is notified, by the digest of the phone. */
export interface Person {
  readonly phoneIndex: Buffer
  /** Ten digits. */
  readonly phone: string
}

/** What a person is notified of, and how. */
export interface Settings {
  readonly language: NotificationLanguage
  readonly push: readonly NotificationKind[]
  readonly message: readonly NotificationKind[]
}

export interface StoredSettings extends Settings {
  readonly phoneIndex: Buffer
  /** Encrypted. */
  readonly phone: Buffer
}

/** The settings of a person who has turned nothing on. */
export const NOTHING: Settings = { language: 'en', push: [], message: [] }

const COLUMNS = `phone_index as "phoneIndex", phone, language, push_kinds as push, message_kinds as message`

export async function selectSettings(db: Queryable, phoneIndex: Buffer): Promise<StoredSettings | null> {
  const [row] = await db.query<StoredSettings>(
    `select ${COLUMNS} from notification_settings where phone_index = $1`,
    [phoneIndex],
  )
  return row ?? null
}

/** The settings of those among these people who have some. */
export function selectSettingsOf(db: Queryable, phones: readonly Buffer[]): Promise<StoredSettings[]> {
  return db.query<StoredSettings>(
    `select ${COLUMNS} from notification_settings where phone_index = any($1::bytea[])`,
    [phones],
  )
}

/** The person’s settings, locked: changes of one person’s settings and browsers wait for each other. */
export async function lockSettings(tx: Queryable, vault: Vault, person: Person): Promise<StoredSettings> {
  const phone = vault.encrypt(person.phone, phoneContext(person.phoneIndex))
  await tx.query(
    `insert into notification_settings (phone_index, phone, language, push_kinds, message_kinds)
     values ($1, $2, $3, '{}', '{}') on conflict do nothing`,
    [person.phoneIndex, phone, NOTHING.language],
  )
  const [row] = await tx.query<StoredSettings>(
    `select ${COLUMNS} from notification_settings where phone_index = $1 for update`,
    [person.phoneIndex],
  )
  return row ?? { ...NOTHING, phoneIndex: person.phoneIndex, phone }
}

export async function updateSettings(
  tx: Queryable,
  phoneIndex: Buffer,
  { language, push, message }: Settings,
): Promise<void> {
  await tx.query(
    `update notification_settings set language = $2, push_kinds = $3::text[], message_kinds = $4::text[]
     where phone_index = $1`,
    [phoneIndex, language, textArrayLiteral(push), textArrayLiteral(message)],
  )
}

/** The encryption authenticates whose row it is: no message goes to a phone that was written there by hand. */
function phoneContext(phoneIndex: Buffer): string {
  return `notification_settings.phone ${phoneIndex.toString('hex')}`
}

/** Ten digits. */
export function phoneOf(vault: Vault, { phoneIndex, phone }: StoredSettings): string {
  try {
    return vault.decrypt(phone, phoneContext(phoneIndex))
  } catch {
    const row = phoneIndex.toString('hex')
    vault.onAltered('notification_settings', row, 'does not open')
    throw new AlteredRow('notification_settings', row, 'does not open')
  }
}
