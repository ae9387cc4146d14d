import { afterAll, expect } from 'vitest'
import type { Connection, Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { TEST_VAULT } from '../../../testing/network.ts'
import { selectAcceptedOwners } from '../owners/invitation-store.ts'
import { selectAcceptedIds, selectSessionByToken } from './store.ts'
import { stage, test } from './testing/session-stage.ts'

const INVITATIONS = 5_000
let connection: Connection
let ownerId: Uuid
let token: string
let phoneIndex: Buffer

test.beforeAll(async () => {
  const owner = await stage.newOwner()
  ownerId = owner.id
  const { cookie } = await stage.logIn(owner.number)
  token = /=([^;]+)/.exec(cookie)?.[1] ?? ''
  await invite()
  connection = await stage.db.database.connect()
  await connection.query('set plan_cache_mode = force_generic_plan')
})
afterAll(async () => {
  await connection.release()
})

/** As many platforms name the phone as one stranger signs up within hours. */
async function invite(): Promise<void> {
  const [row] = await stage.db.database.query<{ phoneIndex: Buffer }>(
    `select phone_index as "phoneIndex" from owners where id = $1`,
    [ownerId],
  )
  phoneIndex = row?.phoneIndex ?? Buffer.alloc(0)
  await stage.db.database.query(
    `insert into owners (id, platform_id, name, phone, phone_index, pan, pan_index, created_at)
     select gen_random_uuid(), gen_random_uuid(), name, phone, phone_index, pan, pan_index, created_at
     from owners, generate_series(1, ${INVITATIONS}) where id = $1`,
    [ownerId],
  )
  await stage.db.database.query('vacuum analyze')
}

interface PlanNode {
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

/** How many rows of owners the statements of this work read. */
async function ownersRead(work: (db: Queryable) => Promise<unknown>): Promise<number> {
  let rows = 0
  await work({
    async query<R extends object>(text: string, values: readonly unknown[] = []): Promise<R[]> {
      const [row] = await connection.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (analyze, format json) ${text}`,
        values,
      )
      if (row !== undefined) rows += rowsOf(row['QUERY PLAN'][0].Plan)
      return connection.query<R>(text, values)
    },
  })
  return rows
}

function rowsOf(node: PlanNode): number {
  const own =
    node['Relation Name'] === 'owners' ? node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) : 0
  return (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), own)
}

test('a request with a session reads no invitation, however many platforms invite its phone', async () => {
  const hash = TEST_VAULT.credentialHash(token, 'sessions.token')
  const now = stage.clock.now()
  const session = await selectSessionByToken(connection, TEST_VAULT, 'owner', hash, now)
  expect(session?.phoneIndex).toEqual(phoneIndex)
  expect(await selectAcceptedIds(connection, TEST_VAULT, phoneIndex)).toEqual([ownerId])
  expect(await ownersRead(db => selectAcceptedIds(db, TEST_VAULT, phoneIndex))).toBe(1)
  expect(await ownersRead(db => selectAcceptedOwners(db, phoneIndex))).toBe(1)
})
