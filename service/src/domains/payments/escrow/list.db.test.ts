import { ESCROW_STATUSES, type EscrowStatus } from '@batua/contract'
import { expect } from 'vitest'
import type { Queryable } from '../../../db/database.ts'
import { pageOf } from '../../../http/paging.ts'
import { FIRST_UUID, LAST_UUID, newUuid, type Uuid } from '../../../kernel/ids.ts'
import { database, test } from '../../../testing/database-test.ts'
import { insertManyAgents } from '../../../testing/many-agents.ts'
import { networkContext, newOwner, newPlatform } from '../../../testing/network.ts'
import { selectAgentsOfPlatform } from '../../parties/agents/list-store.ts'
import { countEscrows, escrowPlaces, newestEscrows, selectEscrowIds } from './list-store.ts'

const AGENTS = 2_500
const OF_EACH = 8

let agents: readonly Uuid[]

/** Escrows whose ids are unrelated to those of their agents: of eight, one is held and two were refunded. */
test.beforeAll(async () => {
  const context = networkContext(database)
  const { platform } = await newPlatform(context)
  const owner = await newOwner(context, platform.id)
  await insertManyAgents(database, { platformId: platform.id, ownerId: owner.id }, AGENTS)
  agents = await selectAgentsOfPlatform(database, platform.id)
  await database.query(
    `insert into escrows (agent_id, id, amount_paise, status, created_at, hold_sequence)
     select a[1 + (n * 7919) % $2::int4], ('01990000-0000-7000-8000-' || lpad(to_hex(n * 2), 12, '0'))::uuid, 100,
       case when n % 8 = 0 then 'held' when n % 8 < 3 then 'refunded' else 'released' end, now(), 1
     from (select $1::uuid[] as a) ids, generate_series(1, $2::int4 * ${OF_EACH}) n`,
    [agents, AGENTS],
  )
  await database.query('vacuum analyze')
}, 60_000)

function statusOf(number: number): EscrowStatus {
  return number % 8 === 0 ? 'held' : number % 8 < 3 ? 'refunded' : 'released'
}

/** The ids of all escrows of a status, newest first. */
function expected(status: EscrowStatus | null): Uuid[] {
  return Array.from({ length: AGENTS * OF_EACH }, (_, index) => AGENTS * OF_EACH - index)
    .filter(number => status === null || statusOf(number) === status)
    .map(number => `01990000-0000-7000-8000-${(number * 2).toString(16).padStart(12, '0')}`)
}

test.each([null, ...ESCROW_STATUSES])(
  'the pages of escrows (%s) of 2,500 agents follow each other without gaps, by cursor and offset',
  async status => {
    const all = expected(status)
    const filter = { agentIds: agents, status }
    expect(await countEscrows(database, filter)).toBe(all.length)
    for (const offset of [0, 1, 1_001, all.length - 1, all.length, 1_000_000]) {
      const ids = await selectEscrowIds(database, filter, pageOf({ limit: 3, offset }))
      expect(ids.slice(0, 3)).toEqual(all.slice(offset, offset + 3))
    }
    const before = all[29] ?? ''
    const request = { ...pageOf({ limit: 30 }), before }
    expect((await selectEscrowIds(database, filter, request)).slice(0, 30)).toEqual(all.slice(30, 60))
  },
)

test('agents that a platform does not have are in no list', async () => {
  expect(await selectAgentsOfPlatform(database, newUuid(new Date()))).toEqual([])
  expect(await countEscrows(database, { agentIds: [], status: null })).toBe(0)
})

test('no statement reads the escrows of more than 1,000 agents, or a table from end to end', async () => {
  const asked: number[] = []
  const noting: Queryable = {
    async query<Row extends object>(text: string, values: readonly unknown[] = []) {
      if (typeof values[0] === 'string') asked.push(values[0].split(',').length)
      return database.query<Row>(text, values)
    },
  }
  await selectEscrowIds(noting, { agentIds: agents, status: 'released' }, pageOf({ offset: 300 }))
  expect(Math.max(...asked)).toBe(1_000)
  const session = await database.connect()
  await session.query('set plan_cache_mode = force_generic_plan')
  const range = `'{${agents.slice(0, 1_000).join(',')}}', '${FIRST_UUID}', '${LAST_UUID}', 21`
  for (const status of [null, ...ESCROW_STATUSES]) {
    const name = status ?? 'all'
    await session.query(`prepare newest_${name} as ${newestEscrows(status)}`)
    await session.query(`prepare places_${name} as ${escrowPlaces(status)}`)
    for (const statement of [`newest_${name} (${range})`, `places_${name} (${range}, 2)`]) {
      const plan = await session.query<{ 'QUERY PLAN': string }>(`explain (costs off) execute ${statement}`)
      expect(plan.map(line => line['QUERY PLAN']).join('\n')).not.toContain('Seq Scan')
    }
  }
  await session.release()
})
