import { DAY_MS, HOUR_MS, istDay } from '../kernel/clock.ts'
import type { Uuid } from '../kernel/ids.ts'
import { ZERO_PAISE } from '../kernel/money.ts'
import type { Account, Spending } from '../ledger/index.ts'

/** The spending of an account that was opened at this moment. */
export function nothingSpent(openedMs: number): Spending {
  return {
    lastSpentMs: openedMs,
    hourFromMs: openedMs - HOUR_MS,
    hourSpentPaise: ZERO_PAISE,
    dayFromMs: openedMs - DAY_MS,
    daySpentPaise: ZERO_PAISE,
    istDay: istDay(new Date(openedMs)),
    istDaySpentPaise: ZERO_PAISE,
    istMonthSpentPaise: ZERO_PAISE,
    hourRecipientsBound: 0,
  }
}

/** A wallet's account as a batch has it in memory, for decisions without a database. */
export function testAccount(id: Uuid, openedMs: number, fields: Partial<Account> = {}): Account {
  return {
    id,
    agentVersion: 1,
    balancePaise: ZERO_PAISE,
    totalFundedPaise: ZERO_PAISE,
    totalSpentPaise: ZERO_PAISE,
    sequence: 0n,
    lastPostedMs: openedMs,
    spending: nothingSpent(openedMs),
    countedThroughMs: 0,
    countedThroughSequence: 0n,
    policySinceMs: null,
    releases: null,
    plannedPaise: ZERO_PAISE,
    plannedSpends: 0,
    needsExactWindows: false,
    changed: false,
    ...fields,
  }
}
