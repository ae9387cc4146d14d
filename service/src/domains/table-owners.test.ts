import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'

/**
 * Tables have owners: one domain, or one part below the domains, writes a table. Who else reads it by name is listed
 * here; a new reader asks the owner's functions instead, or is added with a reason.
 */
const SOURCE = join(import.meta.dirname, '..')

/** Which part owns a table, by the beginning of its name; the longest that fits decides. */
const OWNERS: Readonly<Record<string, string>> = {
  accounts: 'ledger',
  changed_agents: 'ledger',
  transfers: 'ledger',
  fold_cursors: 'ledger',
  audit_: 'audit',
  audit_entries: 'operations',
  audit_queue: 'operations',
  events: 'operations',
  scan: 'operations',
  payment_events: 'operations',
  owner_events: 'operations',
  notification: 'notifications',
  push_: 'notifications',
  idempotent_requests: 'http',
  database_mark: 'db',
  row_macs: 'checks',
  agent_origins: 'parties',
  agents: 'parties',
  certificate_renewals: 'parties',
  daily_counts: 'parties',
  handles: 'parties',
  kyc_checks: 'parties',
  login_: 'parties',
  org_members: 'parties',
  organizations: 'parties',
  owners: 'parties',
  owner_policies: 'parties',
  pending_policy_changes: 'limits',
  platform: 'parties',
  previous_webhook_secrets: 'parties',
  passkeys: 'parties',
  sessions: 'parties',
  used_challenges: 'parties',
  text_messages: 'parties',
  tier_defaults: 'parties',
  connected_apps: 'limits',
  counterparty_windows: 'limits',
  policy_: 'limits',
  oauth_records: 'apps',
  allowances: 'payments',
  approvals: 'payments',
  authorizations: 'payments',
  escrows: 'payments',
  fundings: 'banking',
  gateway_: 'banking',
  payouts: 'banking',
  settlement_: 'banking',
  upi_collects: 'banking',
  consumed_nonces: 'pay-per-call',
  listing: 'pay-per-call',
  certificates: 'signing',
  signing_keys: 'signing',
  book_: 'checks',
  reconciliation_: 'checks',
  request_log: 'requests',
  risk_: 'risk',
  webhook_: 'webhooks',
  payment_days: 'admin',
  payment_hours: 'admin',
  sandbox_: 'sandbox',
}

/** Who else reads a table by its name. Statements that join whole lists cannot ask a function for each row. */
const READERS: Readonly<Record<string, readonly string[]>> = {
  accounts: ['admin', 'audit', 'banking', 'checks', 'operations', 'parties', 'payments'],
  agent_origins: ['limits', 'pay-per-call'],
  agents: [
    'admin',
    'audit',
    'banking',
    'limits',
    'operations',
    'pay-per-call',
    'payments',
    'risk',
    'webhooks',
  ],
  audit_entries: ['audit', 'checks', 'db', 'limits', 'parties', 'signing'],
  audit_queue: ['audit'],
  authorizations: ['admin'],
  connected_apps: ['operations'],
  escrows: ['admin'],
  events: ['notifications', 'webhooks'],
  fundings: ['checks', 'payments'],
  gateway_refunds: ['checks'],
  kyc_checks: ['checks'],
  org_members: ['limits'],
  owner_policies: ['limits', 'risk'],
  owners: ['admin', 'banking', 'limits', 'operations', 'webhooks'],
  owner_events: ['notifications'],
  payment_events: ['webhooks'],
  payouts: ['admin', 'checks', 'payments'],
  pending_policy_changes: ['parties'],
  platforms: ['admin', 'banking', 'webhooks'],
  previous_webhook_secrets: ['checks'],
  sandbox_clock: ['db'],
  sandbox_orders: ['db'],
  sandbox_otps: ['db'],
  signing_keys: ['audit'],
  tier_defaults: ['limits', 'risk'],
  transfers: ['admin', 'audit', 'banking', 'checks', 'db', 'limits', 'payments', 'risk', 'webhooks'],
}

/** Who else writes a table: operations and the ledger fill these queues, and others empty them. */
const WRITERS: Readonly<Record<string, readonly string[]>> = {
  audit_queue: ['audit'],
  changed_agents: ['payments'],
  events: ['webhooks'],
  owner_events: ['notifications'],
  payment_events: ['webhooks'],
}

interface Use {
  readonly table: string
  readonly part: string
  readonly writes: boolean
}

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'testing' ? [] : sources(path)
    const isSource = entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts')
    return isSource ? [path] : []
  })
}

function partOf(path: string): string {
  const [first = '', second = ''] = relative(SOURCE, path).split('/')
  return first === 'domains' ? second : first.replace(/\.ts$/, '')
}

const TABLES = new Set(
  readdirSync(join(SOURCE, 'db/migrations')).flatMap(name =>
    [
      ...readFileSync(join(SOURCE, 'db/migrations', name), 'utf8').matchAll(
        /^create (?:unlogged )?table (\w+)/gm,
      ),
    ].map(match => match[1] ?? ''),
  ),
)

function usesIn(path: string): Use[] {
  const texts = readFileSync(path, 'utf8').match(/`[^`]*`|'[^'\n]*'/g) ?? []
  return texts.flatMap(text =>
    [...text.matchAll(/\b(from|join|insert into|(?<!for )update|delete from)\s+([a-z_]+)\b/g)].flatMap(
      ([, verb = '', table = '']) =>
        TABLES.has(table) ? [{ table, part: partOf(path), writes: /insert|update|delete/.test(verb) }] : [],
    ),
  )
}

function ownerOf(table: string): string | undefined {
  const fits = Object.keys(OWNERS).filter(name => table === name || table.startsWith(name))
  const [best] = fits.toSorted((left, right) => right.length - left.length)
  return best === undefined ? undefined : OWNERS[best]
}

const uses = sources(SOURCE).flatMap(usesIn)

test('every table has an owner', () => {
  expect([...TABLES].filter(table => ownerOf(table) === undefined)).toEqual([])
})

function others(writes: boolean): Record<string, string[]> {
  const found: Record<string, Set<string>> = {}
  for (const use of uses) {
    if (use.writes !== writes || use.part === ownerOf(use.table)) continue
    ;(found[use.table] ??= new Set()).add(use.part)
  }
  return Object.fromEntries(Object.entries(found).map(([table, parts]) => [table, [...parts].toSorted()]))
}

test('only the owner of a table writes it, but for those that are listed with a reason', () => {
  expect(others(true)).toEqual(WRITERS)
})

test('who else reads a table by its name is listed', () => {
  expect(others(false)).toEqual(READERS)
})
