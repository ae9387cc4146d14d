import { beforeEach, describe, expect } from 'vitest'
import { newUuid, type Uuid } from '../../../kernel/ids.ts'
import { database, test } from '../../../testing/database-test.ts'
import { type ManualClock, manualClock } from '../../../testing/manual-clock.ts'
import { networkContext, newPlatform } from '../../../testing/network.ts'
import { type Follower, follow } from './follow.ts'
import { FOLLOWED_EVENTS, type FollowedEvent } from './store.ts'

let clock: ManualClock
let platformId: Uuid
let follower: Follower<FollowedEvent>

beforeEach(async () => {
  await database.query('delete from events')
  clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
  platformId = (await newPlatform(networkContext(database, clock))).platform.id
  follower = follow(database, FOLLOWED_EVENTS)
  await follower.start(clock.now())
})

/** Commits an event of a node whose clock is ahead by so many milliseconds. */
async function commit(aheadMs = 0): Promise<Uuid> {
  const id = newUuid(new Date(clock.now().getTime() + aheadMs))
  await database.query(
    `insert into events (id, platform_id, name, data, created_at, queued) values ($1, $2, 'webhook.test', '{}', now(), true)`,
    [id, platformId],
  )
  return id
}

async function followed(): Promise<Uuid[]> {
  return (await follower.next(clock.now())).map(({ id }) => id)
}

describe('what a follower reads', () => {
  test('is each row once, in the order of the ids', async () => {
    const ids = [await commit(1), await commit(2)]
    expect(await followed()).toEqual(ids)
    expect(await followed()).toEqual([])
  })

  test('includes a row that was committed after one with a greater id', async () => {
    const late = newUuid(clock.now())
    clock.advance(1_000)
    const first = await commit()
    expect(await followed()).toEqual([first])
    await database.query(
      `insert into events (id, platform_id, name, data, created_at, queued) values ($1, $2, 'webhook.test', '{}', now(), true)`,
      [late, platformId],
    )
    clock.advance(2_000)
    expect(await followed()).toEqual([late])
  })

  test.for([9_000, 30_000])(
    'includes the rows of this node while another node’s clock is ahead by %i ms',
    async aheadMs => {
      const ahead = await commit(aheadMs)
      expect(await followed()).toEqual([ahead])
      clock.advance(1_000)
      const here = await commit()
      clock.advance(2_000)
      expect(await followed()).toEqual([here])
      clock.advance(2_000)
      expect(await followed()).toEqual([])
    },
  )
})
