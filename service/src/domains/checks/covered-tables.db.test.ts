import { expect } from 'vitest'
import { database, test } from '../../testing/database-test.ts'
import { CHECKED_TABLES } from './row-macs.ts'

/** The ledger check goes through them all. */
const COVERED = CHECKED_TABLES.map(({ table }) => table)

const SANDBOX = 'simulates what is outside; live mode never reads it'
const COUNT = 'counts or bounds tries; a reset count gives more tries, and no access'
const FOLDED = 'is made of transfers and moves no money'
const WORK = 'says how far work has come; who does the work proves what it decides by'
const LOG = 'belongs to the log, whose tree and signed checkpoints prove it'
const WEBHOOK = 'decides which events platforms get, and the MAC of each event covers what it says'

/** What has no row MAC, and why it needs none. */
const UNCOVERED: Readonly<Record<string, string>> = {
  accounts: 'a MAC would cost two on every payment; the transfers prove balances',
  transfers: 'each has a MAC of its own, chained by account',
  counterparty_windows: 'windows of spending like those on accounts, made with every payment',
  handles: 'the MAC of the agent covers its handle, and is proven when a handle is looked up',
  agent_origins: 'the MAC of the agent covers it',
  oauth_records:
    'the encryption of the payload authenticates its kind, id and expiry; a deleted mark of a used code lets it be used again',
  org_members: 'the MAC of the agent covers it',
  pending_policy_changes: 'the MACs of agents and of owners’ policies cover it',
  policy_layers: 'the key of a row is a MAC over its content',
  previous_webhook_secrets: 'the MAC of the platform covers it',
  signing_keys: 'the encryption of the private key authenticates every other column',
  certificates: 'each has a MAC of its own',
  certificate_renewals: WORK,
  changed_agents: 'says whose authorizations are checked; each change of them has its own proof',
  used_challenges:
    'a deleted row lets a challenge be used again, in its session, for the same document, within five minutes',
  consumed_nonces: 'moves no money; a deleted row lets its payee be shown a paid nonce again',
  listings: 'moves no money: before a payment, buyers check the origins that the service signs',
  listing_days: 'is only shown',
  idempotent_requests:
    'the encryption of the response authenticates the row; a key pays once by the transfers',
  database_mark: 'has a MAC of its own',
  row_macs: 'the log says which tables are complete, whatever is written here',
  login_codes: 'a keyed hash binds a code to its phone',
  login_phones: COUNT,
  login_places: COUNT,
  login_wrong_tries: COUNT,
  login_totp_steps: COUNT,
  platform_agent_counts: COUNT,
  daily_counts: 'bounds how often banks are asked and strangers send messages, and moves no money',
  upi_collects: COUNT,
  text_messages: 'is encrypted, and only informs a person',
  push_keys: 'the encryption of the private key authenticates the public one',
  notification_settings: 'moves no money; its phone is encrypted for its row, so no message goes elsewhere',
  push_subscriptions: 'moves no money; the encryption authenticates whose browser it is',
  notifications: 'only informs a person; the events that it names have MACs',
  owner_events: 'says of which events owners must still be notified; each event has a MAC of its own',
  settlement_runs: 'says when a run is made; each payout of it proves its owner and its agent',
  settlement_skips: 'is only shown',
  events: 'each has a MAC of its own',
  payment_events: WEBHOOK,
  webhook_backlog: WEBHOOK,
  webhook_endpoints: WEBHOOK,
  webhook_deliveries: WEBHOOK,
  gateway_notices: 'detects duplicates of webhooks; a webhook only says what to ask the gateway',
  payment_days: FOLDED,
  payment_hours: 'is only shown',
  traced_payments: 'moves no money; it links the spans of a payment',
  app_tool_calls: 'moves no money; the log has what it counts',
  request_log: 'is only shown',
  request_log_counts: 'is only shown',
  request_log_slots: WORK,
  book_sums: FOLDED,
  fold_cursors: FOLDED,
  scans: WORK,
  scan_findings: 'is what a check found; it finds it again',
  risk_rules: 'decides which alerts are raised',
  risk_alerts: 'only informs administrators; each decision of theirs has its own proof',
  risk_cursor: WORK,
  risk_first_payments: FOLDED,
  risk_signals: FOLDED,
  reconciliation_runs: WORK,
  reconciliation_differences: 'only informs administrators, and the next run finds it again',
  reconciliation_settlements: 'only informs administrators, and the next run finds it again',
  audit_entries: LOG,
  audit_queue: LOG,
  audit_refused: LOG,
  audit_tiles: LOG,
  audit_tree: LOG,
  audit_beginning: LOG,
  sandbox_clock: SANDBOX,
  sandbox_orders: SANDBOX,
  sandbox_payments: SANDBOX,
  sandbox_refunds: SANDBOX,
  sandbox_otps: SANDBOX,
  sandbox_beneficiaries: SANDBOX,
  sandbox_payouts: SANDBOX,
  sandbox_outages: SANDBOX,
  sandbox_notices: SANDBOX,
  sandbox_messages: SANDBOX,
}

test('every table has row MACs, or is listed with the reason why it needs none', async () => {
  const tables = await database.query<{ name: string }>(
    // A partition is part of its table.
    `select relname::text as name from pg_class
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
       and relname <> 'schema_version'`,
  )
  const known = [...COVERED, ...Object.keys(UNCOVERED)]
  expect(tables.map(({ name }) => name).toSorted()).toEqual(known.toSorted())
})

test('every table with row MACs has a row that says whether its rows from before have theirs', async () => {
  const tables = await database.query<{ name: string }>(`select table_name as name from row_macs`)
  expect(tables.map(({ name }) => name).toSorted()).toEqual(COVERED.toSorted())
})
