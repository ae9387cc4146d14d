import { raise } from '../../kernel/app-error.ts'
import type { Audience } from './audience.ts'
import { codeOwnerOf } from './code-owner.ts'
import { lockSent, replaceCode } from './code-store.ts'
import type { SessionsContext } from './context.ts'
import { CODE_VALID_MS, decideCode, TRIES } from './decide.ts'
import { hashCode, newCode } from './one-time-code.ts'
import { requirePhone } from './phone.ts'
import { isOwnersPhone } from './store.ts'

export interface CodeRequest {
  readonly phone: string
  readonly clientAddress: string
}

/**
 * Makes a new code for a phone, known or not: what is stored, decided and answered is the same. Whether it is sent is
 * found out behind the answer.
 */
export async function sendCode(
  context: SessionsContext,
  audience: Audience,
  { phone: written, clientAddress }: CodeRequest,
  now: Date,
): Promise<void> {
  const { database, vault, adminPhones, outbox } = context
  const phone = requirePhone(written)
  const owner = codeOwnerOf(vault, audience, phone, clientAddress)
  const code = newCode()
  const hash = hashCode(vault, audience, phone, code)

  await database.inTransaction(async tx => {
    const allowed = decideCode(await lockSent(tx, owner, now), now)
    if (allowed.kind === 'refusal') raise(allowed)
    const expiresAt = new Date(now.getTime() + CODE_VALID_MS)
    await replaceCode(tx, owner, { hash, triesLeft: TRIES, expiresAt }, allowed.sent)
  })

  const isOwner = () => isOwnersPhone(database, owner.phoneIndex)
  const isAdmin = async () => adminPhones.includes(phone)
  outbox.post({ phone, code, validMinutes: CODE_VALID_MS / 60_000 }, audience === 'owner' ? isOwner : isAdmin)
}
