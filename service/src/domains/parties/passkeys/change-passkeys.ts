import type { IncomingHttpHeaders } from 'node:http'
import type {
  BodyOf,
  createPasskey,
  listPasskeys as listPasskeysRoute,
  Passkey as PasskeyRecord,
  QueryOf,
} from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { assert } from '../../../kernel/assert.ts'
import { formatId, newUuid, parseId, type Uuid } from '../../../kernel/ids.ts'
import { actorOf, type Fact, recordFacts } from '../../../operations/facts.ts'
import { queueTextMessage } from '../text-message-store.ts'
import { newChallenge, openChallenge, useChallenge } from './challenge.ts'
import type { PasskeysContext } from './context.ts'
import { enrolledFact, keptFact, removedFact } from './facts.ts'
import { creationOptions } from './options.ts'
import { isRemoved, isUsable, type PersonCaller, personOf } from './person.ts'
import { verifyRegistration } from './registration.ts'
import { requireRelyingParty } from './relying-party.ts'
import type { Confirmation } from './step-up.ts'
import {
  holderOf,
  insertPasskey,
  lockPerson,
  type Passkey,
  passkeyPhoneOf,
  selectEnrolments,
  selectPasskeys,
  updateRemoval,
} from './store.ts'

export interface ChangeContext extends PasskeysContext {
  readonly serviceName: string
  /** The cooldown of whatever is loosened, in seconds. */
  readonly limitIncreaseCooldownS: number
}

const MAX_PASSKEYS = 20

type PasskeyReader = Pick<PasskeysContext, 'database' | 'vault'>

/** The records of passkeys of one person. */
export async function passkeyRecords(
  { database, vault }: PasskeyReader,
  passkeys: readonly Passkey[],
): Promise<PasskeyRecord[]> {
  const [first] = passkeys
  if (first === undefined) return []
  const enrolments = await selectEnrolments(database, vault, first)
  return passkeys.map(passkey => {
    const enrolment = enrolments.get(formatId('pky', passkey.id))
    assert(enrolment !== undefined, 'a passkey has the entry of its enrolment')
    return passkeyRecord(passkey, enrolment)
  })
}

function passkeyRecord(passkey: Passkey, enrolment: Uuid): PasskeyRecord {
  return {
    passkey_id: formatId('pky', passkey.id),
    audit_id: formatId('aud', enrolment),
    name: passkey.name,
    created_at: passkey.createdAt.toISOString(),
    effective_at: passkey.effectiveAt.toISOString(),
    removed_at: passkey.removedAt?.toISOString() ?? null,
    last_used_at: passkey.lastUsedAt?.toISOString() ?? null,
  }
}

/** The passkeys of a person, oldest first: those that were not removed yet, or all. */
export async function listPasskeys(
  { database, vault }: PasskeyReader,
  caller: PersonCaller,
  now: Date,
  { include }: QueryOf<typeof listPasskeysRoute> = {},
): Promise<Passkey[]> {
  const passkeys = await selectPasskeys(database, vault, await personOf(database, vault, caller))
  return passkeys.filter(passkey => include === 'removed' || !isRemoved(passkey, now))
}

/** Prepares an enrolment. The challenge is good in this session only. */
export async function prepareEnrolment(context: ChangeContext, caller: PersonCaller, now: Date) {
  const { database, vault, relyingParty, serviceName } = context
  const party = requireRelyingParty(relyingParty)
  const person = await personOf(database, vault, caller)
  const known = await listPasskeys(context, caller, now)
  const { id } = newChallenge(vault, () => enrolmentOf(caller), now)
  const named = { handle: holderOf(vault, person), label: `xxxxxx${person.phone.slice(-4)}` }
  return creationOptions(party, id, named, serviceName, known)
}

function enrolmentOf({ sessionId }: PersonCaller): string {
  return `enrolment ${sessionId}`
}

interface Change {
  readonly caller: PersonCaller
  readonly headers: IncomingHttpHeaders
  readonly now: Date
  readonly confirmation: Confirmation
}

/** Enrols a passkey. One that no other passkey confirmed can be used after the cooldown, and the person is notified. */
export async function enrolPasskey(
  context: ChangeContext,
  { name, response }: BodyOf<typeof createPasskey>,
  { caller, headers, now, confirmation }: Change,
): Promise<Passkey> {
  const { database, vault, relyingParty } = context
  const party = requireRelyingParty(relyingParty)
  const registered = await verifyRegistration(party, response, headers)
  const challenge = registered && openChallenge(vault, registered.challenge, () => enrolmentOf(caller), now)
  if (registered === null || challenge === null) throw invalidRegistration()
  const person = await personOf(database, vault, caller)
  const { phone, ...owned } = person
  const id = newUuid(now)
  return database.inTransaction(async tx => {
    await lockPerson(tx, person)
    const others = await selectPasskeys(tx, vault, person)
    requireRoom(others, now)
    const isAtOnce = confirmation === 'confirmed' || !others.some(each => isUsable(each, now))
    const passkey: Passkey = {
      ...{ id, ...owned, name, ...registered.credential },
      phone: vault.encrypt(phone, passkeyPhoneOf(id)),
      transports: response.response.transports ?? [],
      createdAt: now,
      effectiveAt: isAtOnce ? now : afterCooldown(context, now),
      removedAt: null,
      lastUsedAt: null,
    }
    if (!(await useChallenge(tx, challenge))) throw invalidRegistration()
    if (!(await insertPasskey(tx, vault, passkey))) {
      throw new AppError('conflict', 'This passkey is enrolled already')
    }
    const enrolled = { holder: holderOf(vault, person), rpId: party.id }
    await recordFacts(tx, vault, now, [enrolledFact(actorOf(caller), passkey, enrolled)])
    if (!isAtOnce)
      await queueTextMessage(tx, vault, now, {
        kind: 'passkey_added',
        phone,
        effectiveAt: passkey.effectiveAt,
      })
    return passkey
  })
}

/** Removes a passkey: at once if a passkey confirmed it or if it cannot be used yet, otherwise after the cooldown. */
export function removePasskey(
  context: ChangeContext,
  passkeyId: string,
  { caller, now, confirmation }: Change,
): Promise<Passkey> {
  return changeOne(context, passkeyId, { caller, now }, async (tx, passkey, phone) => {
    const isAtOnce = confirmation === 'confirmed' || !isUsable(passkey, now)
    const removedAt = isAtOnce ? now : (passkey.removedAt ?? afterCooldown(context, now))
    if (removedAt.getTime() === passkey.removedAt?.getTime()) return null
    if (!isAtOnce)
      await queueTextMessage(tx, context.vault, now, {
        kind: 'passkey_removed',
        phone,
        effectiveAt: removedAt,
      })
    return { removedAt, fact: removedFact(actorOf(caller), passkey.id, removedAt) }
  })
}

/** Cancels a removal that waits for the cooldown. */
export function keepPasskey(
  context: ChangeContext,
  passkeyId: string,
  of: Pick<Change, 'caller' | 'now'>,
): Promise<Passkey> {
  return changeOne(context, passkeyId, of, async (_tx, passkey) => {
    if (passkey.removedAt === null) throw new AppError('not_found', 'No removal of this passkey is waiting')
    return { removedAt: null, fact: keptFact(actorOf(of.caller), passkey.id) }
  })
}

/** Changes one passkey of the person that is not removed yet. `null`: nothing is to be changed. */
async function changeOne(
  { database, vault }: ChangeContext,
  passkeyId: string,
  { caller, now }: Pick<Change, 'caller' | 'now'>,
  change: (
    tx: Queryable,
    passkey: Passkey,
    phone: string,
  ) => Promise<{ readonly removedAt: Date | null; readonly fact: Fact } | null>,
): Promise<Passkey> {
  const person = await personOf(database, vault, caller)
  const id = parseId('pky', passkeyId)
  return database.inTransaction(async tx => {
    await lockPerson(tx, person)
    const passkeys = await selectPasskeys(tx, vault, person)
    const passkey = passkeys.find(each => each.id === id && !isRemoved(each, now))
    if (passkey === undefined) throw new AppError('not_found', 'You have no passkey with this id')
    const changed = await change(tx, passkey, person.phone)
    if (changed === null) return passkey
    const { removedAt, fact } = changed
    const versions = await updateRemoval(tx, vault, passkey.id, removedAt)
    await recordFacts(tx, vault, now, [fact], versions)
    return { ...passkey, removedAt }
  })
}

function requireRoom(passkeys: readonly Passkey[], now: Date): void {
  if (passkeys.filter(each => !isRemoved(each, now)).length < MAX_PASSKEYS) return
  throw new AppError('conflict', `A person has at most ${MAX_PASSKEYS} passkeys; remove one first`)
}

function afterCooldown({ limitIncreaseCooldownS }: ChangeContext, now: Date): Date {
  return new Date(now.getTime() + limitIncreaseCooldownS * 1_000)
}

function invalidRegistration(): AppError {
  return new AppError(
    'validation_error',
    'The response of the browser does not verify, or its options were used, of another session or older than five minutes; ask for new options',
    { field: 'response' },
  )
}
