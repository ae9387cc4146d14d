import { type Check, type CheckName, MAX_LISTED_FINDINGS } from '@batua/contract'
import type { OpenFinding, ScanRound } from '../../operations/scan-round.ts'
import { readLogCheckRound } from '../audit/index.ts'
import { readLedgerCheckRound, readReconciliationRound } from '../checks/index.ts'
import type { AdminContext } from './context.ts'

/** The checks in one snapshot: where each is, and what it found. */
export function readChecks({ database }: Pick<AdminContext, 'database'>): Promise<{ checks: Check[] }> {
  return database.inTransaction(async tx => {
    await tx.query('set transaction isolation level repeatable read, read only')
    return {
      checks: [
        checkRecord('ledger_check', await readLedgerCheckRound(tx, MAX_LISTED_FINDINGS)),
        checkRecord('log_check', await readLogCheckRound(tx, MAX_LISTED_FINDINGS)),
        checkRecord('reconciliation', await readReconciliationRound(tx)),
      ],
    }
  })
}

function checkRecord(check: CheckName, round: ScanRound): Check {
  return {
    check,
    running: round.isRunning,
    started_at: round.startedAt?.toISOString() ?? null,
    finished_at: round.finishedAt?.toISOString() ?? null,
    open_findings: round.openFindings,
    findings: round.findings.map(findingRecord),
  }
}

function findingRecord({ subject, kind, detail, foundAt }: OpenFinding): Check['findings'][number] {
  return { subject, kind, detail, found_at: foundAt.toISOString() }
}
