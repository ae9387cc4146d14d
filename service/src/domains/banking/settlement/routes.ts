import {
  listSettlementSkips,
  listSettlements,
  type SettlementRun,
  type SettlementSkip,
} from '@batua/contract'
import type { Database } from '../../../db/database.ts'
import { page, pageOf } from '../../../http/paging.ts'
import type { Serve } from '../../../http/serve.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { dayFromText, dayText } from '../../../kernel/business-days.ts'
import { istDay, startOfIstDay } from '../../../kernel/clock.ts'
import { firstUuidAt, formatId, type Uuid } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import {
  countRuns,
  countSkips,
  type ListedSkip,
  type Run,
  selectRuns,
  selectSkipCounts,
  selectSkips,
} from './store.ts'

export function serveSettlement(serve: Serve, { database }: { readonly database: Database }): void {
  serve(listSettlements, async ({ query }) => {
    const request = pageOf(query)
    const beforeDay = request.before === null ? null : dayOfId(request.before)
    const [runs, total] = await Promise.all([
      selectRuns(database, { fetch: request.fetch, offset: request.offset, beforeDay }),
      countRuns(database),
    ])
    const rows = runs.map(run => ({ ...run, id: idOfDay(run.day) }))
    return page('settlements', rows, runRecord, total, request)
  })

  serve(listSettlementSkips, async ({ params, query }) => {
    const request = pageOf(query)
    const day = dayFromText(params.day)
    const counts = day === null ? null : await selectSkipCounts(database, day)
    if (day === null || counts === null) {
      throw new AppError(
        'not_found',
        'There was no settlement run on this day; list the runs to see which there were',
      )
    }
    const reason = query.reason ?? null
    const skips = await selectSkips(database, { day, reason }, request)
    return page('skipped', skips, skipRecord, countSkips(counts, reason), request)
  })
}

/** A cursor is an id. The cursor of a day is the first id that could be created on it. */
function idOfDay(day: number): Uuid {
  return firstUuidAt(startOfIstDay(day))
}

const TIME_DIGITS = 12

function dayOfId(id: Uuid): number {
  return istDay(new Date(Number.parseInt(id.replaceAll('-', '').slice(0, TIME_DIGITS), 16)))
}

function runRecord({ day, paidCount, paidPaise, skipped, startedAt, finishedAt }: Run): SettlementRun {
  return {
    day: dayText(day),
    status: finishedAt === null ? 'running' : 'finished',
    paid_count: paidCount,
    paid_amount: rupees(paidPaise),
    skipped: {
      no_verified_bank_account: skipped.no_verified_bank_account ?? 0,
      agent_frozen: skipped.agent_frozen ?? 0,
      agent_quarantined: skipped.agent_quarantined ?? 0,
      below_minimum: skipped.below_minimum ?? 0,
    },
    started_at: startedAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
  }
}

function skipRecord({ agentId, agentName, ownerId, reason, balancePaise }: ListedSkip): SettlementSkip {
  return {
    agent_id: formatId('agt', agentId),
    agent_name: agentName,
    owner_id: formatId('own', ownerId),
    reason,
    balance: rupees(balancePaise),
  }
}
