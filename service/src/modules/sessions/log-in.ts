import { AppError } from '../../kernel/app-error.ts'
import { newUuid } from '../../kernel/ids.ts'
import { hashSecret, newSecret, sameHash } from '../../kernel/secrets.ts'
import { recordActs } from '../audit/index.ts'
import { acceptOnlyOwner, type LinkedOwner, selectAcceptedOwners } from '../owners/index.ts'
import { startedAct } from './acts.ts'
import { type Audience, SESSION_MS } from './audience.ts'
import { codeOwnerOf } from './code-owner.ts'
import { consumeCode, releaseBrakes, takeTry } from './code-store.ts'
import type { SessionsContext } from './context.ts'
import { hashCode } from './one-time-code.ts'
import { requirePhone } from './phone.ts'
import { insertSession, isOwnersPhone } from './store.ts'

/** Searchable, so that one in a log or a repository is found and hidden. */
export const TOKEN_PREFIX = 'ses_live_'

export interface NewSession {
  /** For the browser alone; only its hash is kept. */
  readonly token: string
  readonly expiresAt: Date
  /** The owners that it covers; none for an administrator. */
  readonly owners: readonly LinkedOwner[]
  readonly phoneIndex: Buffer
}

export interface LogIn {
  readonly phone: string
  readonly code: string
  /** A code is good only where it was asked for. */
  readonly clientAddress: string
}

/**
 * A session for the right code. Every call uses up a try, by a statement of its own, before the code is looked at. The
 * token is always a new one: nothing that the caller brought becomes a session.
 */
export async function logIn(
  context: SessionsContext,
  audience: Audience,
  { phone: written, code, clientAddress }: LogIn,
  now: Date,
): Promise<NewSession> {
  const { database, vault, adminPhones } = context
  const phone = requirePhone(written)
  const owner = codeOwnerOf(vault, audience, phone, clientAddress)
  const { phoneIndex } = owner

  const given = hashCode(vault, audience, phone, code)
  const expected = await takeTry(database, owner, now)
  if (expected === null || !sameHash(expected, given)) throw wrongCode()

  const isKnown =
    audience === 'owner' ? await isOwnersPhone(database, phoneIndex) : adminPhones.includes(phone)
  if (!isKnown) throw wrongCode()

  const token = newSecret(TOKEN_PREFIX)
  const expiresAt = new Date(now.getTime() + SESSION_MS[audience])
  return database.inTransaction(async tx => {
    await releaseBrakes(tx, owner)
    if (!(await consumeCode(tx, owner, given))) throw wrongCode()
    const id = newUuid(now)
    await insertSession(tx, hashSecret(token), {
      id,
      audience,
      phone: vault.encrypt(phone, 'sessions.phone'),
      phoneIndex,
      createdAt: now,
      expiresAt,
    })
    if (audience === 'owner') await acceptOnlyOwner(tx, vault, phoneIndex, now)
    const owners = audience === 'owner' ? await selectAcceptedOwners(tx, phoneIndex) : []
    const ownerIds = owners.map(owner => owner.id)
    const who = audience === 'owner' ? { kind: audience, ownerIds } : { kind: audience, phone }
    await recordActs(tx, vault, now, [startedAct({ ...who, sessionId: id }, expiresAt)])
    return { token, expiresAt, owners, phoneIndex }
  })
}

function wrongCode(): AppError {
  return new AppError(
    'authentication_error',
    'The code is wrong, used, too old or was asked for elsewhere; ask for a new one from here',
  )
}
