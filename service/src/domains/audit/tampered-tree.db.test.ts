import { parseCheckpoint, signCheckpoint } from '@batua/verification/checkpoint'
import { beforeEach, expect } from 'vitest'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import { canonicalJson, newKeyPair, privateKeyFromPem } from '../../kernel/signing.ts'
import { leafHash } from '../../operations/audit-entry.ts'
import { changesOfColumns, keepTables } from '../../testing/column-changes.ts'
import { database, test } from '../../testing/database-test.ts'
import { type ManualClock, manualClock } from '../../testing/manual-clock.ts'
import { openLogChecker } from './check-log.ts'
import { openIntegrator } from './integrator.ts'
import { rangeRoot } from './merkle.ts'
import { ENTRY_COLUMNS, type EntryRow, entryOf } from './read-entry.ts'
import { readTiles, selectTree } from './store.ts'
import { checkWholeLog, completeRound } from './testing/log-check.ts'
import { integrateAll, type LogStage, leavesIn, openLogStage, recordSome } from './testing/log-stage.ts'
import { verifyEntry } from './verify-entry.ts'

/** Two full tiles and a partial one, so that the level above is partial too. */
const EARLIER = 600
const LEAVES = 700
const TABLES = ['audit_entries', 'audit_tiles', 'audit_tree', 'audit_queue', 'audit_refused']
let clock: ManualClock
let stage: LogStage
let ids: Uuid[]
let size: number
let earlier: string
let putBack: () => Promise<void>

test.beforeAll(async () => {
  clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
  stage = await openLogStage(database, clock)
  await recordSome(stage, EARLIER)
  await integrateAll(stage)
  earlier = await checkpoint()
  clock.advance(60_000)
  await recordSome(stage, LEAVES - EARLIER)
  await integrateAll(stage)
  ids = (await leavesIn(database)).ids
  size = ids.length
  putBack = await keepTables(database, TABLES)
})

beforeEach(async () => {
  await putBack()
  expect(await checkWholeLog(stage)).toEqual([])
  for (const index of SOME) expect(await reasonOf(index)).toBe('ok')
})

const SOME = [0, 255, 256, 511, 512, LEAVES - 1]

async function checkpoint(): Promise<string> {
  return (await selectTree(database))?.checkpoint ?? ''
}

async function reasonOf(index: number): Promise<string> {
  const caller = { kind: 'admin', phone: '9876543210', sessionId: '' } as const
  const auditId = formatId('aud', ids[index] ?? '')
  return (await verifyEntry(stage, openIntegrator(stage), caller, auditId)).reason
}

async function tamper(statement: string, values: readonly unknown[] = []): Promise<void> {
  const rows = await database.query(`${statement} returning 1 as changed`, values)
  expect(rows.length).toBeGreaterThan(0)
}

const TILES = [
  [0, 0],
  [0, 1],
  [0, 2],
  [1, 0],
] as const

test('an edit of any column of any tile is found', async () => {
  for (const [level, tile] of TILES) {
    for (const { column, set } of await changesOfColumns(database, 'audit_tiles')) {
      if (set === 'null' && level > 0) continue
      const where = `level = ${level} and tile = ${tile}`
      // The primary key prevents two tiles at the same position.
      if (column === 'tile' || column === 'level')
        await database.query(`delete from audit_tiles where not (${where})`)
      await tamper(`update audit_tiles set ${column} = ${set} where ${where}`)
      expect.soft(await checkWholeLog(stage), `${level}/${tile} ${column} = ${set}`).not.toEqual([])
      await putBack()
    }
  }
})

test('an edit of any hash of any tile is found, and its entry fails verification', async () => {
  for (const [index, tile, reason] of [
    [0, 0, 'altered'],
    [255, 0, 'altered'],
    [300, 1, 'altered'],
    [512, 2, 'altered'],
    [LEAVES - 1, 2, 'altered'],
  ] as const) {
    const at = (index % 256) * 32 + 7
    await tamper(
      `update audit_tiles set hashes = set_byte(hashes, ${at}, get_byte(hashes, ${at}) # 1)
       where level = 0 and tile = ${tile}`,
    )
    expect(await checkWholeLog(stage)).toContainEqual({
      subject: formatId('aud', ids[index] ?? ''),
      kind: 'altered_entry',
      detail: 'it does not hash to its leaf',
    })
    expect(await reasonOf(index)).toBe(reason)
    await putBack()
  }
  for (const at of [0, 40]) {
    await tamper(
      `update audit_tiles set hashes = set_byte(hashes, ${at}, get_byte(hashes, ${at}) # 1) where level = 1`,
    )
    expect((await checkWholeLog(stage)).map(fault => fault.subject)).toContain('checkpoint')
    expect(await reasonOf(600)).toBe('bad_checkpoint')
    await putBack()
  }
})

test('an entry fails verification if its content and its leaf were both changed', async () => {
  for (const index of SOME) {
    await tamper(`update audit_entries set target = 'other' where id = $1`, [ids[index]])
    const { hash } = await shown(ids[index] ?? '')
    const at = index % 256
    await tamper(
      `update audit_tiles set hashes = overlay(hashes placing decode($1, 'hex') from $2)
       where level = 0 and tile = $3`,
      [hash, at * 32 + 1, Math.floor(index / 256)],
    )
    expect.soft(await checkWholeLog(stage), `leaf ${index}`).not.toEqual([])
    expect.soft(await reasonOf(index), `leaf ${index}`).toBe('bad_checkpoint')
    await putBack()
  }
})

/** The leaf hash of a changed entry. */
async function shown(id: Uuid): Promise<{ hash: string }> {
  const [row] = await database.query<EntryRow>(`select ${ENTRY_COLUMNS} from audit_entries where id = $1`, [
    id,
  ])
  if (row === undefined) throw new Error('the entry is there')
  const found = entryOf(row)
  if (found.kind !== 'entry') throw new Error('the entry can be read')
  return { hash: leafHash(canonicalJson(found.content)) }
}

test('a tile beyond the end of the tree is found', async () => {
  for (const [level, tile] of [
    [0, 3],
    [1, 1],
    [2, 0],
    [0, -1],
    [9, 0],
    [-1, 0],
  ]) {
    await tamper(`insert into audit_tiles (level, tile, hashes) values (${level}, ${tile}, '')`)
    const fault = {
      subject: `tile ${level}/${tile}`,
      kind: 'broken_tile',
      detail: 'it is beyond the end of the tree',
    }
    expect.soft(await checkWholeLog(stage)).toContainEqual(fault)
    await putBack()
  }
})

test('a deleted tile or one with another’s number is found', async () => {
  for (const [level, tile] of TILES) {
    await tamper(`delete from audit_tiles where level = ${level} and tile = ${tile}`)
    expect.soft(await checkWholeLog(stage), `${level}/${tile}`).not.toEqual([])
    await putBack()
  }
  await tamper(`update audit_tiles set tile = 7 where level = 0 and tile = 0`)
  await tamper(`update audit_tiles set tile = 0 where level = 0 and tile = 1`)
  await tamper(`update audit_tiles set tile = 1 where level = 0 and tile = 7`)
  expect(await checkWholeLog(stage)).toContainEqual({
    subject: 'tile 0/0',
    kind: 'broken_tile',
    detail: 'its root does not match the level above',
  })
})

test('leaves in a changed order are found', async () => {
  await tamper(
    `update audit_tiles set ids = ids[2:2] || ids[1:1] || ids[3:],
       hashes = substring(hashes from 33 for 32) || substring(hashes from 1 for 32) || substring(hashes from 65)
     where level = 0`,
  )
  const faults = await checkWholeLog(stage)
  expect(faults).toMatchObject([{ subject: 'checkpoint' }, { subject: 'tile 0/0' }, { subject: 'tile 0/1' }])
  for (const index of [0, 1, 256, 512]) expect(await reasonOf(index)).toBe('bad_checkpoint')
})

test.each([
  ['an older one', async () => earlier],
  ['none', async () => ''],
  ['another size', async () => (await checkpoint()).replace(`\n${size}\n`, `\n${size - 1}\n`)],
  [
    'another root',
    async () => (await checkpoint()).replace(/\n[A-Za-z0-9+/]{43}=\n/, `\n${'A'.repeat(43)}=\n`),
  ],
  ['one that another key signed', () => selfMade()],
])('a checkpoint that was replaced with %s is found', async (_, replaced) => {
  await tamper('update audit_tree set checkpoint = $1', [await replaced()])
  expect(await checkWholeLog(stage)).toMatchObject([{ subject: 'checkpoint', kind: 'bad_checkpoint' }])
  expect(await reasonOf(size - 1)).toBe('bad_checkpoint')
})

/** The correct head, signed by a foreign key. */
async function selfMade(): Promise<string> {
  const range = { start: 0, end: size }
  const root = rangeRoot(range, await readTiles(database, [range]))
  const { publicKey, privateKeyPem } = newKeyPair()
  return signCheckpoint({ size, root }, 'batua/audit', {
    publicKey,
    privateKey: privateKeyFromPem(privateKeyPem),
  })
}

test('a log that was truncated to an older checkpoint is found by its remaining tiles', async () => {
  await tamper('update audit_tree set checkpoint = $1, size = $2', [earlier, parseCheckpoint(earlier)?.size])
  expect((await checkWholeLog(stage)).map(fault => fault.kind)).toContain('broken_tile')
  expect(await reasonOf(size - 1)).toBe('bad_checkpoint')
})

test('a log that was deleted and begun again is found by its entries', async () => {
  await database.query('delete from audit_tree; delete from audit_tiles')
  expect((await checkWholeLog(stage)).length).toBeGreaterThan(500)
  await integrateAll(stage)
  expect((await checkWholeLog(stage)).map(fault => fault.kind)).toContain('not_in_log')
  expect(await reasonOf(0)).toBe('not_in_log')
})

test('a process remembers the log’s head, so it finds a log that was rewritten and validly signed', async () => {
  const checker = openLogChecker(stage)
  expect(await completeRound(stage, checker)).toEqual([])
  await database.query(`delete from audit_entries; delete from audit_tiles; delete from audit_tree`)
  await recordSome(stage, size)
  await integrateAll(stage)
  expect(await checkWholeLog(stage)).toEqual([])
  expect(await completeRound(stage, checker)).toEqual([
    {
      subject: 'checkpoint',
      kind: 'bad_checkpoint',
      detail: `the first ${size} leaves differ from those seen before`,
    },
  ])
  await database.query(`delete from audit_entries; delete from audit_tiles; delete from audit_tree`)
  await recordSome(stage, 3)
  await integrateAll(stage)
  expect(await completeRound(stage, checker)).toMatchObject([
    { detail: `it covers 3 leaves, fewer than the ${size} seen before` },
  ])
})
