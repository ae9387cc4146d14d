import { arrayLiteral, textArrayLiteral } from '../../db/array-literal.ts'
import type { Database, Queryable } from '../../db/database.ts'
import {
  type CheckedTable,
  type CoveredTable,
  checkedEngineTable,
  checkedTable,
  writeMacs,
} from '../../db/row-mac.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Logger } from '../../kernel/logger.ts'
import type { Vault } from '../../kernel/secrets.ts'
import { recordFacts, service } from '../../operations/facts.ts'
import { completePayouts, completeRefunds, fundings, payouts, REFUND_ROWS } from '../banking/index.ts'
import { AGENT_ROWS, connectedApps, OWNER_POLICY_ROWS, TIER_ROWS, VERSION_ROWS } from '../limits/index.ts'
import {
  emailOf,
  KYC_CHECK_ROWS,
  ORGANIZATION_ROWS,
  OWNER_ROWS,
  PASSKEY_ROWS,
  PLATFORM_ROWS,
  personalContext,
  SESSION_ROWS,
  sessionPhoneOf,
  webhookSecretOf,
} from '../parties/index.ts'
import { allowances, approvals, authorizations, escrows } from '../payments/index.ts'

/** All tables whose rows have MACs, in the order in which the ledger check goes through them. */
export const CHECKED_TABLES: readonly CheckedTable[] = [
  ...[TIER_ROWS, PLATFORM_ROWS, OWNER_ROWS, KYC_CHECK_ROWS, OWNER_POLICY_ROWS, AGENT_ROWS].map(checkedTable),
  VERSION_ROWS,
  ...[ORGANIZATION_ROWS, SESSION_ROWS, PASSKEY_ROWS].map(checkedTable),
  ...[
    escrows.rows,
    authorizations.rows,
    approvals.rows,
    allowances.rows,
    connectedApps.rows,
    fundings.rows,
    REFUND_ROWS,
    payouts.rows,
  ].map(checkedEngineTable),
]

interface Context {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly logger: Logger
}

/** Writes the MACs of a bounded batch of a table's rows of releases without MACs; returns how many. */
interface OldRows {
  readonly table: string
  readonly complete: (tx: Queryable, vault: Vault, limit: number) => Promise<number>
}

const TABLES: readonly OldRows[] = [
  covered(TIER_ROWS),
  covered(PLATFORM_ROWS, convertPlatforms),
  covered(OWNER_ROWS, convertOwners),
  covered(KYC_CHECK_ROWS, convertChecks),
  covered(AGENT_ROWS, convertAgents),
  covered(OWNER_POLICY_ROWS),
  covered(SESSION_ROWS, convertSessions),
  covered(ORGANIZATION_ROWS),
  { table: 'payouts', complete: completeOldPayouts },
  { table: 'escrows', complete: escrows.completeMacs },
  { table: 'approvals', complete: approvals.completeMacs },
  { table: 'fundings', complete: fundings.completeMacs },
  { table: 'gateway_refunds', complete: completeRefunds },
]

/** `convert` makes the other values that rows need besides their MAC. */
function covered(
  rows: CoveredTable,
  convert?: (tx: Queryable, vault: Vault, ids: readonly string[]) => Promise<void>,
): OldRows {
  return {
    table: rows.table,
    async complete(tx, vault, limit) {
      const old = await tx.query<{ id: string }>(
        `select r.${rows.id} as id from ${rows.table} r where r.mac is null order by r.${rows.id} limit $1 for update`,
        [limit],
      )
      const ids = old.map(({ id }) => id)
      if (ids.length === 0) return 0
      await convert?.(tx, vault, ids)
      await writeMacs(tx, vault, rows, ids)
      return ids.length
    },
  }
}

const ROWS_AT_ONCE = 500

/**
 * Writes MACs, keyed hashes and encryption bound to their row for rows of earlier releases, before any request is served.
 * Once for each table: a table that the audit log records as complete is never done again, so a later row without a MAC
 * is refused. Returns the number of rows.
 */
export async function completeRows(context: Context): Promise<number> {
  let completed = 0
  for (const table of TABLES) {
    for (;;) {
      const rows = await completeBatch(context, table)
      if (rows === null) break
      completed += rows
    }
  }
  return completed
}

/** Runs under the lock of the table's own row, so that one of several nodes does a batch. null: the table is complete. */
function completeBatch(
  { database, clock, vault, logger }: Context,
  { table, complete }: OldRows,
): Promise<number | null> {
  return database.inTransaction(async tx => {
    const [marker] = await tx.query<{ completedAt: Date | null }>(
      `select completed_at as "completedAt" from row_macs where table_name = $1 for update`,
      [table],
    )
    if (marker?.completedAt instanceof Date) return null
    if (await wasCompleted(tx, table)) {
      logger.error(
        { table },
        'row MACs: table is recorded as complete in the audit log, but row_macs was altered',
      )
      return null
    }
    const rows = await complete(tx, vault, ROWS_AT_ONCE)
    if (rows > 0) return rows
    const now = clock.now()
    await tx.query(
      `insert into row_macs (table_name, completed_at) values ($1, $2)
       on conflict (table_name) do update set completed_at = excluded.completed_at`,
      [table, now],
    )
    await recordFacts(tx, vault, now, [
      { agentId: null, actor: service('start'), action: 'rows.completed', target: table, data: {} },
    ])
    return null
  })
}

async function wasCompleted(tx: Queryable, table: string): Promise<boolean> {
  const entries = await tx.query(
    `select id from audit_entries where action = 'rows.completed' and target = $1 limit 1`,
    [table],
  )
  return entries.length > 0
}

function completeOldPayouts(tx: Queryable, vault: Vault, limit: number): Promise<number> {
  const convert = (ownerId: string, account: Buffer) =>
    vault.encrypt(vault.decrypt(account, 'owners.bank_account'), personalContext(ownerId, 'bank_account'))
  return completePayouts(tx, vault, limit, convert)
}

/** Encrypts a value again, for its row. */
function rebind(vault: Vault, value: Buffer, from: string, to: string): string {
  return vault.encrypt(vault.decrypt(value, from), to).toString('hex')
}

async function update(
  tx: Queryable,
  table: string,
  column: string,
  values: readonly { readonly id: string; readonly hex: string }[],
): Promise<void> {
  if (values.length === 0) return
  await tx.query(
    `update ${table} t set ${column} = decode(v.hex, 'hex') from unnest($1::uuid[], $2::text[]) v(id, hex)
     where t.id = v.id`,
    [arrayLiteral(values.map(({ id }) => id)), textArrayLiteral(values.map(({ hex }) => hex))],
  )
}

interface OldValue {
  readonly id: string
  readonly value: Buffer
}

function selectOld(
  tx: Queryable,
  table: string,
  column: string,
  ids: readonly string[],
): Promise<OldValue[]> {
  return tx.query<OldValue>(
    `select id, ${column} as value from ${table} where id = any($1::uuid[]) and ${column} is not null`,
    [arrayLiteral(ids)],
  )
}

/** Replaces the hashes or ciphertexts of a column by the results of `to`. */
async function convertColumn(
  tx: Queryable,
  ids: readonly string[],
  { table, column }: { readonly table: string; readonly column: string },
  to: (old: OldValue) => string,
): Promise<void> {
  const old = await selectOld(tx, table, column, ids)
  await update(
    tx,
    table,
    column,
    old.map(row => ({ id: row.id, hex: to(row) })),
  )
}

async function convertPlatforms(tx: Queryable, vault: Vault, ids: readonly string[]): Promise<void> {
  const table = 'platforms'
  await convertColumn(tx, ids, { table, column: 'secret_hash' }, ({ value }) =>
    vault.credentialHashOf(value, 'platforms.secret').toString('hex'),
  )
  await convertColumn(tx, ids, { table, column: 'email' }, ({ id, value }) =>
    rebind(vault, value, 'platforms.email', emailOf(id)),
  )
  await convertColumn(tx, ids, { table, column: 'webhook_secret' }, ({ id, value }) =>
    rebind(vault, value, 'platforms.webhook_secret', webhookSecretOf(id)),
  )
  const previous = await tx.query<{ id: string; platformId: string; secret: Buffer }>(
    `select id, platform_id as "platformId", secret from previous_webhook_secrets where platform_id = any($1::uuid[])`,
    [arrayLiteral(ids)],
  )
  await update(
    tx,
    'previous_webhook_secrets',
    'secret',
    previous.map(({ id, platformId, secret }) => ({
      id,
      hex: rebind(vault, secret, 'platforms.webhook_secret', webhookSecretOf(platformId)),
    })),
  )
}

const PERSONAL = ['phone', 'email', 'pan', 'bank_account'] as const

async function convertOwners(tx: Queryable, vault: Vault, ids: readonly string[]): Promise<void> {
  for (const column of PERSONAL) {
    await convertColumn(tx, ids, { table: 'owners', column }, ({ id, value }) =>
      rebind(vault, value, `owners.${column}`, personalContext(id, column)),
    )
  }
  const pending = { table: 'owners', column: 'pending_bank_account' }
  await convertColumn(tx, ids, pending, ({ id, value }) =>
    rebind(vault, value, 'owners.bank_account', personalContext(id, 'bank_account')),
  )
}

async function convertChecks(tx: Queryable, vault: Vault, ids: readonly string[]): Promise<void> {
  const checks = await tx.query<{ id: string; ownerId: string; account: Buffer }>(
    `select id, owner_id as "ownerId", bank_account as account from kyc_checks where id = any($1::uuid[])`,
    [arrayLiteral(ids)],
  )
  await update(
    tx,
    'kyc_checks',
    'bank_account',
    checks.map(({ id, ownerId, account }) => ({
      id,
      hex: rebind(vault, account, 'owners.bank_account', personalContext(ownerId, 'bank_account')),
    })),
  )
}

async function convertAgents(tx: Queryable, vault: Vault, ids: readonly string[]): Promise<void> {
  const table = 'agents'
  await convertColumn(tx, ids, { table, column: 'key_hash' }, ({ value }) =>
    // An ended agent has no key.
    value.length === 0 ? '' : vault.credentialHashOf(value, 'agents.key').toString('hex'),
  )
  await convertColumn(tx, ids, { table, column: 'private_key' }, ({ id, value }) =>
    rebind(vault, value, 'agents.private_key', `agents.private_key:${id}`),
  )
}

async function convertSessions(tx: Queryable, vault: Vault, ids: readonly string[]): Promise<void> {
  const table = 'sessions'
  await convertColumn(tx, ids, { table, column: 'token_hash' }, ({ value }) =>
    vault.credentialHashOf(value, 'sessions.token').toString('hex'),
  )
  await convertColumn(tx, ids, { table, column: 'phone' }, ({ id, value }) =>
    rebind(vault, value, 'sessions.phone', sessionPhoneOf(id)),
  )
}
