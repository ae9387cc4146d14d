import { beforeEach, expect } from 'vitest'
import { type Actor, service } from '../../../operations/facts.ts'
import { refusalOf } from '../../../testing/expect-refusal.ts'
import { newPlatform, randomPan, randomPhone } from '../../../testing/network.ts'
import { openTextMessages } from '../text-messages.ts'
import { createOwner } from './create-owner.ts'
import { updateLink } from './invitation-store.ts'
import type { Owner } from './store.ts'
import { submitKyc } from './submit-kyc.ts'
import { stage, test } from './testing/owner-stage.ts'

const DAY_S = 86_400

let phone: string

beforeEach(() => {
  phone = randomPhone()
})

/** An owner of a platform of its own that names the phone. */
async function invite(): Promise<Owner> {
  const { platform } = await newPlatform(stage.network)
  return createOwner(stage.network, platform.id, { name: 'Asha Rao', phone, pan: randomPan() })
}

async function inviteSeveral(count: number): Promise<Owner[]> {
  const owners: Owner[] = []
  for (let index = 0; index < count; index++) owners.push(await invite())
  return owners
}

const accept = (owner: Owner) =>
  stage.context.database.inTransaction(tx =>
    updateLink(tx, stage.context.vault, owner.id, {
      linkStatus: 'accepted',
      linkDecidedAt: stage.clock.now(),
    }),
  )

let accounts = 100_000_000_000

/** Submits a bank account that no owner has had. The first one of an owner is no change. */
async function submit(owner: Owner, actor: Actor = service('test')): Promise<string> {
  const bank_account = String(++accounts)
  await submitKyc(stage.context, actor, owner, { bank_account, bank_ifsc: 'HDFC0001234' })
  return bank_account.slice(-4)
}

/** The last digits of the accounts in the messages to the phone. */
async function notifiedDigits(): Promise<string[]> {
  const last4: string[] = []
  const messages = openTextMessages({
    ...stage.context,
    sender: {
      name: 'test',
      async send(message) {
        if (message.phone === phone) last4.push(message.variables['last4'] ?? '')
        return { kind: 'value', value: 'sent' }
      },
    },
    texts: { bankAccount: '{last4}', passkey: '{change}', app: '{agent}' },
    baseUrl: '',
  })
  while ((await messages.run(stage.clock.now())) > 0);
  return last4
}

test('an invited owner’s phone is notified of a change of bank account, whatever another platform changed before', async () => {
  const [genuine, other] = [await invite(), await invite()]
  await submit(genuine)
  for (let count = 0; count < 12; count++) await submit(other).catch(() => undefined)
  await notifiedDigits()
  const changed = await submit(genuine)
  expect(await notifiedDigits()).toEqual([changed])
})

test('no change of an invited owner goes untold: the fourth of a day is refused before the bank is asked', async () => {
  const owner = await invite()
  await submit(owner)
  const changed = [await submit(owner), await submit(owner), await submit(owner)]
  const refused = await refusalOf(submit(owner))
  expect(refused).toMatchObject({ code: 'rate_limit_exceeded', message: expect.stringContaining('accept') })
  expect(refused.headers).toMatchObject({ 'ratelimit-limit': '3', 'ratelimit-remaining': '0' })
  expect(await stage.openChecks(owner)).toBe(0)
  expect((await notifiedDigits()).toSorted()).toEqual(changed.toSorted())
  await stage.advance(DAY_S)
  expect([await submit(owner)]).toEqual(await notifiedDigits())
})

test('many platforms together send a phone at most twenty messages a day, and none of them changes an account untold', async () => {
  const owners = await inviteSeveral(12)
  for (const owner of owners) await submit(owner)
  const changed: string[] = []
  for (const owner of owners.toReversed()) {
    for (let count = 0; count < 4; count++) {
      const last4 = await submit(owner).catch(() => null)
      if (last4 !== null) changed.push(last4)
    }
  }
  expect(changed).toHaveLength(20)
  expect((await notifiedDigits()).toSorted()).toEqual(changed.toSorted())
})

test('of changes that are submitted at once, those beyond the limit of the phone wait for the next day', async () => {
  const later = (await inviteSeveral(12)).slice(5)
  for (const owner of later) await submit(owner)
  await Promise.all(later.map(owner => submit(owner)))
  expect(await notifiedDigits()).toHaveLength(5)
  await stage.advance(DAY_S)
  expect(await notifiedDigits()).toHaveLength(2)
  for (const owner of later) expect(await stage.openChecks(owner)).toBe(0)
})

test('however many platforms invite a phone afterwards, it is notified of each change by the first five', async () => {
  const [first, ...others] = await inviteSeveral(9)
  if (first === undefined) throw new Error('no owner')
  await submit(first)
  for (const owner of others) {
    await submit(owner)
    for (let count = 0; count < 4; count++) await submit(owner).catch(() => undefined)
  }
  await notifiedDigits()
  const changed = [await submit(first), await submit(first), await submit(first)]
  expect((await notifiedDigits()).toSorted()).toEqual(changed.toSorted())
})

test('an accepted owner is notified of every change, and strangers’ changes never use up her limit', async () => {
  const strangers = await inviteSeveral(8)
  const owner = await invite()
  await accept(owner)
  for (const stranger of strangers) {
    await submit(stranger)
    for (let count = 0; count < 4; count++) await submit(stranger).catch(() => undefined)
  }
  await submit(owner)
  await notifiedDigits()
  const changed: string[] = []
  for (let count = 0; count < 9; count++) changed.push(await submit(owner))
  expect((await notifiedDigits()).toSorted()).toEqual(changed.toSorted())
})

test('a platform that submits ten accounts a day leaves the owner submissions of her own', async () => {
  const owner = await invite()
  await accept(owner)
  const platform: Actor = { type: 'platform', id: 'plt_x' }
  const herself: Actor = { type: 'owner', id: 'own_x' }
  for (let count = 0; count < 10; count++) await submit(owner, platform)
  expect(await refusalOf(submit(owner, platform))).toMatchObject({ code: 'rate_limit_exceeded' })
  const changed = await submit(owner, herself)
  expect((await notifiedDigits()).at(-1)).toBe(changed)
})
