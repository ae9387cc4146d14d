/** What a metric says. Names begin with `batua_`, so that they collide with no other program's. */
interface Metric {
  readonly kind: 'gauge' | 'counter' | 'histogram'
  /** What its value counts: `seconds`, `rows`; `flag` is 1 or 0. */
  readonly unit: string
  readonly help: string
  readonly labels?: readonly string[]
  /** A gauge of the process, of which a node shows the sum of its processes. */
  readonly ofProcess?: true
}

/**
 * Every metric of the service, besides those of the process. Gauges are read from the database, so every node shows the
 * same, except `batua_ledger_queued_commands`; counters and histograms are the node's own. `deploy/prometheus` and docs/operations.md name no others.
 */
export const METRICS = {
  batua_http_request_duration_seconds: {
    kind: 'histogram',
    unit: 'seconds',
    help: 'Seconds from the arrival of a request to the end of its response',
    labels: ['method', 'route', 'status'],
  },
  batua_ledger_batch_commands: {
    kind: 'histogram',
    unit: 'commands',
    help: 'Number of commands in one commit',
  },
  batua_ledger_batch_seconds: {
    kind: 'histogram',
    unit: 'seconds',
    help: 'Seconds from taking a batch to its commit',
  },
  batua_ledger_batches_total: {
    kind: 'counter',
    unit: 'batches',
    help: 'Batches by how they were decided: optimistic, before anything was read; locked, on what was read under locks; overtaken, first the one and then the other, because another node had changed a wallet',
    labels: ['decided'],
  },
  batua_ledger_queued_commands: {
    kind: 'gauge',
    unit: 'commands',
    help: 'Commands of the ledger that wait for a committer on this node, as payments, holds and captures do',
    ofProcess: true,
  },
  batua_ledger_batch_failures_total: {
    kind: 'counter',
    unit: 'batches',
    help: 'Batches that failed and were run again command by command',
  },
  batua_ledger_check_passed: {
    kind: 'gauge',
    unit: 'flag',
    help: '1 if the ledger check found no fault, else 0; NaN before the first complete round',
  },
  batua_ledger_check_findings: {
    kind: 'gauge',
    unit: 'faults',
    help: 'Open faults that the ledger check found',
  },
  batua_ledger_check_age_seconds: {
    kind: 'gauge',
    unit: 'seconds',
    help: 'Seconds since the last complete round of the ledger check ended; NaN before the first',
  },
  batua_ledger_check_wallets: {
    kind: 'gauge',
    unit: 'wallets',
    help: 'Wallets checked in the current round of the ledger check',
  },
  batua_ledger_check_round_wallets: {
    kind: 'gauge',
    unit: 'wallets',
    help: 'Wallets checked in the last complete round of the ledger check',
  },
  batua_ledger_check_agrees: {
    kind: 'gauge',
    unit: 'flag',
    help: '1 if the ledger balance matched its records in the last round, else 0; the overview shows the amounts',
    labels: ['of'],
  },
  batua_altered_rows_refused_total: {
    kind: 'counter',
    unit: 'rows',
    help: 'Rows refused because their MAC does not match or they are older than their audited version',
    labels: ['table'],
  },
  batua_audit_leaves: {
    kind: 'gauge',
    unit: 'entries',
    help: 'Audit entries that the newest checkpoint covers',
  },
  batua_audit_waiting_leaves: {
    kind: 'gauge',
    unit: 'entries',
    help: 'Audit entries in the queue, not yet appended to the tree',
  },
  batua_audit_lag_seconds: {
    kind: 'gauge',
    unit: 'seconds',
    help: 'Age of the oldest queued audit entry in seconds; 0 if none is queued',
  },
  batua_audit_refused_rows: {
    kind: 'gauge',
    unit: 'rows',
    help: 'Rows of the audit queue that were refused, because they failed MAC verification or were in the tree already',
  },
  batua_audit_checkpoint_passed: {
    kind: 'gauge',
    unit: 'flag',
    help: '1 if the newest checkpoint has a valid signature and matches the tree, else 0',
  },
  batua_log_check_passed: {
    kind: 'gauge',
    unit: 'flag',
    help: '1 if the check of the audit log found no fault, else 0; NaN before the first complete round',
  },
  batua_log_check_findings: {
    kind: 'gauge',
    unit: 'faults',
    help: 'Open faults that the check of the audit log found',
  },
  batua_log_check_age_seconds: {
    kind: 'gauge',
    unit: 'seconds',
    help: 'Seconds since the last complete round of the check of the audit log ended; NaN before the first',
  },
  batua_reconciliation_differences: {
    kind: 'gauge',
    unit: 'differences',
    help: 'Differences between the ledger and the gateway in the last reconciliation; NaN before the first',
  },
  batua_webhook_queue_rows: {
    kind: 'gauge',
    unit: 'rows',
    help: 'Queued commits of payments and other events that are not fanned out to platforms yet',
  },
  batua_webhook_backlog_events: {
    kind: 'gauge',
    unit: 'events',
    help: 'Events of payments that wait for their first attempt',
  },
  batua_webhook_pending: {
    kind: 'gauge',
    unit: 'deliveries',
    help: 'Deliveries that wait for an attempt or a retry',
  },
  batua_webhook_oldest_pending_seconds: {
    kind: 'gauge',
    unit: 'seconds',
    help: 'Age of the oldest event not delivered yet to a receiver that is not gone; 0 when there is none',
  },
  batua_webhook_failed: {
    kind: 'gauge',
    unit: 'deliveries',
    help: 'Deliveries of the last 30 days that failed for good',
  },
  batua_webhook_attempts_total: {
    kind: 'counter',
    unit: 'attempts',
    help: 'Attempts to deliver a webhook by this node, by what the delivery was then',
    labels: ['status'],
  },
  batua_worker_exits_total: {
    kind: 'counter',
    unit: 'processes',
    help: 'Worker processes of this node that ended by themselves and were started again; 0 without WORKERS',
  },
  batua_request_log_dropped_total: {
    kind: 'counter',
    unit: 'requests',
    help: 'Finished requests that are not in the log of requests because the database was slow or away',
  },
} as const satisfies Readonly<Record<string, Metric>>

type Table = typeof METRICS

/** The names of the metrics of one kind. */
export type MetricName<Kind extends Metric['kind']> = {
  [Name in keyof Table]: Table[Name]['kind'] extends Kind ? Name : never
}[keyof Table]

export function metricOf(name: MetricName<Metric['kind']>): Metric {
  return METRICS[name]
}
