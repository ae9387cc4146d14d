import type { Queryable } from '../../../db/database.ts'
import type { BankCheckResult } from '../../../gateways/bank-verifier.ts'
import { AppError, errorOf } from '../../../kernel/app-error.ts'
import { istDay, startOfIstDay } from '../../../kernel/clock.ts'
import { formatId, newUuid } from '../../../kernel/ids.ts'
import { rateLimitExceeded } from '../../../kernel/rate-limit-exceeded.ts'
import { dueWork } from '../../../operations/due-work.ts'
import { type Actor, recordFacts } from '../../../operations/facts.ts'
import { ownerNotFound, requireSamePlatform } from './access.ts'
import { requireMessageLeft } from './account-change-messages.ts'
import { applyBankResult, knownAccount } from './apply-bank-result.ts'
import { ASKING_MS, dueChecks, type KycCheck, replaceCheck } from './check-store.ts'
import type { OwnersContext } from './context.ts'
import { countOfDay } from './daily-counts.ts'
import { submittedFact } from './facts.ts'
import { decryptPersonal, encryptPersonal } from './personal-data.ts'
import { lockOwner, type Owner, selectOwner } from './store.ts'

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
      const isChange = owner.kycStatus === 'verified' && knownAccount(vault, owner, account) === null
      if (isChange) await requireMessageLeft(tx, vault, owner, now)
      await requireFewSubmissions(tx, owner, actor, now)
      const versions = await replaceCheck(tx, vault, check, new Date(now.getTime() + ASKING_MS))
      await recordFacts(tx, vault, now, [submittedFact(actor, owner, account)], versions)
    },
    { turns: [asked.id] },
  )
  return check
}

/** Each submission asks the bank, which costs money. The platform and the owner use up none of each other's. */
const SUBMISSIONS_A_DAY = 10

async function requireFewSubmissions(tx: Queryable, { id }: Owner, actor: Actor, now: Date): Promise<void> {
  const today = istDay(now)
  if ((await countOfDay(tx, `bank accounts of ${id} by ${actor.type}`, today)) <= SUBMISSIONS_A_DAY) return
  const what = `${SUBMISSIONS_A_DAY} bank accounts were submitted for this owner today`
  const waitMs = startOfIstDay(today + 1).getTime() - now.getTime()
  throw errorOf(rateLimitExceeded(what, SUBMISSIONS_A_DAY, waitMs))
}

/** Asks the bank again about submissions that it has not decided. */
export const bankVerifications = dueWork<OwnersContext, KycCheck>({
  name: 'bank verifications',
  rows: dueChecks,
  async work(context, check) {
    const owner = await selectOwner(context.database, check.ownerId)
    if (owner !== null) await applyBankResult(context, check, await askBank(context, owner, check))
  },
  failure: 'kyc check failed; it will be retried',
  ids: ({ ownerId }) => ({ owner_id: formatId('own', ownerId) }),
})

/**
 * Continues the check with the bank's reference, or starts a new one: a check moves no money, so it may be repeated.
 */
function askBank(
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
