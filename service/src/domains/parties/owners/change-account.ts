import type { Queryable } from '../../../db/database.ts'
import { unlessAltered } from '../../../db/row-mac.ts'
import { AppError } from '../../../kernel/app-error.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Act, Actor } from '../../../operations/act.ts'
import { duePages } from '../../../operations/due-pages.ts'
import type { Job } from '../../../operations/jobs.ts'
import { recordFacts } from '../../../operations/record.ts'
import { ownerNotFound, requireSamePlatform } from './access.ts'
import { accountAppliedActs, accountCancelledAct } from './acts.ts'
import { applyDueAccount, NO_PENDING_ACCOUNT } from './bank-account.ts'
import { deleteCheck } from './check-store.ts'
import type { OwnersContext } from './context.ts'
import { lockOwner, type Owner, selectDueAccounts, updateKyc } from './store.ts'

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
    return { owner: left, acts: [accountCancelledAct(actor, owner)] }
  })
}

const TICK_MS = 1_000
const AT_ONCE = 100

export function accountJobs(context: ChangeContext): Job[] {
  const nextPage = duePagesOf(context)
  return [
    { name: 'bank account changes', everyMs: TICK_MS, run: now => applyDueAccounts(context, now, nextPage) },
  ]
}

function duePagesOf({ database }: Pick<ChangeContext, 'database'>) {
  return duePages(AT_ONCE, (now, after, limit) => selectDueAccounts(database, now, after, limit))
}

/** Applies one bounded batch of due bank accounts. Returns how many took effect. */
export async function applyDueAccounts(
  context: ChangeContext,
  now: Date,
  nextPage = duePagesOf(context),
): Promise<number> {
  let applied = 0
  for (const { id } of await nextPage(now)) {
    if (await unlessAltered(() => applyDue(context, id, now))) applied++
  }
  return applied
}

async function applyDue(context: ChangeContext, ownerId: Uuid, now: Date): Promise<boolean> {
  const applied = await changeOwner(context, ownerId, now, async (_tx, owner) => ({ owner, acts: [] }))
  return applied.pendingBankAccount === null
}

/** Changes an owner. A due account takes effect first and is recorded on its own. */
function changeOwner(
  { database, vault }: ChangeContext,
  ownerId: Uuid,
  now: Date,
  change: (tx: Queryable, owner: Owner) => Promise<{ readonly owner: Owner; readonly acts: readonly Act[] }>,
): Promise<Owner> {
  return database.inTransaction(
    async tx => {
      const stored = await lockOwner(tx, vault, ownerId)
      if (stored === null) throw ownerNotFound()
      const applied = applyDueAccount(stored, now)
      const { owner, acts } = await change(tx, applied)
      const versions = owner === stored ? [] : await updateKyc(tx, vault, owner.id, owner)
      await recordFacts(tx, vault, now, [...accountAppliedActs(stored, applied), ...acts], versions)
      return owner
    },
    { turns: [ownerId] },
  )
}

function nothingPending(): AppError {
  return new AppError('not_found', 'No change of the bank account is waiting')
}
