import { createPublicKey, verify } from 'node:crypto'
import { getReceipt, type Receipt, verifyReceipt } from '@batua/contract'
import canonicalize from 'canonicalize'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { afterAll, expect } from 'vitest'
import { responseCheck } from '../../../http/body/validate.ts'
import type { AgentCaller, Caller } from '../../../http/caller.ts'
import { type Clock, DAY_MS, systemClock } from '../../../kernel/clock.ts'
import { formatId, newUuid, type Uuid } from '../../../kernel/ids.ts'
import { silentLogger } from '../../../kernel/logger.ts'
import type { Ledger } from '../../../ledger/index.ts'
import { fund } from '../../../testing/builders.ts'
import { database, test } from '../../../testing/database-test.ts'
import { refusalOf } from '../../../testing/expect-refusal.ts'
import { openTestLedger, postPayment } from '../../../testing/model/wallets.ts'
import { agentCaller, networkContext, newAgent, newOwner, newPlatform } from '../../../testing/network.ts'
import { jwksDocument, serviceKeysDocument } from '../../signing/keys/key-documents.ts'
import { revokeSigningKey } from '../../signing/keys/revoke-signing-key.ts'
import { rotateSigningKey } from '../../signing/keys/rotate-signing-key.ts'
import { openSigningKeys, type SigningKeys } from '../../signing/keys/signing-keys.ts'
import { checkReceipt } from './check-receipt.ts'
import type { ReceiptsContext } from './find-receipt.ts'
import { readReceipt } from './read-receipt.ts'

let clock: Clock
let ledger: Ledger
let signingKeys: SigningKeys
let context: ReceiptsContext
let payer: AgentCaller
let payee: AgentCaller
let stranger: AgentCaller

test.beforeAll(async () => {
  clock = systemClock()
  ledger = openTestLedger(database, clock)
  const network = networkContext(database, clock)
  signingKeys = await openSigningKeys(network)
  context = {
    database,
    vault: network.vault,
    signingKeys,
    serviceName: 'batua',
    logger: silentLogger(),
  }

  const agents: AgentCaller[] = []
  for (const handle of ['researcher', 'translator', 'stranger']) {
    const { platform } = await newPlatform(network)
    agents.push(agentCaller(await newAgent(network, await newOwner(network, platform.id), { handle })))
  }
  const [first, second, third] = agents
  if (first === undefined || second === undefined || third === undefined)
    throw new Error('three agents were not created')
  payer = first
  payee = second
  stranger = third
  await fund(ledger, payer.agentId, 1_000_000n)
})

afterAll(async () => {
  await ledger.close()
})

const AWKWARD_NOTE = 'Zeilen\n„quoted“ \u2028 \ud83d\ude00 </script>'

async function paid(): Promise<Uuid> {
  const words = { reference: 'invoice "7"', note: AWKWARD_NOTE }
  return (await postPayment(ledger, payer.agentId, payee.agentId, 1_250n, words)).id
}

async function paidReceipt(): Promise<Receipt> {
  return readReceipt(context, payee, formatId('rcp', await paid()))
}

/** The signed bytes, built by hand: no code of the service takes part in verifying them. */
function signedBytes(receipt: Receipt): Buffer {
  const content = Object.entries(receipt).filter(([field]) => field !== 'signature' && field !== 'token')
  return Buffer.from(canonicalize(Object.fromEntries(content)) ?? '')
}

async function publishedKey() {
  const { public_key } = serviceKeysDocument('batua', await signingKeys.all())
  const spki = Buffer.concat([
    Buffer.from('302a300506032b6570032100', 'hex'),
    Buffer.from(public_key, 'base64'),
  ])
  return createPublicKey({ key: spki, format: 'der', type: 'spki' })
}

test('a receipt contains the payment, and is found by its own id and by its payment’s id', async () => {
  const id = await paid()
  const receipt = await readReceipt(context, payer, formatId('rcp', id))
  responseCheck(getReceipt)(receipt)
  expect(receipt).toMatchObject({
    receipt_id: formatId('rcp', id),
    payment_id: formatId('pay', id),
    from: formatId('agt', payer.agentId),
    from_handle: 'researcher',
    to: formatId('agt', payee.agentId),
    to_handle: 'translator',
    amount: 12.5,
    fee: 1,
    currency: 'INR',
    reference: 'invoice "7"',
    note: AWKWARD_NOTE,
    issuer: 'batua',
    key_id: (await signingKeys.current()).id,
  })
  expect(await readReceipt(context, payee, formatId('pay', id))).toEqual(receipt)
})

test('the signature verifies with the published key and nothing but node:crypto', async () => {
  const receipt = await paidReceipt()
  const key = await publishedKey()
  expect(verify(null, signedBytes(receipt), key, Buffer.from(receipt.signature, 'base64'))).toBe(true)
})

test('a change of any byte of the signature or any field of the receipt is detected', async () => {
  const receipt = await paidReceipt()
  const key = await publishedKey()
  const signature = Buffer.from(receipt.signature, 'base64')
  expect(signature).toHaveLength(64)
  for (const index of signature.keys()) {
    const flipped = Buffer.from(signature)
    flipped[index] = (flipped[index] ?? 0) ^ 1
    expect(verify(null, signedBytes(receipt), key, flipped)).toBe(false)
  }
  for (const field of Object.keys(receipt).filter(name => name !== 'signature' && name !== 'token')) {
    const changed = { ...receipt, [field]: 'x' }
    expect(verify(null, signedBytes(changed), key, signature), field).toBe(false)
  }
})

test('the token is the same receipt, and any JOSE library verifies it', async () => {
  const { token, signature: _, ...content } = await paidReceipt()
  const published = createLocalJWKSet(jwksDocument(await signingKeys.all()))
  const { payload, protectedHeader } = await jwtVerify(token ?? '', published, {
    issuer: 'batua',
    typ: 'receipt+jwt',
    algorithms: ['EdDSA'],
  })
  expect(payload).toMatchObject(content)
  expect(payload).toMatchObject({
    jti: content.receipt_id,
    iat: Math.floor(Date.parse(content.created_at) / 1000),
  })
  expect(protectedHeader).toMatchObject({ kid: content.key_id })
})

test('a receipt has the same bytes each time, also after the key was rotated', async () => {
  const before = await paidReceipt()
  const made = await rotateSigningKey(networkContext(database, clock), clock.now())
  clock.setOffsetMs(clock.offsetMs() + DAY_MS)
  expect(await readReceipt(context, payer, before.receipt_id)).toEqual(before)
  expect(await checkReceipt(context, payer, before.receipt_id)).toEqual({
    valid: true,
    reason: 'ok',
    receipt: before,
  })

  const after = await paidReceipt()
  expect(after.key_id).toBe(made.id)
  const published = createLocalJWKSet(jwksDocument(await signingKeys.all()))
  for (const { token } of [before, after]) await jwtVerify(token ?? '', published)
})

test.each(['agent', 'platform', 'owner'] as const)('the %s of either side reads a receipt', async kind => {
  const address = formatId('rcp', await paid())
  for (const side of [payer, payee]) {
    expect(await readReceipt(context, callerOf(kind, side), address)).toMatchObject({ note: AWKWARD_NOTE })
  }
})

function callerOf(kind: 'agent' | 'platform' | 'owner', side: AgentCaller): Caller {
  switch (kind) {
    case 'agent':
      return side
    case 'platform':
      return { kind, platformId: side.platformId }
    case 'owner':
      return { kind, ownerIds: [newUuid(clock.now()), side.ownerId], sessionId: newUuid(clock.now()) }
  }
}

test('a stranger gets the same refusal for a receipt as for a missing one, but can have it verified without its texts', async () => {
  const id = await paid()
  for (const kind of ['agent', 'platform', 'owner'] as const) {
    const caller = callerOf(kind, stranger)
    const refused = await refusalOf(readReceipt(context, caller, formatId('rcp', id)))
    const unknown = await refusalOf(readReceipt(context, caller, formatId('rcp', newUuid(clock.now()))))
    expect({ code: refused.code, message: refused.message }).toEqual({
      code: 'not_found',
      message: unknown.message,
    })

    const response = await checkReceipt(context, caller, formatId('pay', id))
    responseCheck(verifyReceipt)(response)
    expect(response).toMatchObject({ valid: true, reason: 'ok' })
    expect(response.receipt).toMatchObject({ amount: 12.5, reference: null, note: null, token: null })
  }
  const admin: Caller = { kind: 'admin', sessionId: newUuid(new Date()), phone: '9999999999' }
  expect((await checkReceipt(context, admin, formatId('rcp', id))).receipt).toMatchObject({ note: null })
})

test.each([
  ['an unknown id', () => formatId('rcp', newUuid(clock.now()))],
  ['an id of another kind', () => formatId('txn', newUuid(clock.now()))],
  ['no id at all', () => 'rcp_%00'],
])('%s has no receipt', async (_name, address) => {
  expect((await refusalOf(readReceipt(context, payer, address()))).code).toBe('not_found')
  expect(await checkReceipt(context, payer, address())).toEqual({
    valid: false,
    reason: 'not_found',
    receipt: null,
  })
})

test('only payments have receipts', async () => {
  const [fund] = await database.query<{ id: Uuid }>(`select id from transfers where kind = 'fund'`)
  const address = formatId('rcp', fund?.id ?? '')
  expect(await checkReceipt(context, payer, address)).toMatchObject({ valid: false, reason: 'not_found' })
})

const NOBODY = '00000000-0000-7000-8000-000000000001'

const CHANGES = [
  `kind = 'refund'`,
  'debit_account = credit_account, credit_account = debit_account',
  `credit_account = '${NOBODY}'`,
  'amount_paise = amount_paise + 1',
  'fee_paise = fee_paise - 1',
  'debit_balance_paise = debit_balance_paise + 1',
  'debit_balance_paise = null',
  'credit_balance_paise = credit_balance_paise - 1',
  'debit_sequence = debit_sequence + 1',
  'credit_sequence = credit_sequence + 1',
  `posted_at = posted_at + interval '1 millisecond'`,
  'seal = set_byte(seal, 15, get_byte(seal, 15) # 1)',
  'seal = substr(seal, 1, 15)',
  `seal = ''`,
  'linked_id = id',
  `idempotency_key = 'invented'`,
  `reference = reference || ' '`,
  'reference = null',
  `note = reference, reference = note`,
  'note = null',
]

test('this test covers every stored column of a transfer', async () => {
  const columns = await database.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = 'transfers'::regclass and attnum > 0`,
  )
  const changed = new Set(CHANGES.map(change => change.split(' = ')[0]))
  expect(columns.map(({ name }) => name).filter(name => !changed.has(name))).toEqual(['id'])
})

test.each(CHANGES)('a row that was changed in the database is detected: %s', async change => {
  const id = await paid()
  await database.query(`update transfers set ${change} where id = '${id}'`)
  const response = await checkReceipt(context, payer, formatId('rcp', id))
  responseCheck(verifyReceipt)(response)
  expect(response).toEqual({ valid: false, reason: 'bad_signature', receipt: null })
  await expect(readReceipt(context, payer, formatId('rcp', id))).rejects.toThrow('assertion failed')
})

test('a copy of a row has no receipt, neither under another id nor next to the original', async () => {
  const [id, copy] = [await paid(), newUuid(clock.now())]
  const columns = `kind, amount_paise, fee_paise, debit_balance_paise, credit_balance_paise, debit_sequence,
    credit_sequence, posted_at, seal, linked_id, reference, note`
  const insert = (debit: string, newId: string) =>
    database.query(
      `insert into transfers (id, debit_account, credit_account, ${columns})
       select ${newId}, ${debit}, credit_account, ${columns} from transfers where id = '${id}'`,
    )
  await insert('debit_account', `'${copy}'`)
  expect(await checkReceipt(context, payer, formatId('rcp', copy))).toMatchObject({ reason: 'bad_signature' })
  expect(await checkReceipt(context, payer, formatId('rcp', id))).toMatchObject({ reason: 'ok' })
  await insert(`'${stranger.agentId}'`, 'id')
  expect(await checkReceipt(context, payer, formatId('rcp', id))).toMatchObject({ reason: 'bad_signature' })
})

test('a receipt of a revoked key is signed with the replacing key when it is read, and its content is the same', async () => {
  const id = formatId('rcp', await paid())
  const before = await readReceipt(context, payer, id)
  const network = networkContext(database, clock)
  const revokedAt = clock.now()
  await revokeSigningKey(network, revokedAt, { keyId: before.key_id, revokedAt })
  clock.setOffsetMs(clock.offsetMs() + 2_000)
  const after = await readReceipt(context, payer, id)
  const { key_id } = serviceKeysDocument('batua', await signingKeys.all())
  expect(after).toEqual({ ...before, key_id, signature: after.signature, token: after.token })
  expect(key_id).not.toBe(before.key_id)
  expect(await checkReceipt(context, payer, id)).toMatchObject({ valid: true, receipt: { key_id } })
  const published = createLocalJWKSet({ keys: [...jwksDocument(await signingKeys.all()).keys] })
  await jwtVerify(after.token ?? '', published)
  await expect(jwtVerify(before.token ?? '', published)).rejects.toThrow('no applicable key')
})
