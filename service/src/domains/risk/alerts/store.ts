import type { RiskAlertStatus, RiskEvidence, RiskRuleName, RiskSeverity } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import type { PageRequest } from '../../../http/paging.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { AlertState } from '../scope.ts'
import { SERVICE_SUBJECT } from '../signals.ts'

/** An alert as it is stored. */
export interface Alert {
  readonly id: Uuid
  readonly agentId: Uuid | null
  /** null: the alert is about the service itself. */
  readonly platformId: Uuid | null
  readonly rule: RiskRuleName
  readonly severity: RiskSeverity
  readonly score: number
  readonly evidence: RiskEvidence
  readonly status: RiskAlertStatus
  readonly note: string | null
  readonly createdAt: Date
  readonly reviewedAt: Date | null
}

const COLUMNS = `id, agent_id as "agentId", platform_id as "platformId", rule, severity, score, evidence, status,
  note, created_at as "createdAt", reviewed_at as "reviewedAt"`

export interface NewAlert {
  readonly id: Uuid
  readonly subjectId: Uuid
  readonly rule: RiskRuleName
  readonly severity: RiskSeverity
  readonly score: number
  readonly evidence: RiskEvidence
  readonly createdAt: Date
}

/**
 * Opens alerts and returns those that it opened. If an alert of the same subject and rule is open already, that one
 * stays unchanged. A subject that is not an agent is a platform or the service itself.
 */
export function insertAlerts(tx: Queryable, alerts: readonly NewAlert[]): Promise<Alert[]> {
  return tx.query<Alert>(
    `insert into risk_alerts (id, subject_id, agent_id, platform_id, rule, severity, score, evidence, created_at)
     select v.id, v.subject, a.id, coalesce(a.platform_id, nullif(v.subject, '${SERVICE_SUBJECT}'::uuid)), v.rule, v.severity, v.score,
       v.evidence::jsonb, v.created_at
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::int4[], $6::text[], $7::timestamptz[])
       v(id, subject, rule, severity, score, evidence, created_at)
     left join agents a on a.id = v.subject
     order by v.subject, v.rule
     on conflict (subject_id, rule) where status = 'open' do nothing
     returning ${COLUMNS}`,
    [
      alerts.map(alert => alert.id),
      alerts.map(alert => alert.subjectId),
      alerts.map(alert => alert.rule),
      alerts.map(alert => alert.severity),
      alerts.map(alert => alert.score),
      alerts.map(alert => JSON.stringify(alert.evidence)),
      alerts.map(alert => alert.createdAt),
    ],
  )
}

/** By subject and rule: whether an alert is open, and the last review since a moment. */
export function selectAlertStates(
  tx: Queryable,
  subjectIds: readonly Uuid[],
  reviewedAfter: Date,
): Promise<AlertState[]> {
  return tx.query<AlertState>(
    `select s.id as "subjectId", r.rule, r.is_open as "isOpen", r.reviewed_at as "reviewedAt"
     from unnest($1::uuid[]) s(id)
     cross join lateral (
       select rule, bool_or(status = 'open') as is_open, max(reviewed_at) as reviewed_at
       from risk_alerts where subject_id = s.id and (status = 'open' or reviewed_at > $2)
       group by rule
     ) r`,
    [subjectIds, reviewedAfter],
  )
}

export async function selectAlert(db: Queryable, id: Uuid): Promise<Alert | null> {
  const [alert] = await db.query<Alert>(`select ${COLUMNS} from risk_alerts where id = $1`, [id])
  return alert ?? null
}

export interface Review {
  readonly status: Exclude<RiskAlertStatus, 'open'>
  readonly note: string | null
  readonly reviewedAt: Date
}

/** Closes an open alert; null if it is not open. */
export async function updateReviewed(
  tx: Queryable,
  id: Uuid,
  { status, note, reviewedAt }: Review,
): Promise<Alert | null> {
  const [alert] = await tx.query<Alert>(
    `update risk_alerts set status = $2, note = $3, reviewed_at = $4
     where id = $1 and status = 'open' returning ${COLUMNS}`,
    [id, status, note, reviewedAt],
  )
  return alert ?? null
}

export interface AlertFilter {
  readonly status: RiskAlertStatus | null
  readonly rule: RiskRuleName | null
  readonly severity: RiskSeverity | null
  readonly agentId: Uuid | null
}

const MATCHES = `($1::text is null or status = $1) and ($2::text is null or rule = $2)
  and ($3::text is null or severity = $3) and ($4::uuid is null or (subject_id = $4 and agent_id = $4))`

function valuesOf({ status, rule, severity, agentId }: AlertFilter): unknown[] {
  return [status, rule, severity, agentId]
}

/** A page of alerts, newest first. */
export function selectAlerts(db: Queryable, filter: AlertFilter, page: PageRequest): Promise<Alert[]> {
  return db.query<Alert>(
    `select ${COLUMNS} from risk_alerts where ${MATCHES} and ($5::uuid is null or id < $5)
     order by id desc limit $6 offset $7`,
    [...valuesOf(filter), page.before, page.fetch, page.offset],
  )
}

export async function countAlerts(db: Queryable, filter: AlertFilter): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int4 as count from risk_alerts where ${MATCHES}`,
    valuesOf(filter),
  )
  return row?.count ?? 0
}

/** The number of open alerts on all platforms. */
export async function countOpenAlerts(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int4 as count from risk_alerts where status = 'open'`,
    [],
  )
  return row?.count ?? 0
}

/** The alerts on an agent since a moment that are not dismissed, newest first. */
export function selectScoredAlerts(db: Queryable, agentId: Uuid, since: Date): Promise<Alert[]> {
  return db.query<Alert>(
    `select ${COLUMNS} from risk_alerts
     where subject_id = $1 and agent_id = $1 and status <> 'dismissed' and created_at > $2
     order by id desc limit 1000`,
    [agentId, since],
  )
}

export async function agentExists(db: Queryable, agentId: Uuid): Promise<boolean> {
  const rows = await db.query(`select id from agents where id = $1`, [agentId])
  return rows.length > 0
}
