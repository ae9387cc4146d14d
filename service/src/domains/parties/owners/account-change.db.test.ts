import { beforeEach, describe, expect } from 'vitest'
import type { GatewayResult } from '../../../gateways/gateway-result.ts'
import type { TextMessage } from '../../../gateways/message-senders.ts'
import { newUuid } from '../../../kernel/ids.ts'
import { actorOf, service } from '../../../operations/facts.ts'
import type { Job } from '../../../operations/jobs.ts'
import { refusalOf } from '../../../testing/expect-refusal.ts'
import { openTextMessages } from '../text-messages.ts'
import { cancelAccountChange } from './change-account.ts'
import { decryptPersonal } from './personal-data.ts'
import { type Owner, updateOwnerStatus } from './store.ts'
import { stage, test } from './testing/owner-stage.ts'

const FIRST = '500000001111'
const SECOND = '500000002222'
const THIRD = '500000003333'
const DAY_S = 86_400

let owner: Owner
let messages: Job
let sent: TextMessage[]
let outcome: GatewayResult<'sent'>

beforeEach(async () => {
  owner = await stage.newOwner()
  sent = []
  outcome = { kind: 'value', value: 'sent' }
  await stage.context.database.query(`delete from text_messages`)
  const sender = {
    name: 'test',
    async send(message: TextMessage) {
      sent.push(message)
      return outcome
    },
  }
  messages = openTextMessages({
    ...stage.context,
    sender,
    texts: {
      bankAccount: 'Account {last4} from {effective_at}; object at {url}',
      passkey: '{change}',
      app: '{agent}',
    },
    baseUrl: 'https://pay.example.com',
  })
})

const submit = (account: string) => stage.submit(owner, account)
const stored = () => stage.stored(owner)
const sendDue = () => messages.run(stage.clock.now())
const setStatus = (status: Owner['status']) =>
  updateOwnerStatus(stage.context.database, stage.context.vault, owner.id, status)
const cancel = () => cancelAccountChange(stage.context, service('test'), owner)

/** The last digits of the account in force and of the pending one. */
async function accounts(): Promise<(string | null)[]> {
  const { bankAccountLast4, pendingBankAccountLast4 } = await stored()
  return [bankAccountLast4, pendingBankAccountLast4]
}

async function actions(): Promise<string[]> {
  const rows = await stage.context.database.query<{ action: string }>(
    `select action from audit_entries where action like 'owner.bank_account%' order by id`,
  )
  return rows.map(({ action }) => action)
}

describe('a changed bank account', () => {
  test('a changed bank account waits for the cooldown, and the first account takes effect at once', async () => {
    await submit(FIRST)
    expect(await accounts()).toEqual(['1111', null])
    const before = stage.clock.now().getTime()
    const changed = await submit(SECOND)
    expect(changed).toMatchObject({ bankAccountLast4: '1111', pendingBankAccountLast4: '2222' })
    const waitsMs = (changed.pendingBankEffectiveAt?.getTime() ?? 0) - before
    expect(Math.round(waitsMs / 10_000)).toBe(8_640)
    await stage.advance(DAY_S - 60)
    expect(await accounts()).toEqual(['1111', '2222'])
    await stage.advance(61)
    expect(await accounts()).toEqual(['2222', null])
    expect(await actions()).toContain('owner.bank_account_changed')
  })

  test('a newer bank account replaces a pending one and waits for a full cooldown', async () => {
    await submit(FIRST)
    await submit(SECOND)
    await stage.advance(DAY_S - 60)
    await submit(THIRD)
    await stage.advance(61)
    expect(await accounts()).toEqual(['1111', '3333'])
    await stage.advance(DAY_S)
    expect(await accounts()).toEqual(['3333', null])
  })

  test('a pending bank account that is submitted again keeps its moment, and its owner is notified once', async () => {
    await submit(FIRST)
    const { pendingBankEffectiveAt } = await submit(SECOND)
    await stage.advance(3_600)
    expect((await submit(SECOND)).pendingBankEffectiveAt).toEqual(pendingBankEffectiveAt)
    await sendDue()
    expect(sent).toHaveLength(1)
  })

  test('a due bank account takes effect even if the altered row of another owner is skipped', async () => {
    const { database } = stage.context
    await submit(FIRST)
    await submit(SECOND)
    const other = await stage.newOwner()
    await stage.submit(other, FIRST)
    await stage.submit(other, SECOND)
    await database.query(`update owners set pending_bank_account_last4 = '9999' where id = $1`, [owner.id])
    await stage.advance(DAY_S + 1)
    expect((await stage.stored(other)).bankAccountLast4).toBe('2222')
    expect(await accounts()).toEqual(['1111', '9999'])
    await database.query(`update owners set pending_bank_account_last4 = '2222' where id = $1`, [owner.id])
    await stage.advance(1)
    expect(await accounts()).toEqual(['2222', null])
  })

  test('a platform that an altered row of an owner names can neither change nor cancel the bank account', async () => {
    await submit(FIRST)
    await submit(SECOND)
    const seen = { ...(await stored()), platformId: newUuid(stage.clock.now()) }
    expect(await refusalOf(stage.submit(seen, THIRD))).toMatchObject({ code: 'not_found' })
    const cancelled = cancelAccountChange(stage.context, service('test'), seen)
    expect(await refusalOf(cancelled)).toMatchObject({ code: 'not_found' })
    expect(await accounts()).toEqual(['1111', '2222'])
  })

  test('a pending bank account is cancelled by submitting the account in force, or by a cancellation', async () => {
    await submit(FIRST)
    await submit(SECOND)
    expect(await submit(FIRST)).toMatchObject({ bankAccountLast4: '1111', pendingBankAccount: null })
    await submit(SECOND)
    expect(await cancel()).toMatchObject({ bankAccountLast4: '1111', pendingBankAccount: null })
    expect(await refusalOf(cancel())).toMatchObject({ code: 'not_found' })
    await stage.advance(DAY_S + 1)
    expect(await accounts()).toEqual(['1111', null])
  })

  test('a submission that the bank has not decided can be cancelled too', async () => {
    await submit(FIRST)
    await submit('900000000004')
    expect(await cancel()).toMatchObject({ kycStatus: 'verified', kycReason: null })
    await stage.advance(120)
    expect(await accounts()).toEqual(['1111', null])
    expect(await stage.openChecks(owner)).toBe(0)
  })

  test('the bank is asked about at most ten submissions of an owner a day', async () => {
    for (let count = 0; count < 10; count++) await submit(FIRST)
    expect(await refusalOf(submit(SECOND))).toMatchObject({ code: 'rate_limit_exceeded' })
    stage.clock.setOffsetMs(stage.clock.offsetMs() + DAY_S * 1_000)
    expect(await submit(SECOND)).toMatchObject({ pendingBankAccountLast4: '2222' })
  })

  test('a due bank account cannot be cancelled', async () => {
    await submit(FIRST)
    await submit(SECOND)
    stage.clock.setOffsetMs(stage.clock.offsetMs() + DAY_S * 1_000)
    expect(await refusalOf(cancel())).toMatchObject({ code: 'not_found' })
    await stage.advance(0)
    expect(await accounts()).toEqual(['2222', null])
  })
})

describe('while an owner is frozen', () => {
  test('while the owner is frozen, no bank account can be submitted, not even the first', async () => {
    await setStatus('frozen')
    expect(await refusalOf(submit(FIRST))).toMatchObject({ code: 'conflict' })
    expect(await accounts()).toEqual([null, null])
  })

  test('while the owner is frozen, a pending bank account does not take effect and can be cancelled', async () => {
    await submit(FIRST)
    await submit(SECOND)
    await setStatus('frozen')
    await stage.advance(2 * DAY_S)
    expect(await accounts()).toEqual(['1111', '2222'])
    await setStatus('active')
    await stage.advance(0)
    expect(await accounts()).toEqual(['2222', null])

    await submit(THIRD)
    await setStatus('frozen')
    expect(await cancel()).toMatchObject({ bankAccountLast4: '2222', pendingBankAccount: null })
  })

  test('while the owner is frozen, a result of the bank is ignored, and the bank is asked again afterwards', async () => {
    const { context } = stage
    const verifyAccount = async (claim: Parameters<typeof context.bankVerifier.verifyAccount>[0]) => {
      await setStatus('frozen')
      return context.bankVerifier.verifyAccount(claim)
    }
    const frozenMeanwhile = { ...context, bankVerifier: { ...context.bankVerifier, verifyAccount } }
    const responded = await stage.submit(owner, FIRST, frozenMeanwhile)
    expect(responded).toMatchObject({ kycStatus: 'pending', tier: 'sandbox' })
    await stage.advance(DAY_S)
    expect(await stored()).toMatchObject({ kycStatus: 'pending', tier: 'sandbox' })
    await setStatus('active')
    await stage.advance(0)
    expect(await stored()).toMatchObject({ kycStatus: 'verified', tier: 'tier1', bankAccountLast4: '1111' })
  })

  test('a bank account that is verified after the unfreezing waits for the whole cooldown from then on', async () => {
    await submit(FIRST)
    await submit('900000000004')
    await setStatus('frozen')
    await stage.advance(2 * DAY_S)
    expect(await accounts()).toEqual(['1111', null])
    await setStatus('active')
    await stage.advance(0)
    expect(await accounts()).toEqual(['1111', '0004'])
    await stage.advance(DAY_S + 1)
    expect(await accounts()).toEqual(['0004', null])
  })
})

describe('the owner of a changed bank account', () => {
  test('the owner gets a text message with the account, its date and the page to object', async () => {
    await submit(FIRST)
    await sendDue()
    expect(sent).toEqual([])
    const { pendingBankEffectiveAt } = await submit(SECOND)
    await sendDue()
    const ist = new Date((pendingBankEffectiveAt?.getTime() ?? 0) + 5.5 * 3_600_000).toISOString()
    const effective_at = `${ist.slice(0, 10)} ${ist.slice(11, 16)} IST`
    expect(sent).toEqual([
      {
        phone: decryptPersonal(stage.context.vault, owner.id, 'phone', owner.phone),
        template: 'bank_account',
        text: `Account 2222 from ${effective_at}; object at https://pay.example.com`,
        variables: { last4: '2222', effective_at, url: 'https://pay.example.com' },
      },
    ])
    expect(await sendDue()).toBe(0)
  })

  test('the text message is sent at least once: a failure is retried and does not block the change', async () => {
    await submit(FIRST)
    outcome = { kind: 'unknown', message: 'time-out' }
    await submit(SECOND)
    expect(await accounts()).toEqual(['1111', '2222'])
    await sendDue()
    expect(await sendDue()).toBe(0)
    await stage.advance(11)
    outcome = { kind: 'value', value: 'sent' }
    await sendDue()
    await stage.advance(60)
    await sendDue()
    expect(sent.map(({ variables }) => variables['last4'])).toEqual(['2222', '2222'])
  })

  test('another process sends the text message if the first one crashes', async () => {
    await submit(FIRST)
    await submit(SECOND)
    const dying = openTextMessages({
      ...stage.context,
      sender: { name: 'dying', send: () => Promise.reject(new Error('dies')) },
      texts: { bankAccount: '{last4}', passkey: '{change}', app: '{agent}' },
      baseUrl: '',
    })
    await dying.run(stage.clock.now())
    await stage.advance(61)
    await sendDue()
    expect(sent).toHaveLength(1)
  })

  test('no text message is sent for a submission that is rolled back or that the bank refuses', async () => {
    await submit(FIRST)
    await refusalOf(submit('900000000003'))
    expect(await sendDue()).toBe(0)
  })

  test('a text message that cannot be delivered is dropped after three days', async () => {
    await submit(FIRST)
    outcome = { kind: 'rejected', code: 'undelivered', message: 'The phone cannot be reached' }
    await submit(SECOND)
    for (let attempt = 0; attempt < 40; attempt++) {
      await sendDue()
      await stage.advance(6 * 3_600)
    }
    expect(sent.length).toBeGreaterThan(10)
    expect(sent.length).toBeLessThan(30)
    expect(await stage.context.database.query(`select id from text_messages`)).toEqual([])
  })

  test('the stored text message contains neither phone nor digits in readable form', async () => {
    await submit(FIRST)
    await submit(SECOND)
    const phone = decryptPersonal(stage.context.vault, owner.id, 'phone', owner.phone)
    const rows = await stage.context.database.query<{ text: string }>(
      `select m::text as text from text_messages m`,
    )
    expect(rows).toHaveLength(1)
    for (const text of rows.map(row => row.text)) {
      expect(text).not.toContain(phone)
      expect(text).not.toContain(Buffer.from(phone).toString('hex'))
    }
  })
})

test('a cancelled bank account is recorded with its actor and the last digits of the account', async () => {
  await submit(FIRST)
  await submit(SECOND)
  const actor = actorOf({ kind: 'platform', platformId: owner.platformId })
  await cancelAccountChange(stage.context, actor, owner)
  const [entry] = await stage.context.database.query<{ data: string }>(
    `select data from audit_entries where action = 'owner.bank_account_change_cancelled' order by id desc limit 1`,
  )
  expect(JSON.parse(entry?.data ?? '{}')).toMatchObject({
    bank_account_last4: '2222',
    bank_ifsc: 'HDFC0001234',
  })
})
