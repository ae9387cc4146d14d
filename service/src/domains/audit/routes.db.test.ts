import { openCheckpoint, type TreeHead } from '@batua/verification/checkpoint'
import { verifyConsistency } from '@batua/verification/verify-proof'
import { afterAll, expect } from 'vitest'
import { formatId } from '../../kernel/ids.ts'
import { createMetrics } from '../../kernel/metrics.ts'
import { database, test } from '../../testing/database-test.ts'
import { AS_PLATFORM, call, startTestServer, type TestServer } from '../../testing/test-server.ts'
import { addAuditMetrics } from './metrics.ts'
import { serveAudit } from './routes.ts'
import { integrateAll, type LogStage, openLogStage, recordSome } from './testing/log-stage.ts'

let stage: LogStage
let server: TestServer

test.beforeAll(async () => {
  stage = await openLogStage(database)
  await database.query('truncate audit_entries, audit_queue')
  const context = { ...stage, requireAccess: () => Promise.reject(new Error('no trail is asked for')) }
  server = await startTestServer(({ serve }) => serveAudit(serve, context), { database })
})
afterAll(async () => {
  await server.close()
})

async function ask(path: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const { status, body } = await call(server, 'GET', `/v1/audit/${path}`, { headers: AS_PLATFORM })
  return { status, body: body as Record<string, unknown> }
}

async function checkpoint(): Promise<TreeHead> {
  const { body } = await ask('checkpoint')
  const keys = await stage.signingKeys.all()
  const head = openCheckpoint(
    String(body['checkpoint']),
    'batua/audit',
    keys.map(key => key.publicKey),
  )
  if (head === null) throw new Error('the checkpoint is not signed')
  return head
}

test('a log without leaves has a checkpoint of the empty tree', async () => {
  expect((await checkpoint()).size).toBe(0)
})

test('a caller with an old checkpoint gets a proof that every later one extends it', async () => {
  const kept: TreeHead[] = [await checkpoint()]
  for (const count of [1, 254, 1, 1, 300, 2]) {
    await recordSome(stage, count)
    await integrateAll(stage)
    kept.push(await checkpoint())
  }
  for (const later of kept) {
    for (const earlier of kept.filter(head => head.size <= later.size)) {
      const { status, body } = await ask(`consistency?from=${earlier.size}&to=${later.size}`)
      expect([status, body['from'], body['to']]).toEqual([200, earlier.size, later.size])
      const proof = (body['proof'] as string[]).map(node => Buffer.from(node, 'hex'))
      const sizes = { from: earlier.size, to: later.size }
      expect(verifyConsistency({ ...sizes, fromRoot: earlier.root, toRoot: later.root, proof })).toBe(true)
    }
  }
})

test('sizes without a consistency proof are refused with the name of the invalid field', async () => {
  const { size } = await checkpoint()
  for (const [query, field] of [
    [`from=2&to=1`, 'from'],
    [`from=0&to=${size + 1}`, 'to'],
    [`from=-1&to=1`, 'from'],
    [`from=0&to=1.5`, 'to'],
    [`from=0`, 'to'],
  ] as const) {
    const { status, body } = await ask(`consistency?${query}`)
    expect([query, status, body['error']]).toEqual([
      query,
      400,
      expect.objectContaining({ code: 'validation_error', field }),
    ])
  }
})

test('an entry is verified for callers with any credential, and for none without one', async () => {
  const [id = ''] = await recordSome(stage, 1)
  const path = `verify?audit_id=${formatId('aud', id)}`
  expect((await ask(path)).body).toMatchObject({ valid: true, reason: 'ok', entry: { data: null } })
  expect((await call(server, 'GET', `/v1/audit/${path}`)).status).toBe(401)
})

test('the metrics show the number and age of queued entries, and whether the log verifies', async () => {
  const metrics = createMetrics()
  addAuditMetrics(metrics, stage)
  await integrateAll(stage)
  const { size } = await checkpoint()
  const figures = async () => {
    const text = await metrics.metrics()
    const [names, all] = [
      [
        'batua_audit_leaves',
        'batua_audit_waiting_leaves',
        'batua_audit_lag_seconds',
        'batua_audit_checkpoint_passed',
      ],
      text.split('\n'),
    ]
    return names.map(name => Number(all.find(line => line.startsWith(`${name} `))?.split(' ')[1]))
  }
  expect(await figures()).toEqual([size, 0, 0, 1])
  const minuteAgo = { ...stage.clock, now: () => new Date(stage.clock.now().getTime() - 60_000) }
  await recordSome({ ...stage, clock: minuteAgo }, 3)
  await database.query(
    `update audit_tiles set hashes = set_byte(hashes, 0, get_byte(hashes, 0) # 1) where level = 1`,
  )
  const [leaves, waiting, lag, good] = await figures()
  expect([leaves, waiting, good]).toEqual([size, 3, 0])
  expect(lag).toBeGreaterThanOrEqual(60)
})
