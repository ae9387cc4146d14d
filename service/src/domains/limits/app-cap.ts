import { type Refusal, refuse } from '../../kernel/app-error.ts'
import { formatId } from '../../kernel/ids.ts'
import { type Paise, rupees } from '../../kernel/money.ts'
import { type LedgerBatch, type Read, read } from '../../ledger/index.ts'
import { save } from '../../operations/entity.ts'
import { appActor, record } from '../../operations/facts.ts'
import { connectedApps } from './app-store.ts'
import { type AppKey, decideApp, limitsOf, spentToday, withReturned, withSpent } from './connected-app.ts'
import { decideLimits } from './decide.ts'
import type { AppUse } from './limit-usage.ts'

/** The cap of an app in one batch: a layer of its own beside those of the policy. */
export interface AppCap {
  /** Whether this amount fits, when the batch spends at most as much in all. */
  fits(amountPaise: Paise, plannedPaise: bigint): boolean
  /** The limits with what was spent until now, by earlier commands of the batch too. */
  use(): AppUse
}

/** The reads of a command that an app requests; null: none does. */
export function appReads(key: AppKey | null): Read[] {
  return key === null ? [] : [read(connectedApps, key)]
}

/** The cap of the app that a command was requested by, after `appReads`; null: there is none. */
export function appCap(batch: LedgerBatch, key: AppKey | null): AppCap | null {
  const found = key === null ? undefined : batch.read(connectedApps, key)
  if (found === undefined) return null
  const limits = limitsOf(found)
  const spentNow = () => spentToday(batch.read(connectedApps, found) ?? found, batch.nowMs)
  return {
    fits: (amountPaise, plannedPaise) =>
      amountPaise <= found.perTxPaise && spentNow() + plannedPaise <= found.dailyPaise,
    use: () => ({ limits, spentPaise: spentNow() }),
  }
}

/** The refusal of a request by an app that was disconnected or has expired; null also if no app asks. */
export function refuseEndedApp(batch: LedgerBatch, key: AppKey | null): Refusal | null {
  return key === null ? null : decideApp(batch.read(connectedApps, key), batch.nowMs)
}

/** The refusal of a request that waited for its owner, by an app that may not act any more. */
export function refuseApprovalOf(batch: LedgerBatch, key: AppKey | null): Refusal | null {
  const ended = refuseEndedApp(batch, key)
  const message =
    'The app that asked for this is no longer connected; reject the request, or ask for it again'
  return ended === null || key === null
    ? null
    : refuse('conflict', message, { details: { app_id: formatId('app', key.id) } })
}

/**
 * Checks an amount against the cap of the app alone: for a refund, which no other limit holds, but which takes money
 * out of the wallet.
 */
export function checkAppCap(batch: LedgerBatch, key: AppKey | null, amountPaise: Paise): Refusal | null {
  const cap = appCap(batch, key)
  const account = key === null ? undefined : batch.account(key.agentId)
  if (cap === null || account === undefined) return null
  return decideLimits({
    ...{ layers: [], amountPaise, escrowApplies: false, spending: account.spending, counterparty: null },
    app: cap.use(),
    nowMs: batch.nowMs,
    fitsAgainMs: () => batch.nowMs,
  })
}

/** Counts what an app has spent, in its commit. `made` is the id of the payment, hold or refund. */
export function countAppSpend(
  batch: LedgerBatch,
  key: AppKey | null,
  amountPaise: Paise,
  made: { readonly [name: string]: string },
): void {
  const before = key === null ? undefined : batch.read(connectedApps, key)
  if (before === undefined) return
  const app = withSpent(before, amountPaise, batch.nowMs)
  save(batch, connectedApps, app)
  record(batch, {
    agentId: app.agentId,
    actor: appActor(app),
    action: 'app.spent',
    target: formatId('app', app.id),
    data: {
      ...made,
      amount: rupees(amountPaise),
      spent_today: rupees(app.spentPaise),
      uses: app.uses,
    },
  })
}

/** Takes back what an app had spent, because the money returned to the wallet. */
export function returnToApp(
  batch: LedgerBatch,
  key: AppKey | null,
  amountPaise: Paise,
  spentMs: number,
): void {
  const app = key === null ? undefined : batch.read(connectedApps, key)
  if (app !== undefined) save(batch, connectedApps, withReturned(app, amountPaise, spentMs))
}
