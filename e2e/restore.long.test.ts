import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openApi } from './src/api.ts'
import { type Backups, backupsIn } from './src/backups.ts'
import { runCheckRestored } from './src/commands.ts'
import { openTestDatabase, type TestDatabase } from './src/database.ts'
import { ledgerFaults } from './src/ledger-faults.ts'
import { type Attempt, pay, startLoad } from './src/load.ts'
import { type Agent, openNetwork } from './src/network.ts'
import { eventually, paymentFaults } from './src/payment-faults.ts'
import {
  makePostgresFolder,
  openPostgresServer,
  type PostgresFolder,
  type PostgresServer,
} from './src/postgres-server.ts'
import { runToEnd, type Service, startService } from './src/service.ts'

/** Payments of each part of the drill. */
const PAYMENTS = 40
const WITHIN_MS = 60_000
const WRONG_KEY = 'MASTER_KEY is not the one that this database was made with'

/** What clients received before and after the moment to which the backups are restored. */
interface Received {
  readonly before: readonly Attempt[]
  readonly after: readonly Attempt[]
}

let folder: PostgresFolder
let source: PostgresServer
let service: Service
let agents: readonly Agent[]
let received: Received
/** The moment, by the clock of the source. */
let moment: string
const ways: Backups[] = []
const servers: PostgresServer[] = []
const say = (text: string) => console.log(`restore drill: ${text}`)

beforeAll(async () => {
  folder = await makePostgresFolder()
  ways.push(...backupsIn(folder))
  say(`backups by ${ways.map(({ name }) => name).join(' and ')}`)
  source = await startSource()
  service = await startService({ DATABASE_URL: source.url })
  agents = await fundedAgents()
  const before = await payments(async () => {
    for (const way of ways) await way.backUp(source)
    await nextSecond()
  })
  await keepCheckpoint('earlier.txt', before)
  moment = await momentOfSource()
  const after = await payments(async () => {})
  await keepCheckpoint('later.txt', after)
  received = { before, after }
  // As a client keeps what it received.
  const lines = [...before, ...after].map(receivedLine)
  writeFileSync(join(folder.path, 'received.ndjson'), `${lines.join('\n')}\n`)
  await archiveAll()
  await service.kill()
  await source.kill()
  say(`${before.length} payments before ${moment}, ${after.length} after it, then everything was killed`)
}, 180_000)
afterAll(async () => {
  for (const server of servers) await server.kill()
  folder.remove()
})

async function startServer(name: string): Promise<PostgresServer> {
  const server = await openPostgresServer(join(folder.path, name), folder.settings)
  servers.push(server)
  return server
}

/** A server whose WAL is archived by every way at once. */
async function startSource(): Promise<PostgresServer> {
  const server = await startServer('source')
  for (const way of ways.filter(({ name }) => name === 'pg_basebackup')) await way.prepare(server)
  // Only the last may fail when it is repeated: a file of the WAL that is stored once must not stop the others.
  const command = ways
    .toReversed()
    .map(({ archiveCommand }) => archiveCommand)
    .join(' && ')
  await folder.init(
    server.data,
    `
listen_addresses = '127.0.0.1'
unix_socket_directories = '${folder.path}'
max_connections = 80
archive_mode = on
archive_command = '${command}'
`,
  )
  await server.start()
  for (const way of ways.filter(({ name }) => name !== 'pg_basebackup')) await way.prepare(server)
  await server.query('create database batua')
  return server
}

async function fundedAgents(): Promise<Agent[]> {
  const network = openNetwork(openApi(service.address))
  const owner = await network.owner(await network.platform())
  await network.verify(owner)
  return network.fundedAgents(owner, 3, 100_000)
}

/** Lets clients pay while something else happens, and until they have made enough payments. */
async function payments(meanwhile: () => Promise<void>): Promise<readonly Attempt[]> {
  const load = startLoad(service.address, { clients: 2, agents, maxPaise: 200, onNoResponse: 'go on' })
  await meanwhile()
  await eventually(WITHIN_MS, async () => {
    await new Promise(resolve => setImmediate(resolve))
    return load.attempts.length >= PAYMENTS
  })
  await load.stop()
  expect(load.attempts.filter(({ outcome }) => outcome.kind !== 'paid')).toEqual([])
  return load.attempts
}

const paymentIdOf = ({ outcome }: Attempt): string => (outcome.kind === 'paid' ? outcome.paymentId : '')

function receivedLine(attempt: Attempt): string {
  const { from, to, amount, key } = attempt
  return JSON.stringify({
    payment_id: paymentIdOf(attempt),
    from: from.id,
    to: to.id,
    amount,
    reference: key,
  })
}

/** Keeps the checkpoint that covers the last of these payments, as a client does that verifies one. */
async function keepCheckpoint(file: string, made: readonly Attempt[]): Promise<void> {
  const last = made.at(-1) as Attempt
  const audit_id = paymentIdOf(last).replace('pay_', 'aud_')
  const { checkpoint } = await openApi(service.address).ok(routes.verifyAuditEntry, {
    headers: last.from.headers,
    query: { audit_id },
  })
  writeFileSync(join(folder.path, file), String(checkpoint))
}

/** pgBackRest restores only to a later second than that in which its backup ended. */
async function nextSecond(): Promise<void> {
  const second = async () => Math.floor(Date.parse(await momentOfSource()) / 1_000)
  const ended = await second()
  await eventually(WITHIN_MS, async () => (await second()) > ended)
}

async function momentOfSource(): Promise<string> {
  const [row] = await source.query<{ now: string }>(
    `select to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS.US+00:00') as now`,
  )
  return row?.now ?? ''
}

/** Ends the file of the WAL that has the last payment, and waits until it is archived. */
async function archiveAll(): Promise<void> {
  const [row] = await source.query<{ file: string }>('select pg_walfile_name(pg_switch_wal()) as file')
  await eventually(WITHIN_MS, async () => {
    const [archived] = await source.query<{ last: string | null }>(
      'select last_archived_wal as last from pg_stat_archiver',
    )
    return (archived?.last ?? '') >= (row?.file ?? '')
  })
}

/** The server of a backup that was restored to the moment, out of its recovery. */
async function restored(way: Backups): Promise<PostgresServer> {
  const server = await startServer(`restored-${way.name}`)
  await way.restore(server.data, moment)
  // It must not write into the archive of the source.
  await server.start(['-c', 'archive_mode=off'])
  await eventually(WITHIN_MS, async () => {
    const [row] = await server.query<{ recovering: boolean }>('select pg_is_in_recovery() as recovering')
    return row?.recovering === false
  })
  return server
}

interface LostPayment {
  readonly missing: readonly string[]
  readonly amount: number | null
  readonly reference: string | null
}

interface Report {
  readonly ledger_findings: readonly unknown[]
  readonly log_findings: readonly unknown[]
  readonly log_entries: number
  readonly log_entries_waiting: number
  readonly checkpoints: readonly { readonly kind: string; readonly size: number; readonly missing?: number }[]
  readonly received: readonly {
    readonly lines: number
    readonly lost: readonly LostPayment[]
  }[]
  readonly later_entries: readonly { readonly target: string }[] | null
}

const FILES = () => [
  ['--checkpoint', join(folder.path, 'earlier.txt')],
  ['--checkpoint', join(folder.path, 'later.txt')],
  ['--received', join(folder.path, 'received.ndjson')],
]

async function report(env: Record<string, string>, args: readonly string[]): Promise<Report> {
  const { code, stdout, stderr } = await runCheckRestored(env, [...args, '--json'])
  expect([code, stderr]).toEqual([1, ''])
  return JSON.parse(stdout) as Report
}

describe.each(['pg_basebackup', 'pgBackRest'])('%s', name => {
  test('a backup restored to a moment has every payment before it, and names each one after it', async () => {
    const way = ways.find(one => one.name === name)
    if (way === undefined) {
      say(`${name} is not installed on this machine, and was not tried`)
      return
    }
    const started = Date.now()
    const server = await restored(way)
    const seconds = ((Date.now() - started) / 1_000).toFixed(1)
    const DATABASE_URL = server.url
    const window = await openTestDatabase(server.url)

    // The key is the same whichever way the backup was taken.
    if (way === ways[0]) await expectRefusedWithoutKey(DATABASE_URL, window)
    say(`${name}: restored in ${seconds} s`)
    sayReport(await expectChecked(DATABASE_URL))

    const again = await startService({ DATABASE_URL })
    expect(await paymentFaults(openApi(again.address), window, received.before)).toEqual([])
    await expectAskedAgain(again, received.after)
    expect(await ledgerFaults(window.query)).toEqual([])
    await again.stop()
    const earlier = ['--checkpoint', join(folder.path, 'earlier.txt')]
    const { code, stdout } = await runCheckRestored({ DATABASE_URL }, earlier)
    expect([code, stdout]).toEqual([0, expect.stringMatching(/ledger check: passed\nlog check: passed\n/)])
    if (way === ways[0]) await expectFaultsFound(DATABASE_URL, window)
    await window.close()
    await server.kill()
  })
})

/** With another key nothing starts. Balances can be read and proved, but nothing that is encrypted. */
async function expectRefusedWithoutKey(DATABASE_URL: string, { query }: TestDatabase): Promise<void> {
  const env = { DATABASE_URL, MASTER_KEY: randomBytes(32).toString('base64') }
  const command = await runCheckRestored(env)
  expect([command.code, command.stderr]).toEqual([2, expect.stringContaining(WRONG_KEY)])
  const start = await runToEnd({ ...env, PORT: '0' })
  expect([start.code === 0, start.output]).toEqual([false, expect.stringContaining(WRONG_KEY)])
  expect(await ledgerFaults(query)).toEqual([])
  const [owner] = await query<{ row: string }>(`select to_jsonb(o)::text as row from owners o`)
  expect(owner?.row).toContain('name')
  expect(owner?.row).not.toContain(agents[0]?.owner.phone)
  say('with another master key the command and the service refuse the database; balances can be read without')
}

/** The checks that passed find a payment that was altered. */
async function expectFaultsFound(DATABASE_URL: string, { query }: TestDatabase): Promise<void> {
  await query(`update transfers set note = 'altered' where reference = $1`, [received.before[0]?.key])
  const { code, stdout } = await runCheckRestored({ DATABASE_URL })
  expect([code, stdout]).toEqual([1, expect.stringMatching(/ledger check: FAILED.*log check: FAILED/s)])
}

async function expectChecked(DATABASE_URL: string): Promise<Report> {
  await source.start(['-c', 'archive_mode=off'])
  const found = await report({ DATABASE_URL }, [...FILES().flat(), '--later-database', source.url])
  await source.kill()
  expect(found).toMatchObject({ ledger_findings: [], log_findings: [] })

  const [earlier, later] = found.checkpoints
  expect(earlier?.kind).toBe('continued')
  const has = found.log_entries + found.log_entries_waiting
  expect(later).toMatchObject({ kind: 'rolled_back', missing: (later?.size ?? 0) - has })
  expect(later?.missing).toBeGreaterThanOrEqual(received.after.length)

  const after = received.after.map(paymentIdOf)
  const [file] = found.received
  expect(file?.lines).toBe(received.before.length + after.length)
  expect(file?.lost.flatMap(({ missing }) => missing).toSorted()).toEqual(after.toSorted())
  const targets = (found.later_entries ?? []).map(({ target }) => target)
  expect(targets.filter(target => target.startsWith('pay_')).toSorted()).toEqual(after.toSorted())
  return found
}

function sayReport({ log_entries, checkpoints: [earlier, later], received: [file] }: Report): void {
  say(`ledger check and log check passed; the log has ${log_entries} entries`)
  say(`the log continues the checkpoint of ${earlier?.size} entries that a client kept before the moment`)
  say(
    `it was rolled back: a client kept a checkpoint of ${later?.size} entries, ${later?.missing} are missing`,
  )
  say('clients received the confirmation of these payments after the moment, and must be asked again:')
  for (const { missing, amount, reference } of file?.lost ?? []) {
    console.log(`  ${missing.join(' ')}  INR ${amount?.toFixed(2)}  ${reference}`)
  }
}

/** Each client sends its lost payment again with its key, and it is made once. */
async function expectAskedAgain(node: Service, lost: readonly Attempt[]): Promise<void> {
  const outcomes = []
  for (const attempt of lost) outcomes.push(await pay(node.address, attempt))
  expect(outcomes.filter(({ kind }) => kind !== 'paid')).toEqual([])
}
