import { expect } from 'vitest'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { type Actor, actorOf } from '../../../operations/facts.ts'
import { database, test } from '../../../testing/database-test.ts'
import { refusalOf } from '../../../testing/expect-refusal.ts'
import { factsDuring, secretsInLog } from '../../../testing/facts.ts'
import { type NetworkContext, networkContext, platformCaller } from '../../../testing/network.ts'
import { createPlatform } from './create-platform.ts'
import { deletePlatform } from './delete-platform.ts'
import { rotateSecret, rotateWebhookSecret } from './secrets.ts'
import { updatePlatform } from './update-platform.ts'

const ACTOR = actorOf({ kind: 'public' })
const URL_WITH_SECRET = 'https://hooks.example.com/path-secret?token=query-secret'

let context: NetworkContext
let id: Uuid
let itself: Actor
const secrets: string[] = ['dev@example.com', 'ops@example.com', 'path-secret', 'query-secret']

test.beforeAll(async () => {
  context = networkContext(database)
})

const during = (work: () => Promise<unknown>) => factsDuring(database, work)
const itsFact = (action: string, data: object) => ({
  agentId: null,
  actor: itself,
  action,
  target: itself.id,
  data,
})

test('the creation of a platform is recorded with its actor', async () => {
  const request = { name: 'Acme', email: 'dev@example.com', webhook_url: URL_WITH_SECRET }
  const facts = await during(async () => {
    const created = await createPlatform(context, ACTOR, request)
    id = created.platform.id
    secrets.push(created.platformSecret, created.webhookSecret)
  })
  itself = actorOf(platformCaller(id))
  expect(facts).toEqual([
    {
      agentId: null,
      actor: { type: 'public', id: 'anonymous' },
      action: 'platform.created',
      target: formatId('plt', id),
      data: { name: 'Acme', webhook_host: 'hooks.example.com' },
    },
  ])
})

test('a change is recorded with the values before and after, and an e-mail address only as changed', async () => {
  const change = { name: 'Acme Robotics', email: 'ops@example.com', webhook_url: 'https://example.com/in' }
  expect(await during(() => updatePlatform(context, itself, id, change))).toEqual([
    itsFact('platform.updated', {
      name: { from: 'Acme', to: 'Acme Robotics' },
      email: 'changed',
      webhook_host: { from: 'hooks.example.com', to: 'example.com' },
    }),
  ])
  expect(await during(() => updatePlatform(context, itself, id, { webhook_url: null }))).toEqual([
    itsFact('platform.updated', { webhook_host: { from: 'example.com', to: null } }),
  ])
})

test('a change that changes nothing is not recorded', async () => {
  const same = { name: 'Acme Robotics', email: 'ops@example.com', webhook_url: null }
  expect(await during(() => updatePlatform(context, itself, id, same))).toEqual([])
  expect(await during(() => updatePlatform(context, itself, id, {}))).toEqual([])
})

test('a change whose audit entry cannot be written does not happen', async () => {
  await database.query('alter table audit_queue rename to elsewhere')
  await expect(updatePlatform(context, itself, id, { name: 'Unseen' })).rejects.toThrow('audit_queue')
  await expect(rotateSecret(context, itself, id)).rejects.toThrow('audit_queue')
  await database.query('alter table elsewhere rename to audit_queue')
  expect(await during(() => updatePlatform(context, itself, id, { name: 'Acme Robotics' }))).toEqual([])
})

test('a refused change is not recorded', async () => {
  const change = { webhook_url: 'ftp://example.com' }
  expect(await during(() => refusalOf(updatePlatform(context, itself, id, change)))).toEqual([])
})

test('the rotation of secrets is recorded, and the audit log contains none of them', async () => {
  const facts = await during(async () => {
    secrets.push(await rotateSecret(context, itself, id))
    secrets.push((await rotateWebhookSecret(context, itself, id)).secret)
  })
  expect(facts).toEqual([
    itsFact('platform.secret_rotated', {}),
    itsFact('platform.webhook_secret_rotated', { previous_secret_expires_at: expect.any(String) }),
  ])
  expect(await secretsInLog(database, secrets)).toEqual([])
})

test('a deletion is recorded once, even if it is requested several times', async () => {
  expect(await during(() => deletePlatform(context, itself, id))).toEqual([itsFact('platform.deleted', {})])
  expect(await during(() => deletePlatform(context, itself, id))).toEqual([])
})
