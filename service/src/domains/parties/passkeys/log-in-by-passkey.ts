import type { IncomingHttpHeaders } from 'node:http'
import type { PasskeyAssertion, StepUpChallenge } from '@batua/contract'
import { AppError } from '../../../kernel/app-error.ts'
import { type StartedSession, startSession } from '../sessions/log-in.ts'
import type { OpenedFrom } from '../sessions/opened-from.ts'
import { verifyAssertion } from './assertion.ts'
import { newChallenge, openChallenge, useChallenge } from './challenge.ts'
import type { PasskeysContext } from './context.ts'
import { requestOptions } from './options.ts'
import { isUsable } from './person.ts'
import { requireRelyingParty } from './relying-party.ts'
import { type Passkey, passkeyPhoneOf, selectPasskeyByCredential, updateUse } from './store.ts'

const LOGIN = () => 'login'

/** Prepares a login: any passkey for this host may sign the challenge. */
export function prepareLogIn(
  { vault, relyingParty }: PasskeysContext,
  now: Date,
): StepUpChallenge['options'] {
  const party = requireRelyingParty(relyingParty)
  return requestOptions(party, newChallenge(vault, LOGIN, now).id, [])
}

interface LogIn {
  readonly headers: IncomingHttpHeaders
  readonly from: OpenedFrom
  readonly now: Date
}

/** Opens a session for the owner whose passkey signed the challenge of a login. */
export async function logInByPasskey(
  context: PasskeysContext,
  response: PasskeyAssertion,
  { headers, from, now }: LogIn,
): Promise<StartedSession> {
  const { database, vault } = context
  const party = requireRelyingParty(context.relyingParty)
  const passkey = await findPasskey(context, response.id, now)
  let sent = ''
  const assertion = await verifyAssertion(party, passkey, signed => (sent = signed) !== '', response, headers)
  const challenge = openChallenge(vault, sent, LOGIN, now)
  if (assertion === null || challenge === null) throw wrong()
  const phone = vault.decrypt(passkey.phone, passkeyPhoneOf(passkey.id))
  return database.inTransaction(async tx => {
    if (!(await useChallenge(tx, challenge))) throw wrong()
    await updateUse(tx, passkey.id, assertion.signCount, now)
    return startSession(tx, vault, { audience: 'owner', phone, phoneIndex: passkey.phoneIndex, from }, now)
  })
}

async function findPasskey(
  { database, vault }: PasskeysContext,
  credentialId: string,
  now: Date,
): Promise<Passkey> {
  const passkey = await selectPasskeyByCredential(database, vault, Buffer.from(credentialId, 'base64url'))
  if (passkey === null || passkey.audience !== 'owner' || !isUsable(passkey, now)) throw wrong()
  return passkey
}

function wrong(): AppError {
  return new AppError(
    'authentication_error',
    'This passkey does not open a session here, or its response is wrong, used or older than five minutes; try again, or log in with a code',
  )
}
