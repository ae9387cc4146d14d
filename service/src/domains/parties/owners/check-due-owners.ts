import { formatId } from '../../../kernel/ids.ts'
import { applyBankResult } from './apply-bank-result.ts'
import { claimDueChecks, type KycCheck } from './check-store.ts'
import type { OwnersContext } from './context.ts'
import { selectOwner } from './store.ts'
import { ASKING_MS, askBank } from './submit-kyc.ts'

const BATCH = 20

/** Asks the bank about one bounded batch of due submissions. Returns how many were claimed. */
export async function checkDueOwners(context: OwnersContext, now: Date): Promise<number> {
  const due = await claimDueChecks(
    context.database,
    context.vault,
    now,
    new Date(now.getTime() + ASKING_MS),
    BATCH,
  )
  const results = await Promise.allSettled(due.map(check => checkOwner(context, check)))
  for (const [index, result] of results.entries()) {
    if (result.status === 'fulfilled') continue
    const ownerId = formatId('own', due[index]?.ownerId ?? '')
    context.logger.error({ owner_id: ownerId, err: result.reason }, 'kyc check failed; it will be retried')
  }
  return due.length
}

async function checkOwner(context: OwnersContext, check: KycCheck): Promise<void> {
  const owner = await selectOwner(context.database, check.ownerId)
  if (owner === null) return
  await applyBankResult(context, check, await askBank(context, owner, check))
}
