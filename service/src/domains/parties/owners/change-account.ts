import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { type DueContext, dueWork } from '../../../operations/due-work.ts'
import { type Actor, type Fact, recordFacts } from '../../../operations/facts.ts'
import { ownerNotFound, requireSamePlatform } from './access.ts'
import { applyDueAccount, NO_PENDING_ACCOUNT } from './bank-account.ts'
import { deleteCheck } from './check-store.ts'
import type { OwnersContext } from './context.ts'
import { accountAppliedFacts, accountCancelledFact } from './facts.ts'
import { dueAccounts, lockOwner, type Owner, updateKyc } from './store.ts'

type ChangeContext = Pick<OwnersContext, 'database' | 'clock' | 'vault'>

/**
 * Cancels a change of a verified owner's bank account: a pending account, and a submission that the bank has not
 * decided. It works while the owner is frozen too.
 */
export function cancelAccountChange(
  context: ChangeContext,
  actor: Actor,
  asked: Pick<Owner, 'id' | 'platformId'>,
): Promise<Owner> {
  return changeOwner(context, asked.id, context.clock.now(), async (tx, owner) => {
    requireSamePlatform(asked, owner)
    const wasChecked = owner.kycStatus === 'verified' && (await deleteCheck(tx, owner.id))
    if (!wasChecked && owner.pendingBankAccount === null) throw nothingPending()
    const left = { ...owner, ...NO_PENDING_ACCOUNT, kycReason: wasChecked ? null : owner.kycReason }
    return { owner: left, facts: [accountCancelledFact(actor, owner)] }
  })
}

/** Makes due bank accounts the ones that payouts use. */
export const accountChanges = dueWork<DueContext & ChangeContext, Pick<Owner, 'id'>>({
  name: 'bank account changes',
  rows: dueAccounts,
  async work(context, { id }, now) {
    const applied = await changeOwner(context, id, now, async (_tx, owner) => ({ owner, facts: [] }))
    return applied.pendingBankAccount === null
  },
  concurrency: 1,
  failure: 'bank account change failed; it will be retried',
  ids: ({ id }) => ({ owner_id: formatId('own', id) }),
})

/** Changes an owner. A due account takes effect first and is recorded on its own. */
function changeOwner(
  { database, vault }: ChangeContext,
  ownerId: Uuid,
  now: Date,
  change: (
    tx: Queryable,
    owner: Owner,
  ) => Promise<{ readonly owner: Owner; readonly facts: readonly Fact[] }>,
): Promise<Owner> {
  return database.inTransaction(
    async tx => {
      const stored = await lockOwner(tx, vault, ownerId)
      if (stored === null) throw ownerNotFound()
      const applied = applyDueAccount(stored, now)
      const { owner, facts } = await change(tx, applied)
      const versions = owner === stored ? [] : await updateKyc(tx, vault, owner.id, owner)
      await recordFacts(tx, vault, now, [...accountAppliedFacts(stored, applied), ...facts], versions)
      return owner
    },
    { turns: [ownerId] },
  )
}

function nothingPending(): AppError {
  return new AppError('not_found', 'No change of the bank account is waiting')
}
