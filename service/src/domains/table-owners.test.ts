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
  traced_payments: 'ledger',
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
  app_tool_calls: 'apps',
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

/**
 * Who else reads a table by its name, and why it does not ask the owner’s functions. Most are statements that join whole
 * lists, where a function would be called for each row.
 */
const READERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  accounts: {
    admin: 'sums the balances of the whole service, and lists the wallets below zero',
    audit: 'orders the facts of an agent by the sequence of its wallet',
    banking: 'a settlement finds the wallets with money that is due, thousands in one statement',
    checks: 'the ledger check compares each balance with its transfers',
    operations: 'an event gets the sequence of its wallet in the statement that inserts it',
    parties: 'locks the wallets of a group of agents, and sums what an organization has',
    payments: 'balances, statements and lists show a wallet together with its transfers',
  },
  agent_origins: {
    limits: 'the MAC of an agent covers its origins, and is computed in SQL',
    'pay-per-call': 'a search of listings joins the proved origin of each seller',
  },
  agents: {
    admin: 'counts all agents by status, and lists those whose wallet is below zero',
    audit: 'finds whose agents the entries of a page concern',
    banking: 'fundings, payouts and settlements are listed and paid with the agent’s owner and platform',
    limits: 'the policy of an agent is read from all its layers in one round trip',
    operations: 'an event gets the agent’s platform in the statement that inserts it',
    'pay-per-call': 'a search of listings joins the handle and the state of each seller',
    payments: 'lists and statements join the handles of both sides of each transfer',
    risk: 'evidence and alerts join the agents concerned, and a rule scans all agents with their limits',
    webhooks:
      'an event is delivered to the platform of its agent, and a stream follows the agents of its caller',
  },
  audit_entries: {
    audit: 'the log is made of the entries that operations writes',
    checks: 'whether all rows of a table have their MACs is proved by an entry',
    db: 'the version that a MAC covers is the number of entries about the row',
    limits: 'versions of policies from before their table are read from the log; a cap proves what was spent',
    parties:
      'passkeys, old policies and rows without a MAC are checked against their entries in one statement',
    signing: 'a revocation that the log has is effective even when the row was put back',
  },
  audit_queue: {
    audit: 'it empties the queue that operations fills',
  },
  authorizations: {
    admin: 'the overview sums all money of the service in one snapshot',
  },
  connected_apps: {
    apps: 'the entries of an hour have the names of their apps, in the statement that takes the counts',
    operations: 'the fact of a payment has the name of the app, in the statement that writes it',
  },
  escrows: {
    admin: 'the overview sums all money of the service in one snapshot',
  },
  events: {
    notifications: 'it empties its queue of events that operations fills',
    webhooks: 'it distributes, lists and streams the events that operations records',
  },
  fundings: {
    checks: 'reconciliation compares fundings with the gateway’s orders, page by page',
    payments: 'a statement joins the details of each funding',
  },
  gateway_refunds: {
    checks: 'reconciliation compares refunds with the gateway’s, page by page',
  },
  kyc_checks: {
    checks: 'the rows that have no MAC yet get one, table by table',
  },
  org_members: {
    limits: 'the MAC of an agent covers its memberships, and is computed in SQL',
  },
  owner_events: {
    notifications: 'it empties the queue that operations fills',
  },
  owner_policies: {
    limits: 'the policy of an agent is read from all its layers in one round trip',
    risk: 'a rule compares all payers of a stretch with their limits in one statement',
  },
  owners: {
    admin: 'counts all owners',
    banking: 'a payout is made to the verified account of the owner, read with the agent',
    limits: 'the policy of an agent is read from all its layers in one round trip',
    operations: 'an event gets the owner’s platform in the statement that inserts it',
    webhooks: 'an event is delivered to the platform of its owner',
  },
  payment_events: {
    webhooks: 'it empties the queue that the ledger fills',
  },
  payouts: {
    admin: 'the overview sums all money of the service in one snapshot',
    checks: 'reconciliation compares payouts with the provider’s transfers, page by page',
    payments: 'a statement joins the details of each payout',
  },
  pending_policy_changes: {
    parties: 'an owner’s change is announced when no later one waits, in one statement',
  },
  platforms: {
    admin: 'counts all platforms',
    banking: 'the checkout page shows the names of the agent and of its platform',
    webhooks: 'the address and the secret of a platform are read with the events that wait for it',
  },
  previous_webhook_secrets: {
    checks: 'the rows that have no MAC yet get one, table by table',
  },
  sandbox_clock: {
    db: 'live mode refuses a database of the sandbox before any domain is open',
  },
  sandbox_orders: {
    db: 'live mode refuses a database of the sandbox before any domain is open',
  },
  sandbox_otps: {
    db: 'live mode refuses a database of the sandbox before any domain is open',
  },
  signing_keys: {
    audit: 'a checkpoint is stored only if its key is not revoked, in one statement',
  },
  tier_defaults: {
    limits: 'the policy of an agent is read from all its layers in one round trip',
    risk: 'a rule compares all payers of a stretch with their limits in one statement',
  },
  transfers: {
    admin: 'payments are counted by day, and the transfers that took a wallet below zero are listed',
    audit: 'each transfer has a leaf in the log, and the log is compared with them',
    banking: 'fundings and payouts are read with their transfers; a settlement needs the age of each credit',
    checks: 'the ledger check adds all transfers, and reconciliation compares them with the gateway',
    db: 'a database without transfers may be opened in another mode',
    limits: 'exact windows and exposure are sums over transfers',
    payments: 'payments, refunds and holds are transfers, and are listed as such',
    risk: 'each rule is a statement over a stretch of transfers',
    webhooks: 'the body of a payment’s event is made from its transfer',
  },
}

/** Who else writes a table, and why. */
const WRITERS: typeof READERS = {
  audit_queue: { audit: 'it empties the queue that operations fills' },
  changed_agents: { payments: 'it empties the queue that the ledger fills' },
  events: { webhooks: 'it marks the events that it has distributed' },
  owner_events: { notifications: 'it empties the queue that operations fills' },
  payment_events: { webhooks: 'it empties the queue that operations fills' },
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

function partsOf(listed: typeof READERS): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(listed).map(([table, reasons]) => [table, Object.keys(reasons).toSorted()]),
  )
}

test('only the owner of a table writes it, but for those that are listed with a reason', () => {
  expect(others(true)).toEqual(partsOf(WRITERS))
})

test('another domain reads a table by its name only where a reason is listed', () => {
  expect(others(false)).toEqual(partsOf(READERS))
})
