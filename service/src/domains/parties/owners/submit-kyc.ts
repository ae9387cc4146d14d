import type { Queryable } from '../../../db/database.ts'
import type { BankCheckResult } from '../../../gateways/bank-verifier.ts'
import { AppError, errorOf } from '../../../kernel/app-error.ts'
import { istDay, startOfIstDay } from '../../../kernel/clock.ts'
import { newUuid } from '../../../kernel/ids.ts'
import { rateLimitExceeded } from '../../../kernel/rate-limit-exceeded.ts'
import type { Actor } from '../../../operations/act.ts'
import { recordFacts } from '../../../operations/record.ts'
import { ownerNotFound, requireSamePlatform } from './access.ts'
import { submittedAct } from './acts.ts'
import { applyBankResult } from './apply-bank-result.ts'
import { type KycCheck, replaceCheck } from './check-store.ts'
import type { OwnersContext } from './context.ts'
import { countOfDay } from './daily-counts.ts'
import { decryptPersonal, encryptPersonal } from './personal-data.ts'
import { lockOwner, type Owner } from './store.ts'

/** Longer than the timeout of a bank check: until then no job checks the same submission. */
export const ASKING_MS = 45_000

/**
 * Submits the owner's bank account for verification. The submission is written first; the bank is asked afterwards,
 * outside any transaction. If the process crashes, the job for due checks asks the bank again.
 */
export async function submitKyc(
  context: OwnersContext,
  actor: Actor,
  asked: Owner,
  request: { readonly bank_account: string; readonly bank_ifsc: string },
): Promise<Owner> {
  const check = await writeCheck(context, actor, asked, request)
  const result = await askBank(context, asked, check)
  const owner = await applyBankResult(context, check, result)
  if (owner === null) throw overtaken()
  const isRefused = owner.kycStatus === 'verified' && owner.status === 'active' && result.kind === 'failed'
  if (isRefused) throw notConfirmed(result.reason)
  return owner
}

async function writeCheck(
  { database, clock, vault }: OwnersContext,
  actor: Actor,
  asked: Owner,
  request: { readonly bank_account: string; readonly bank_ifsc: string },
): Promise<KycCheck> {
  const now = clock.now()
  const account = {
    encrypted: encryptPersonal(vault, asked.id, 'bank_account', request.bank_account),
    last4: request.bank_account.slice(-4),
    ifsc: request.bank_ifsc.toUpperCase(),
  }
  const check = { ownerId: asked.id, id: newUuid(now), account, reference: null, attempts: 0 }
  await database.inTransaction(
    async tx => {
      const owner = await lockOwner(tx, vault, asked.id)
      if (owner === null) throw ownerNotFound()
      requireSamePlatform(asked, owner)
      if (owner.status === 'frozen') throw frozenOwner('cannot submit a bank account')
      await requireFewSubmissions(tx, owner, now)
      const versions = await replaceCheck(tx, vault, check, new Date(now.getTime() + ASKING_MS))
      await recordFacts(tx, vault, now, [submittedAct(actor, owner, account)], versions)
    },
    { turns: [asked.id] },
  )
  return check
}

/** Each submission asks the bank, which costs money, and a changed account sends the owner a text message. */
const SUBMISSIONS_A_DAY = 10

async function requireFewSubmissions(tx: Queryable, { id }: Owner, now: Date): Promise<void> {
  const today = istDay(now)
  if ((await countOfDay(tx, `bank accounts of ${id}`, today)) <= SUBMISSIONS_A_DAY) return
  const what = `${SUBMISSIONS_A_DAY} bank accounts were submitted for this owner today`
  const waitMs = startOfIstDay(today + 1).getTime() - now.getTime()
  throw errorOf(rateLimitExceeded(what, SUBMISSIONS_A_DAY, waitMs))
}

/**
 * Continues the check with the bank's reference, or starts a new one: a check moves no money, so it may be repeated.
 */
export function askBank(
  { vault, bankVerifier }: OwnersContext,
  owner: Pick<Owner, 'id' | 'name' | 'phone'>,
  { account, reference }: KycCheck,
): Promise<BankCheckResult> {
  const claim = {
    bankAccount: decryptPersonal(vault, owner.id, 'bank_account', account.encrypted),
    ifsc: account.ifsc,
    name: owner.name,
    phone: decryptPersonal(vault, owner.id, 'phone', owner.phone),
  }
  return reference === null ? bankVerifier.verifyAccount(claim) : bankVerifier.checkAgain(reference, claim)
}

function frozenOwner(consequence: string): AppError {
  return new AppError(
    'conflict',
    `This owner is frozen and ${consequence} until an administrator unfreezes it`,
  )
}

function overtaken(): AppError {
  const message = 'This submission is not the latest any more; get the owner to see how it stands'
  return new AppError('conflict', message)
}

function notConfirmed(reason: string): AppError {
  return new AppError('conflict', 'The bank did not confirm this account; the verified account stays', {
    details: { reason },
  })
}
