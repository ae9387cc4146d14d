import type { Queryable } from '../db/database.ts'
import { assert } from '../kernel/assert.ts'
import type { Finding } from './scan.ts'

/** Where a scan is, for people: its rounds and what is open. */
export interface ScanRound {
  readonly isRunning: boolean
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  readonly openFindings: number
  /** The newest open findings. */
  readonly findings: readonly OpenFinding[]
}

export interface OpenFinding extends Finding {
  readonly foundAt: Date
}

/** Reads the round of a scan and at most `atMost` of its open findings. */
export async function readScanRound(db: Queryable, name: string, atMost: number): Promise<ScanRound> {
  const [scan] = await db.query<Omit<ScanRound, 'findings'>>(
    `select is_running as "isRunning", started_at as "startedAt", finished_at as "finishedAt",
       (select count(*) from scan_findings where scan = $1 and healed_at is null)::float8 as "openFindings"
     from scans where name = $1`,
    [name],
  )
  assert(scan !== undefined, 'the scans are rows of the schema')
  const findings = await db.query<OpenFinding>(
    `select subject, kind, detail, found_at as "foundAt" from scan_findings
     where scan = $1 and healed_at is null order by found_at desc, subject, kind limit $2`,
    [name, atMost],
  )
  return { ...scan, findings }
}
