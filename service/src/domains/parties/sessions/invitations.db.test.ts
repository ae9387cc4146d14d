import type { Invitation, SessionOwner } from '@batua/contract'
import { beforeEach, expect } from 'vitest'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { newPlatform, randomPhone } from '../../../testing/network.ts'
import { eventsDuring } from '../../../testing/published-events.ts'
import { decideInvite, inviteAgain } from '../owners/invite-again.ts'
import { selectOwner } from '../owners/store.ts'
import { stage, test } from './testing/session-stage.ts'

const DAY_MS = 24 * 3_600_000

beforeEach(() => stage.clock.advance(3_600_000))

interface LoggedIn {
  readonly owner_ids: string[]
  readonly owners: SessionOwner[]
  readonly invitations: number
}

/** A phone with an owner on each of several platforms, oldest first. */
async function phoneOf(platforms: number) {
  const number = randomPhone()
  const owners: Uuid[] = []
  for (let count = 0; count < platforms; count++) owners.push(await invite(number))
  return { number, owners }
}

async function invite(number: string): Promise<Uuid> {
  const { platform } = await newPlatform(stage.network)
  return (await stage.newOwner(number, platform.id)).id
}

async function logIn(number: string): Promise<LoggedIn> {
  await stage.sendOtp(number)
  const { status, body } = await stage.verifyOtp(number, await stage.codeOf(number))
  expect(status).toBe(200)
  stage.clock.advance(30_000)
  return body as LoggedIn
}

const decide = (owner: Uuid, how: 'accept' | 'decline', session: Record<string, string>) =>
  stage.ask('POST', `/v1/invitations/${formatId('own', owner)}/${how}`, session)

async function linkOf(owner: Uuid): Promise<string | undefined> {
  return (await selectOwner(stage.db.database, owner))?.linkStatus
}

test('the first login of a phone accepts its only owner', async () => {
  const { number, owners } = await phoneOf(1)
  const [only = ''] = owners
  expect(await linkOf(only)).toBe('invited')
  expect(await logIn(number)).toMatchObject({ owner_ids: [formatId('own', only)], invitations: 0 })
  expect(await linkOf(only)).toBe('accepted')
})

test('the first login of a phone with several owners accepts none of them and shows all as invitations', async () => {
  const { number, owners } = await phoneOf(2)
  for (let login = 0; login < 2; login++) {
    expect(await logIn(number)).toMatchObject({ owner_ids: [], owners: [], invitations: 2 })
  }
  const session = await stage.logIn(number)
  const { body } = await stage.ask('GET', '/v1/invitations', session)
  const { invitations } = body as { invitations: Invitation[] }
  expect(invitations.map(({ owner_id }) => owner_id)).toEqual(
    owners.toReversed().map(id => formatId('own', id)),
  )
  for (const { platform_name } of invitations) expect(platform_name).not.toBe('')
  expect(await stage.ask('GET', '/api/web/me', session)).toMatchObject({ status: 200, body: { owners: [] } })
})

test('an owner that is created after the first login is an invitation, also at the next login', async () => {
  const { number, owners } = await phoneOf(1)
  await logIn(number)
  const later = await invite(number)
  expect(await logIn(number)).toMatchObject({
    owner_ids: owners.map(id => formatId('own', id)),
    invitations: 1,
  })
  expect(await linkOf(later)).toBe('invited')
})

test('if two platforms create owners during the first login, the session covers at most one without asking', async () => {
  for (let round = 0; round < 6; round++) {
    const { number } = await phoneOf(1)
    await stage.sendOtp(number)
    const code = await stage.codeOf(number)
    const platforms = await Promise.all([1, 2].map(() => newPlatform(stage.network)))
    const [reply] = await Promise.all([
      stage.verifyOtp(number, code),
      ...platforms.map(({ platform }) => stage.newOwner(number, platform.id)),
    ])
    expect(reply.status).toBe(200)
    const rows = await stage.db.database.query(
      `select id from owners where link_status = 'accepted' and phone_index = (
         select phone_index from sessions order by id desc limit 1)`,
    )
    expect(rows).toHaveLength((reply.body as LoggedIn).owner_ids.length)
    expect(rows.length).toBeLessThanOrEqual(1)
    stage.clock.advance(60_000)
  }
})

test('of concurrent acceptance and decline of an invitation exactly one succeeds', async () => {
  const { number, owners } = await phoneOf(2)
  const [first = ''] = owners
  const session = await stage.logIn(number)
  const replies = await Promise.all(
    (['accept', 'decline', 'accept', 'decline'] as const).map(how => decide(first, how, session)),
  )
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
  const link = await linkOf(first)
  expect(replies.find(({ status }) => status === 200)?.body).toMatchObject({ link_status: link })
  expect(replies.find(({ status }) => status === 409)?.body).toMatchObject({
    error: { code: 'conflict', details: { link_status: link } },
  })
})

test('a second decision about an invitation is refused with the next step or the date of a new invitation', async () => {
  const { number, owners } = await phoneOf(2)
  const session = await stage.logIn(number)
  for (const [owner, how, next] of [
    [owners[0] ?? '', 'accept', /GET \/api\/web\/me/],
    [owners[1] ?? '', 'decline', /after 30 days/],
  ] as const) {
    await decide(owner, how, session)
    const message = expect.stringMatching(next)
    expect((await decide(owner, 'accept', session)).body).toMatchObject({
      error: { code: 'conflict', message },
    })
  }
})

test('an accepted owner belongs to every session of the phone at once, and the platform gets an event', async () => {
  const { number, owners } = await phoneOf(1)
  const session = await stage.logIn(number)
  const later = await invite(number)
  const events = await eventsDuring(stage.db.database, async () => {
    expect((await decide(later, 'accept', session)).status).toBe(200)
  })
  expect(events).toMatchObject([
    {
      event: 'owner.link.updated',
      data: { owner_id: formatId('own', later), link_status: 'accepted' },
    },
  ])
  const { body } = await stage.ask('GET', '/api/web/me', session)
  expect(body).toMatchObject({ owners: [...owners, later].map(id => ({ owner_id: formatId('own', id) })) })
})

test('only the holder of the phone can accept or decline an invitation', async () => {
  const { owners } = await phoneOf(2)
  const stranger = await stage.logIn((await phoneOf(1)).number)
  for (const how of ['accept', 'decline'] as const) {
    for (const owner of owners) {
      expect((await decide(owner, how, stranger)).status).toBe(404)
      expect(await linkOf(owner)).toBe('invited')
    }
  }
})

test('a first login does not accept the only owner of a deleted platform', async () => {
  const { number, owners } = await phoneOf(1)
  const [gone = ''] = owners
  await stage.db.database.query(
    `update platforms set status = 'deleted' where id = (select platform_id from owners where id = $1)`,
    [gone],
  )
  expect(await logIn(number)).toMatchObject({ owner_ids: [], invitations: 0 })
  expect(await linkOf(gone)).toBe('invited')
  const living = await invite(number)
  expect(await logIn(number)).toMatchObject({ owner_ids: [], invitations: 1 })
  expect(await linkOf(living)).toBe('invited')
})

test('invitations of a deleted platform are neither shown nor accepted', async () => {
  const { number, owners } = await phoneOf(2)
  const [first = ''] = owners
  const session = await stage.logIn(number)
  await stage.db.database.query(
    `update platforms set status = 'deleted' where id = (select platform_id from owners where id = $1)`,
    [first],
  )
  expect((await stage.ask('GET', '/v1/invitations', session)).body).toMatchObject({
    pagination: { total: 1 },
  })
  expect((await decide(first, 'accept', session)).status).toBe(404)
})

test('a person who declined can be invited again only after 30 days, and no login accepts by itself', async () => {
  const { number, owners } = await phoneOf(2)
  const [first = ''] = owners
  const session = await stage.logIn(number)
  expect((await decide(first, 'decline', session)).body).toMatchObject({ link_status: 'declined' })
  expect((await stage.ask('GET', '/v1/invitations', session)).body).toMatchObject({
    pagination: { total: 1 },
  })
  const retryAt = new Date(stage.clock.now().getTime() + 30 * DAY_MS)
  const asked = await selectOwner(stage.db.database, first)
  if (asked === null) throw new Error('there is such an owner')
  const invite = () => inviteAgain(stage.network, asked, stage.clock.now())
  stage.clock.advance(30 * DAY_MS - 1)
  await expect(invite()).rejects.toMatchObject({
    code: 'conflict',
    details: { link_status: 'declined', retry_at: retryAt.toISOString() },
  })
  stage.clock.advance(1)
  expect((await invite()).linkStatus).toBe('invited')
  expect((await invite()).linkStatus).toBe('invited')
  expect(await logIn(number)).toMatchObject({ owner_ids: [], invitations: 2 })
})

test('an accepted owner cannot be invited again', () => {
  const accepted = { linkStatus: 'accepted', linkDecidedAt: null } as const
  expect(decideInvite(accepted, new Date())).toMatchObject({ kind: 'refusal', code: 'conflict' })
})
