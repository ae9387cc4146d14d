import { afterEach, expect } from 'vitest'
import type { Mode } from '../config/config.ts'
import { openVault, type Vault } from '../kernel/secrets.ts'
import { insertFundedAgent, startNode } from '../testing/builders.ts'
import { db, test } from '../testing/database-test.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { markDatabase, refuseForeignDatabase } from './database-mark.ts'
import { migrate } from './migrate.ts'

const key = openVault(Buffer.alloc(32, 1))
const otherKey = openVault(Buffer.alloc(32, 2))
const NOW = new Date('2026-11-20T06:30:00.000Z')

afterEach(() =>
  db.database.query('truncate database_mark, sandbox_orders, sandbox_clock, sandbox_otps cascade'),
)

const mark = (mode: Mode, vault: Vault = key) => markDatabase(db.database, { mode, vault }, NOW)
const open = (mode: Mode, vault: Vault = key) => refuseForeignDatabase(db.database, { mode, vault })

const IN_LIVE = 'This database was used in live mode and MODE is sandbox'
const IN_SANDBOX = 'This database was used in sandbox mode and MODE is live'
const OTHER_KEY = 'MASTER_KEY is not the one that this database was made with'

test.each([
  ['live', 'live', key, null],
  ['sandbox', 'sandbox', key, null],
  ['live', 'sandbox', key, IN_LIVE],
  ['sandbox', 'live', key, IN_SANDBOX],
  ['live', 'live', otherKey, OTHER_KEY],
  ['sandbox', 'sandbox', otherKey, OTHER_KEY],
  ['live', 'sandbox', otherKey, OTHER_KEY],
] as const)(
  'a database first used in %s mode and opened in %s mode is refused unless both fit',
  async (first, then, vault, refusal) => {
    await mark(first)
    const opening = open(then, vault)
    if (refusal === null) await opening
    else await expect(opening).rejects.toThrow(refusal)
  },
)

test('a mark that was changed by hand is refused', async () => {
  await mark('live')
  await db.database.query(`update database_mark set mode = 'sandbox'`)
  await expect(open('sandbox')).rejects.toThrow('changed by hand')
})

test('of two nodes that start at once in two modes one is refused', async () => {
  const started = await Promise.allSettled([mark('live'), mark('sandbox')])
  expect(started.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})

test('a refused database is not migrated', async () => {
  await mark('live')
  await db.database.query(
    'delete from schema_version where version = (select max(version) from schema_version)',
  )
  const versions = () => db.database.query('select max(version) as version from schema_version')
  const before = await versions()
  const refused = migrate(db.url, {
    check: database => refuseForeignDatabase(database, { mode: 'sandbox', vault: key }),
  })
  await expect(refused).rejects.toThrow(IN_LIVE)
  expect(await versions()).toEqual(before)
})

test('a database of before there were marks is known by what the simulated world left in it', async () => {
  const clock = manualClock(NOW)
  const node = startNode({ database: db.database, clock })
  await insertFundedAgent(node.ledger, db.database, clock, 1_000n)
  await node.ledger.close()
  await expect(open('sandbox')).rejects.toThrow(IN_LIVE)
  await open('live')
  await db.database.query('insert into sandbox_clock (offset_ms) values (0)')
  await expect(open('live')).rejects.toThrow(IN_SANDBOX)
  await open('sandbox')
})
