import { expect } from 'vitest'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { factsDuring, secretsInLog } from '../../../testing/facts.ts'
import { newPlatform, randomPhone } from '../../../testing/network.ts'
import { otherThan, stage, test } from './testing/session-stage.ts'

const ADMIN = '9999999999'
const MASKED = { type: 'admin', id: 'xxxxxx9999' } as const

const phone = randomPhone()
const secrets: string[] = [phone, ADMIN]

const during = (work: () => Promise<unknown>) => factsDuring(stage.db.database, work)

test('the first login of a phone is recorded as the acceptance of its owner', async () => {
  const { id, number } = await stage.newOwner(phone)
  const owner = formatId('own', id)
  const facts = await during(() => stage.logIn(number))
  expect(facts).toMatchObject([
    { action: 'owner.link_accepted', actor: { type: 'owner', id: owner }, target: owner },
    { action: 'session.started' },
  ])
  stage.clock.advance(30_000)
})

test('a login is recorded once, for the first of its owners, and names all of them', async () => {
  const [first] = await stage.db.database.query<{ id: Uuid }>(`select id from owners`)
  if (first === undefined) throw new Error('the owner of the test before')
  const second = await stage.newOwner(phone, (await newPlatform(stage.network)).platform.id)
  const later = await stage.logIn(phone)
  stage.clock.advance(30_000)
  const accepted = await during(() =>
    stage.ask('POST', `/v1/invitations/${formatId('own', second.id)}/accept`, later),
  )
  expect(accepted).toMatchObject([
    { action: 'owner.link_accepted', data: { link_status: { from: 'invited', to: 'accepted' } } },
  ])
  const owner_ids = [first, second].map(({ id }) => formatId('own', id))
  const itself = { actor: { type: 'owner', id: owner_ids[0] }, target: owner_ids[0], agentId: null }
  let session = { cookie: '', origin: '' }
  const started = await during(async () => {
    session = await stage.logIn(phone)
  })
  secrets.push(session.cookie.split('=')[1] ?? 'none', ...stage.sent.map(({ code }) => `"${code}"`))
  const expires_at = new Date(stage.clock.now().getTime() + 12 * 3_600_000).toISOString()
  expect(started).toEqual([{ ...itself, action: 'session.started', data: { owner_ids, expires_at } }])
  const logOut = () => stage.ask('POST', '/v1/auth/logout', session)
  expect(await during(logOut)).toEqual([{ ...itself, action: 'session.ended', data: { owner_ids } }])
  expect(await during(logOut)).toEqual([])
})

test('a login of an administrator is recorded with the last digits of the phone', async () => {
  let session = { cookie: '', origin: '' }
  const started = await during(async () => {
    session = await stage.logIn(ADMIN, 'admin')
  })
  const fact = { agentId: null, actor: MASKED, target: MASKED.id }
  expect(started).toMatchObject([{ ...fact, action: 'session.started' }])
  const ended = await during(() => stage.ask('POST', '/v1/admin/auth/logout', session))
  expect(ended).toEqual([{ ...fact, action: 'session.ended', data: {} }])
})

test('sent codes and wrong codes are not recorded', async () => {
  stage.clock.advance(3_600_000)
  expect(
    await during(async () => {
      await stage.sendOtp(phone)
      await stage.verifyOtp(phone, otherThan(await stage.codeOf(phone)))
    }),
  ).toEqual([])
})

test('the audit log contains no phone, code or token', async () => {
  expect(await secretsInLog(stage.db.database, secrets)).toEqual([])
})
