import type { Queryable } from '../../../db/database.ts'
import type { PhoneSessionKind } from '../../../http/admission/session-cookies.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { HOUR_MS } from '../../../kernel/clock.ts'
import { newUuid } from '../../../kernel/ids.ts'
import { newSecret, sameHash, type Vault } from '../../../kernel/secrets.ts'
import { recordFacts } from '../../../operations/facts.ts'
import { acceptOnlyOwner } from '../owners/answer-invitation.ts'
import { type LinkedOwner, selectAcceptedOwners } from '../owners/invitation-store.ts'
import { TOKEN_PREFIX } from './authenticate.ts'
import { consumeCode, releaseBrakes, type TriedCode, takeTry } from './code-store.ts'
import type { SessionsContext } from './context.ts'
import { needsAnotherCode, RIGHT_CODES_MS } from './decide.ts'
import { startedFact } from './facts.ts'
import { addWrongTry, countUnknownPlaceTry, countWrongTries, noteRightCodes } from './guess-store.ts'
import { encryptOpenedFrom, type OpenedFrom, openedFrom } from './opened-from.ts'
import { hashCode, type Requester, requirePhone, SESSION_MS, turnsOf } from './phone-login.ts'
import { findPlace, type Origin, PLACES_KEPT, type Place, placesToRemember } from './place.ts'
import { rememberPlaces } from './place-store.ts'
import { checkSecondFactor, isTotpNeeded, type SecondFactor, useSecondFactor } from './second-factor.ts'
import { insertSession, isOwnersPhone, sessionPhoneOf } from './store.ts'

export interface StartedSession {
  /** The session token for the browser; only its hash is stored. */
  readonly token: string
  readonly expiresAt: Date
  /** The owners that the session covers; none for an administrator. */
  readonly owners: readonly LinkedOwner[]
  readonly phoneIndex: Buffer
}

export interface NewSession extends StartedSession {
  /** A token by which the browser is a known place at the phone's next login. */
  readonly browserToken: string
}

export interface LogIn extends Origin {
  readonly phone: string
  readonly code: string
  /** An administrator's second factor. */
  readonly totp?: string | undefined
  /** The header `User-Agent`. */
  readonly userAgent: string | undefined
}

/**
 * Creates a session for the right code. Every call uses up a try, in a statement of its own, before the code is
 * compared. The token is always new: a token from the caller never becomes a session.
 */
export async function logIn(
  context: SessionsContext,
  audience: PhoneSessionKind,
  { phone: written, code, totp, userAgent, ...origin }: LogIn,
  now: Date,
): Promise<NewSession> {
  const { database, vault } = context
  const phone = requirePhone(written)
  const place = await findPlace(database, vault, audience, phone, origin)
  const given = hashCode(vault, audience, phone, code)
  const wrong = () => (isTotpNeeded(context, audience) ? wrongFactors(totp) : wrongCode())

  const places = place.browser === null ? [place.network] : [place.browser, place.network]
  const tried = await takeTry(database, place.login, places, now)
  if (tried === null) throw wrong()
  const since = new Date(now.getTime() - HOUR_MS)
  const tries = tried.isTrusted ? 0 : await countUnknownPlaceTry(database, place.login, now, since)
  const factor = checkSecondFactor(context, audience, phone, totp)
  const isRight = sameHash(tried.hash, given) && factor.kind !== 'wrong'
  if (!isRight || !(await isKnownPhone(context, audience, phone, place))) {
    await countWrong(context, tried, now)
    throw wrong()
  }
  const right = { requester: { ...place.login, place: tried.place }, given, factor, wrong }
  if (!tried.isTrusted) {
    await requireEnoughCodes(context, right, { place, tries, rightCodes: tried.rightCodes + 1 }, now)
  }
  const from = openedFrom(origin.clientAddress, userAgent)
  return openSession(context, { ...right, audience, phone, place, from }, now)
}

async function isKnownPhone(
  { database, adminPhones }: SessionsContext,
  audience: PhoneSessionKind,
  phone: string,
  { login }: Place,
): Promise<boolean> {
  return audience === 'owner' ? isOwnersPhone(database, login.phoneIndex) : adminPhones.includes(phone)
}

/** Counts a wrong try. Tries of a code that was sent to a known place are limited by the number of such codes. */
async function countWrong(
  { database, signals }: SessionsContext,
  { isTrusted }: TriedCode,
  now: Date,
): Promise<void> {
  signals.wrongLoginCode()
  if (isTrusted) return
  await addWrongTry(database, new Date(now.getTime() - (now.getTime() % 60_000)))
}

/** A right code and second factor. */
interface RightCode {
  readonly requester: Requester
  readonly given: Buffer
  readonly factor: SecondFactor
  readonly wrong: () => AppError
}

/**
 * While many codes are tried, a right one from an unknown place may be a guess, so another one is required. This applies
 * with a second factor too: an attacker who reads the phone's messages only has to guess the code of the app.
 */
async function requireEnoughCodes(
  { database, vault }: SessionsContext,
  { requester, given, factor, wrong }: RightCode,
  {
    place,
    tries,
    rightCodes,
  }: { readonly place: Place; readonly tries: number; readonly rightCodes: number },
  now: Date,
): Promise<void> {
  const wrongTries = await countWrongTries(database, new Date(now.getTime() - HOUR_MS))
  if (!needsAnotherCode({ tries, wrongTries, rightCodes })) return
  // The first code of a new browser may have been asked for without its cookie; the next one is asked for with it.
  const next = { ...requester, place: place.browser ?? requester.place }
  const until = new Date(now.getTime() + RIGHT_CODES_MS)
  await database.inTransaction(async tx => {
    if (!(await consumeCode(tx, requester, given))) throw wrong()
    if (!(await useSecondFactor(tx, vault, factor))) throw wrong()
    await noteRightCodes(tx, next, { rightCodes, now, until })
  }, turnsOf(requester))
  throw new AppError(
    'authentication_error',
    factor.kind === 'right'
      ? 'The code and totp are right, but many wrong ones are being tried: ask for one more code from here (send-otp) and send it with the next totp too'
      : 'The code is right, but many wrong ones are being tried: ask for one more code from here (send-otp) and send that one too',
    { details: { second_code_required: true } },
  )
}

interface Login extends RightCode {
  readonly audience: PhoneSessionKind
  readonly phone: string
  readonly place: Place
  readonly from: OpenedFrom
}

function openSession(
  { database, vault }: SessionsContext,
  { audience, phone, place, from, requester, given, factor, wrong }: Login,
  now: Date,
): Promise<NewSession> {
  const { phoneIndex } = requester
  const { browserToken, places } = placesToRemember(vault, audience, phone, place)
  return database.inTransaction(async tx => {
    await releaseBrakes(tx, requester)
    if (!(await consumeCode(tx, requester, given))) throw wrong()
    if (!(await useSecondFactor(tx, vault, factor))) throw wrong()
    await rememberPlaces(tx, requester, places, { now, atMost: PLACES_KEPT })
    return { ...(await startSession(tx, vault, { audience, phone, phoneIndex, from }, now)), browserToken }
  }, turnsOf(requester))
}

/** A person who has proved to hold a phone, or a passkey of its holder. */
export interface ProvedPerson {
  readonly audience: PhoneSessionKind
  /** Ten digits. */
  readonly phone: string
  readonly phoneIndex: Buffer
  readonly from: OpenedFrom
}

/** Opens a session in the caller's transaction. */
export async function startSession(
  tx: Queryable,
  vault: Vault,
  { audience, phone, phoneIndex, from }: ProvedPerson,
  now: Date,
): Promise<StartedSession> {
  const token = newSecret(TOKEN_PREFIX)
  const expiresAt = new Date(now.getTime() + SESSION_MS[audience])
  const id = newUuid(now)
  await insertSession(tx, vault, vault.credentialHash(token, 'sessions.token'), {
    id,
    audience,
    phone: vault.encrypt(phone, sessionPhoneOf(id)),
    phoneIndex,
    createdAt: now,
    expiresAt,
    openedFrom: encryptOpenedFrom(vault, id, from),
  })
  if (audience === 'owner') await acceptOnlyOwner(tx, vault, phoneIndex, now)
  const owners = audience === 'owner' ? await selectAcceptedOwners(tx, phoneIndex) : []
  const ownerIds = owners.map(({ id: ownerId }) => ownerId)
  const who = audience === 'owner' ? { kind: audience, ownerIds } : { kind: audience, phone }
  await recordFacts(tx, vault, now, [startedFact({ ...who, sessionId: id }, expiresAt)])
  return { token, expiresAt, owners, phoneIndex }
}

function wrongCode(): AppError {
  return new AppError(
    'authentication_error',
    'The code is wrong, used, too old or was asked for elsewhere; ask for a new one from here (send-otp) and send that',
  )
}

/**
 * One refusal for every wrong factor, so that it does not reveal which factor was wrong. It differs only in what the
 * caller knows: whether the request had a totp.
 */
function wrongFactors(totp: string | undefined): AppError {
  const message =
    totp === undefined
      ? 'Send totp too, the six digits that the authenticator app shows now, with the same code; if the code is wrong, used, too old or was asked for elsewhere, ask for a new one from here first (send-otp)'
      : 'The code or totp is wrong, used or too old, or the code was asked for elsewhere; send the next six digits of the authenticator app as totp with the same code, or ask for a new code from here (send-otp)'
  return new AppError('authentication_error', message, { details: { totp_required: true } })
}
