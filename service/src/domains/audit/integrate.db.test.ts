import { openCheckpoint } from '@batua/verification/checkpoint'
import { beforeEach, expect } from 'vitest'
import type { Queryable } from '../../db/database.ts'
import { systemClock } from '../../kernel/clock.ts'
import { newUuid } from '../../kernel/ids.ts'
import { fund, insertFundedAgent, order, startNode } from '../../testing/builders.ts'
import { database, test } from '../../testing/database-test.ts'
import { revokeSigningKey } from '../signing/keys/revoke-signing-key.ts'
import { rotateSigningKey } from '../signing/keys/rotate-signing-key.ts'
import { openSigningKeys } from '../signing/keys/signing-keys.ts'
import { integrate } from './integrate.ts'
import { openIntegrator } from './integrator.ts'
import { selectTree } from './store.ts'
import { integrateAll, type LogStage, leavesIn, openLogStage, recordSome } from './testing/log-stage.ts'
import { naiveRoot } from './testing/naive-tree.ts'

let stage: LogStage

test.override('databaseOptions', { maxConnections: 20 })

beforeEach(async () => {
  stage = await openLogStage(database)
  await database.query('truncate audit_entries, audit_queue, audit_refused, audit_tiles, audit_tree')
})

async function head() {
  const tree = await selectTree(database)
  const keys = await stage.signingKeys.all()
  return openCheckpoint(
    tree?.checkpoint ?? '',
    'batua/audit',
    keys.map(key => key.publicKey),
  )
}

/** Expects that the signed head covers exactly these leaves, each once. */
async function expectTreeOf(ids: readonly string[]): Promise<void> {
  const stored = await leavesIn(database)
  expect(stored.ids.toSorted()).toEqual(ids.toSorted())
  const hashes = stored.hashes.map(hash => Buffer.from(hash, 'hex'))
  expect(await head()).toEqual({ size: ids.length, root: naiveRoot(hashes) })
  expect(await database.query('select id from audit_queue')).toEqual([])
}

const once = (limits = { rows: 5_000, leaves: 20_000 }) =>
  integrate(stage, stage.clock.now(), { waits: false, lastSeen: null, limits })

test('nodes that start at once create one log, with one signed checkpoint of the empty tree', async () => {
  const done = await Promise.all([1, 2, 3, 4].map(() => once()))
  expect(done.filter(result => result?.kind === 'done').length).toBeGreaterThan(0)
  await expectTreeOf([])
})

test('every recorded audit event becomes a leaf, whatever the order and size of the commits', async () => {
  const ids: string[] = []
  for (const count of [1, 254, 2, 300, 1, 600]) ids.push(...(await recordSome(stage, count)))
  expect(await once()).toMatchObject({ kind: 'done', leaves: 1158 })
  await expectTreeOf(ids)
  ids.push(...(await recordSome(stage, 10)))
  expect(await once({ rows: 1, leaves: 1 })).toMatchObject({ leaves: 10 })
  await expectTreeOf(ids)
  expect(stage.logged).toEqual([])
})

test('an entry that is queued late with an older id becomes a leaf after newer ones', async () => {
  const late = recordSome(
    { ...stage, clock: { ...stage.clock, now: () => new Date(Date.now() - 60_000) } },
    3,
  )
  const newer = await recordSome(stage, 300)
  await late
  await integrateAll(stage)
  const latest = await recordSome(
    { ...stage, clock: { ...stage.clock, now: () => new Date(Date.now() - 120_000) } },
    2,
  )
  await integrateAll(stage)
  expect((await leavesIn(database)).ids.slice(-2)).toEqual(latest)
  await expectTreeOf([...(await late), ...newer, ...latest])
})

test('several nodes that append at once while events are recorded lose no leaf and append none twice', async () => {
  const ids: string[] = []
  let recording = true
  const nodes = await Promise.all([1, 2, 3].map(() => openLogStage(database)))
  const integrating = nodes.map(async node => {
    const integrator = openIntegrator(node, { rows: 3, leaves: 50 })
    while (recording) await (Math.random() < 0.5 ? integrator.step() : integrator.catchUp())
  })
  const writing = Array.from({ length: 4 }, async (_, writer) => {
    for (let commit = 0; commit < 40; commit++)
      ids.push(...(await recordSome(stage, 1 + ((commit * 7 + writer) % 23))))
  })
  await Promise.all(writing)
  recording = false
  await Promise.all(integrating)
  await integrateAll(stage)
  await expectTreeOf(ids)
  expect(nodes.flatMap(node => node.logged)).toEqual([])
})

test('a transaction that fails at any statement leaves the tree and the queue unchanged', async () => {
  const ids = await recordSome(stage, 257)
  await integrateAll(stage)
  ids.push(...(await recordSome(stage, 300)))
  for (let statement = 0; ; statement++) {
    const broken = breakingAt(statement)
    const result = await integrate({ ...stage, database: broken.database }, new Date(), {
      waits: false,
      lastSeen: null,
    }).catch(() => 'broke')
    if (result !== 'broke') break
    expect((await head())?.size).toBe(257)
    expect((await leavesIn(database)).ids).toHaveLength(257)
    expect(statement).toBeLessThan(20)
  }
  await expectTreeOf(ids)
})

/** A database whose connection the server kills before the n-th statement of a transaction. */
function breakingAt(statement: number) {
  let count = 0
  const inTransaction = <T>(work: (tx: Queryable) => Promise<T>) =>
    database.inTransaction(tx =>
      work({
        async query(text, values, options) {
          if (count++ === statement) await tx.query('select pg_terminate_backend(pg_backend_pid())')
          return tx.query(text, values, options)
        },
      }),
    )
  return { database: { ...database, inTransaction } }
}

test('after a new key or a new name of the service, the log continues and signs a checkpoint at once', async () => {
  await recordSome(stage, 3)
  await integrateAll(stage)
  await rotateSigningKey(stage, stage.clock.now())
  const later = systemClock(60_000)
  const moved = { ...stage, clock: later, signingKeys: await openSigningKeys({ ...stage, clock: later }) }
  await recordSome(stage, 2)
  await integrateAll(moved)
  const keys = await moved.signingKeys.all()
  const [current] = keys
  const opened = async (origin: string) => {
    const tree = await selectTree(database)
    return openCheckpoint(tree?.checkpoint ?? '', origin, [current?.publicKey ?? ''])?.size
  }
  const { size = 0 } = (await selectTree(database)) ?? {}
  expect([keys.length > 1, await opened('batua/audit')]).toEqual([true, size])
  await integrateAll({ ...moved, serviceName: 'renamed' })
  expect([await opened('batua/audit'), await opened('renamed/audit')]).toEqual([undefined, size])
})

test('payments that are made while leaves are appended become leaves once each', async () => {
  const { clock } = stage
  const node = startNode({ database, clock })
  try {
    const payer = await insertFundedAgent(node.ledger, database, clock, 10_000_000n)
    const payee = await insertFundedAgent(node.ledger, database, clock, 100n)
    await fund(node.ledger, payer, 100n)
    let paying = true
    const integrator = openIntegrator(stage)
    const integrating = (async () => {
      while (paying) await integrator.step()
    })()
    await Promise.all(Array.from({ length: 300 }, () => node.pay(order(payer, payee, 100n))))
    paying = false
    await integrating
  } finally {
    await node.ledger.close()
  }
  await integrateAll(stage)
  const payments = await database.query<{ id: string }>(`select id from transfers where kind = 'payment'`, [])
  await expectTreeOf(payments.map(payment => payment.id))
})

test('a forged, edited, renamed or repeated row of the queue is refused and logged, and blocks no other row', async () => {
  const [first = ''] = await recordSome(stage, 3)
  const [copy] = await database.query<{ ids: string; hashes: Buffer; mac: Buffer }>(
    'select ids::text as ids, hashes, seal as mac from audit_queue',
    [],
  )
  await integrateAll(stage)
  const insert = (id: string, ids: string, hashes: Buffer, mac: Buffer) =>
    database.query('insert into audit_queue (id, ids, hashes, seal) values ($1, $2, $3, $4)', [
      id,
      ids,
      hashes,
      mac,
    ])
  if (copy === undefined) throw new Error('a row was queued')
  const forged = newUuid(new Date(0))
  await insert(forged, `{${forged}}`, Buffer.alloc(32), Buffer.alloc(16))
  // A row that is in the tree already, under its own id and under another.
  await insert(first, copy.ids, copy.hashes, copy.mac)
  await insert(newUuid(new Date(1)), copy.ids, copy.hashes, copy.mac)
  const changed = await recordSome(stage, 2)
  await database.query(
    `update audit_queue set hashes = set_byte(hashes, 40, get_byte(hashes, 40) # 1) where id = $1`,
    [changed[0]],
  )
  const good = await recordSome(stage, 5)

  const integrator = openIntegrator(stage)
  expect(await integrator.step()).toBe(5 + 4)
  expect(stage.logged).toHaveLength(1)
  expect(stage.logged[0]).toContain('audit queue rows were refused')
  const stored = await leavesIn(database)
  expect(stored.ids).toHaveLength(8)
  expect(stored.ids.slice(3)).toEqual(good)
  const refused = await database.query('select id from audit_refused')
  expect(refused).toHaveLength(4)
})

test('a job that emptied the queue sleeps, even if entries were queued meanwhile', async () => {
  const integrator = openIntegrator(stage, { rows: 100, leaves: 4 })
  for (const count of [1, 1, 1, 1, 1, 1]) await recordSome(stage, count)
  expect([await integrator.keepUp(), await integrator.keepUp(), await integrator.keepUp()]).toEqual([4, 0, 0])
  expect((await leavesIn(database)).ids).toHaveLength(6)
})

test('revoking a key signs the checkpoint again, and no node accepts one signed by the revoked key', async () => {
  await recordSome(stage, 3)
  await once()
  const signingKeys = await openSigningKeys({ ...stage, database })
  const stolen = await signingKeys.current()
  const byStolen = await selectTree(database)
  const revocation = { keyId: stolen.id, revokedAt: stage.clock.now() }
  await revokeSigningKey({ database, vault: stage.vault }, stage.clock.now(), revocation)
  // The node still caches the key, but its checkpoint is not written.
  await recordSome(stage, 1)
  await expect(once()).rejects.toThrow('was revoked during signing')
  stage.clock.setOffsetMs(stage.clock.offsetMs() + 2_000)
  const made = await signingKeys.current()
  expect(made.id).not.toBe(stolen.id)
  expect(await once()).toMatchObject({ kind: 'done', leaves: 2 })
  const now = await selectTree(database)
  expect(openCheckpoint(now?.checkpoint ?? '', 'batua/audit', [made.publicKey])).not.toBeNull()
  // The previous checkpoint, written back by an attacker with access to the table.
  const forged = byStolen?.checkpoint ?? ''
  await database.query('update audit_tree set checkpoint = $1, size = $2', [forged, byStolen?.size])
  expect(await once()).toMatchObject({ kind: 'tampered' })
})
