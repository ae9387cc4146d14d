import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { inject } from 'vitest'

/** A database for one service under test, with access for the test. */
export interface ServiceDatabase {
  readonly url: string
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** A digest of every table's rows: the same digest means that nothing was changed. Left out are the signals of the
   * risk rules (wrong credentials among them), the log of requests, what jobs write for the overview and for the audit log, and of webhooks
   * all except those that a platform requested, because the others are being delivered.
   */
  fingerprint(): Promise<Record<string, string>>
  drop(): Promise<void>
}

/** A new, migrated database on the tests' server. */
export async function createDatabase(): Promise<ServiceDatabase> {
  const { url: serverUrl, template, prefix } = inject('testServer')
  const name = `${prefix}${randomBytes(6).toString('hex')}`
  await once(serverUrl, `create database ${name} template ${template} strategy file_copy`)
  const url = withName(serverUrl, name)
  const window = await openTestDatabase(url)
  return {
    ...window,
    url,
    async drop() {
      await window.close()
      await once(serverUrl, `drop database ${name} with (force)`)
    },
  }
}

export interface TestDatabase extends Pick<ServiceDatabase, 'query' | 'fingerprint'> {
  close(): Promise<void>
}

/** A separate connection to the database of a service. */
export async function openTestDatabase(url: string): Promise<TestDatabase> {
  const client = new Client({ connectionString: url })
  // A server that is killed breaks this connection too; the next query fails then.
  client.on('error', () => undefined)
  await client.connect()
  const query = async <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> => {
    const result = await client.query<Row>(text, [...values])
    return result.rows
  }
  return { query, fingerprint: () => fingerprint(query), close: () => client.end() }
}

type Query = ServiceDatabase['query']

/** The rows and columns of a table that are compared, if not all of them. */
const ROWS: Readonly<Record<string, string>> = {
  audit_entries: `where action <> 'risk.alert_opened'`,
  webhook_deliveries: `where event = 'webhook.test'`,
}
const ROW: Readonly<Record<string, string>> = {
  events: `(to_jsonb(t) - 'queued')::text`,
  // The service checks open sessions by itself when they are due.
  fundings: `(to_jsonb(t) - 'next_check_at')::text`,
  // Noted when a push service responds.
  push_subscriptions: `(to_jsonb(t) - 'last_notified_at' - 'failures' - 'paused_until')::text`,
  // Noted once a minute, whatever the request.
  connected_apps: `(to_jsonb(t) - 'last_used_at')::text`,
  sessions: `(to_jsonb(t) - 'last_used_at')::text`,
}

async function fingerprint(query: Query): Promise<Record<string, string>> {
  const tables = await query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_name not like 'risk\\_%'
       and table_name not like 'reconciliation\\_%' and table_name not like 'request\\_log%'
       and (table_name not like 'audit\\_%' or table_name = 'audit_entries')
       and table_name not in ('payment_days', 'payment_hours', 'fold_cursors', 'book_sums', 'scans', 'payment_events', 'owner_events', 'notifications',
         'webhook_backlog', 'webhook_endpoints', 'changed_agents', 'oauth_records') order by 1`,
  )
  const digests: Record<string, string> = {}
  for (const { name } of tables) {
    const [row] = await query<{ digest: string }>(
      `select count(*) || ' rows ' || coalesce(md5(string_agg(r, '|' order by r)), '') as digest
       from (select ${ROW[name] ?? 't::text'} as r from "${name}" t ${ROWS[name] ?? ''}) s`,
    )
    digests[name] = row?.digest ?? ''
  }
  return digests
}

async function once(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** The same server and credentials, another database. The host may be an encoded folder, which URL does not accept. */
function withName(url: string, name: string): string {
  const [address = '', parameters] = url.split('?', 2)
  const path = address.indexOf('/', address.indexOf('://') + 3)
  const server = path === -1 ? address : address.slice(0, path)
  return parameters === undefined ? `${server}/${name}` : `${server}/${name}?${parameters}`
}
