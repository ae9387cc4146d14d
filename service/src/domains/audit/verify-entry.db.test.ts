import { type AuditVerification, verifyAuditEntry } from '@batua/contract'
import { openCheckpoint } from '@batua/verification/checkpoint'
import { verifyInclusion } from '@batua/verification/verify-proof'
import { beforeEach, expect } from 'vitest'
import { responseCheck } from '../../http/body/validate.ts'
import type { Caller } from '../../http/caller.ts'
import { formatId, newUuid, type Uuid } from '../../kernel/ids.ts'
import { canonicalJson } from '../../kernel/signing.ts'
import { leafHash } from '../../operations/audit-entry.ts'
import { insertFundedAgent, order, startNode } from '../../testing/builders.ts'
import { database, test } from '../../testing/database-test.ts'
import {
  agentCaller,
  networkContext,
  newAgent,
  newOwner,
  newPlatform,
  platformCaller,
} from '../../testing/network.ts'
import { openIntegrator } from './integrator.ts'
import { integrateAll, type LogStage, openLogStage, recordSome } from './testing/log-stage.ts'
import { verifyEntry } from './verify-entry.ts'

const ADMIN: Caller = { kind: 'admin', sessionId: newUuid(new Date()), phone: '9000000001' }
let stage: LogStage

beforeEach(async () => {
  stage = await openLogStage(database)
  await database.query('truncate audit_entries, audit_queue, audit_refused, audit_tiles, audit_tree')
})

async function verified(id: Uuid | undefined, caller: Caller = ADMIN): Promise<AuditVerification> {
  const response = await verifyEntry(stage, openIntegrator(stage), caller, formatId('aud', id ?? ''))
  responseCheck(verifyAuditEntry)(response)
  return response
}

const reasonOf = async (id: Uuid | undefined) => (await verified(id)).reason

/** A verifier that uses only the published keys and the contract. */
async function holdsOffline({ entry, ...proof }: AuditVerification): Promise<boolean> {
  if (entry === null || proof.leaf_index === null || proof.tree_size === null) return false
  const { hash, ...content } = entry
  const keys = await stage.signingKeys.all()
  const head = openCheckpoint(
    proof.checkpoint ?? '',
    'batua/audit',
    keys.map(key => key.publicKey),
  )
  if (head === null || hash !== leafHash(canonicalJson(content))) return false
  if (head.size !== proof.tree_size || head.root.toString('hex') !== proof.root_hash) return false
  const inclusion = {
    leaf: Buffer.from(hash, 'hex'),
    index: proof.leaf_index,
    size: head.size,
    proof: proof.inclusion_proof.map(node => Buffer.from(node, 'hex')),
  }
  return verifyInclusion(inclusion, head.root)
}

test('an entry has a proof as soon as it is recorded, and the proof verifies offline', async () => {
  await recordSome(stage, 300)
  await integrateAll(stage)
  const [first, second] = await recordSome(stage, 2)
  const response = await verified(second)
  expect(response).toMatchObject({ valid: true, reason: 'ok', leaf_index: 301, tree_size: 302 })
  expect(await holdsOffline(response)).toBe(true)
  expect(await holdsOffline(await verified(first))).toBe(true)
})

test('a payment is an entry, and no other transfer is', async () => {
  const { clock } = stage
  const node = startNode({ database, clock })
  const payer = await insertFundedAgent(node.ledger, database, clock, 1_000_000n)
  const payee = await insertFundedAgent(node.ledger, database, clock, 100n)
  await node.pay(order(payer, payee, 1_250n, { reference: 'invoice "7"', note: '„quoted“ \ud83d\ude00' }))
  await node.ledger.close()
  const transfers = await database.query<{ id: Uuid; kind: string }>('select id, kind from transfers', [])
  const payment = transfers.find(({ kind }) => kind === 'payment')?.id
  const response = await verified(payment)
  expect(response).toMatchObject({
    valid: true,
    entry: { action: 'payment.completed', data: { amount: 12.5, fee: 1, note: '„quoted“ \ud83d\ude00' } },
  })
  expect(await holdsOffline(response)).toBe(true)
  expect(await reasonOf(transfers.find(({ kind }) => kind === 'fund')?.id)).toBe('not_found')
  await database.query(`update transfers set note = 'another' where id = $1`, [payment])
  expect(await reasonOf(payment)).toBe('altered')
})

test('verification finds an edit of any column of an entry', async () => {
  const [id = ''] = await recordSome(stage, 1)
  await integrateAll(stage)
  for (const change of [
    `id = '${newUuid(new Date())}'`,
    `agent_id = gen_random_uuid()`,
    `agent_id = null`,
    `actor_type = 'admin'`,
    `actor_id = 'tesu'`,
    `action = 'agent.resumed'`,
    `target = target || '0'`,
    `data = (data::jsonb || '{"amount": 12.51}')::text`,
    `data = (data::jsonb - 'word')::text`,
    `data = data || ' '`,
    `data = replace(data, '12.5', '12.50000000000000000001')`,
    `data = 'no JSON'`,
    `created_at = created_at + interval '1 microsecond'`,
    `created_at = created_at + interval '1 millisecond'`,
    `created_at = 'infinity'`,
  ]) {
    await database.query('create table kept as table audit_entries')
    await database.query(`update audit_entries set ${change}`)
    expect([change, await verified(id)]).toMatchObject([
      change,
      { valid: false, reason: 'altered', entry: null },
    ])
    await database.query(`truncate audit_entries; insert into audit_entries table kept; drop table kept`)
    expect(await reasonOf(id)).toBe('ok')
  }
})

test('verification finds deleted, exchanged and invented entries', async () => {
  const [first, second, third] = await recordSome(stage, 3)
  await integrateAll(stage)
  const swap = `update audit_entries e set data = o.data, target = o.target, agent_id = o.agent_id
    from audit_entries o where (e.id, o.id) in (($1, $2), ($2, $1))`
  await database.query(swap, [first, second])
  expect([await reasonOf(first), await reasonOf(second)]).toEqual(['altered', 'altered'])
  await database.query('delete from audit_entries where id = $1', [third])
  expect(await reasonOf(third)).toBe('altered')

  const [waiting] = await recordSome(stage, 1)
  await database.query('delete from audit_entries where id = $1', [waiting])
  expect(await reasonOf(waiting)).toBe('altered')

  const invented = newUuid(new Date())
  await database.query(
    `insert into audit_entries (id, agent_id, actor_type, actor_id, action, target, data, created_at)
     select $1, agent_id, actor_type, actor_id, action, target, data, created_at from audit_entries where id = $2`,
    [invented, first],
  )
  expect(await reasonOf(invented)).toBe('not_in_log')
  expect(await reasonOf(newUuid(new Date()))).toBe('not_found')
})

test('an entry whose leaf was appended long after it is verified, and reported if it was deleted', async () => {
  await recordSome(stage, 1_500)
  await integrateAll(stage)
  const minuteAgo = { ...stage.clock, now: () => new Date(Date.now() - 60_000) }
  const [late] = await recordSome({ ...stage, clock: minuteAgo }, 1)
  await integrateAll(stage)
  expect(await verified(late)).toMatchObject({ valid: true, leaf_index: 1_500 })
  await database.query('delete from audit_entries where id = $1', [late])
  expect(await reasonOf(late)).toBe('altered')
})

test('an entry is not in the log if its row of the queue was deleted or forged', async () => {
  const [lost] = await recordSome(stage, 1)
  await database.query('delete from audit_queue')
  expect(await reasonOf(lost)).toBe('not_in_log')
  const [forged] = await recordSome(stage, 1)
  await database.query(`update audit_queue set seal = set_byte(seal, 0, get_byte(seal, 0) # 1)`)
  expect(await reasonOf(forged)).toBe('not_in_log')
})

test('a tree or checkpoint that fails verification proves nothing, and no leaf is appended to it', async () => {
  const [id] = await recordSome(stage, 600)
  await integrateAll(stage)
  for (const change of [
    `update audit_tiles set hashes = set_byte(hashes, 40, get_byte(hashes, 40) # 1) where level = 0 and tile = 2`,
    `update audit_tiles set hashes = set_byte(hashes, 40, get_byte(hashes, 40) # 1) where level = 1`,
    `delete from audit_tiles where tile = 2`,
    `update audit_tree set size = size - 1`,
    `update audit_tree set checkpoint = replace(checkpoint, E'\\n600\\n', E'\\n601\\n')`,
    `update audit_tree set checkpoint = ''`,
  ]) {
    await database.query('create table kept as table audit_tiles; create table kept_tree as table audit_tree')
    await database.query(change)
    expect([change, await reasonOf(id)]).toEqual([change, 'bad_checkpoint'])
    const [waiting] = await recordSome(stage, 1)
    const integrator = openIntegrator(stage)
    stage.logged.length = 0
    expect([change, await integrator.step(), await integrator.step()]).toEqual([change, 0, 0])
    expect(stage.logged).toEqual([expect.stringContaining('audit log failed verification')])
    expect(await reasonOf(waiting)).toBe('pending')
    await database.query(
      `truncate audit_tiles, audit_tree, audit_queue; insert into audit_tiles table kept;
       insert into audit_tree table kept_tree; drop table kept, kept_tree`,
    )
    expect(await integrator.step()).toBe(0)
    expect(await reasonOf(id)).toBe('ok')
  }
})

test.each([
  ['its tiles and its head', 'truncate audit_tiles, audit_tree; insert into audit_tiles table kept'],
  ['its head alone', 'truncate audit_tree'],
])('no leaf is appended to a log that was set back (%s)', async (_what, setBack) => {
  await recordSome(stage, 256)
  await integrateAll(stage)
  await database.query('create table kept as table audit_tiles; create table kept_tree as table audit_tree')
  const integrator = openIntegrator(stage)
  await recordSome(stage, 10)
  expect(await integrator.step()).toBe(10)
  await database.query(`${setBack}; insert into audit_tree table kept_tree; drop table kept, kept_tree`)
  await recordSome(stage, 10)
  expect(await integrator.step()).toBe(0)
  expect(stage.logged).toHaveLength(1)
})

test('a log whose head was deleted does not begin again', async () => {
  await recordSome(stage, 10)
  const integrator = openIntegrator(stage)
  expect(await integrator.step()).toBe(10)
  await database.query('truncate audit_tree')
  await recordSome(stage, 10)
  expect([await integrator.step(), await openIntegrator(stage).step()]).toEqual([0, 0])
  expect(stage.logged).toHaveLength(2)
})

test('a leaf is found even if the indexed columns of its tile were edited', async () => {
  const [id] = await recordSome(stage, 5)
  await integrateAll(stage)
  await database.query('update audit_tiles set min_id = $1, max_id = $1', [newUuid(new Date(0))])
  expect(await reasonOf(id)).toBe('ok')
})

test('callers who may not read an entry get its proof without its content', async () => {
  const network = networkContext(database)
  const { platform } = await newPlatform(network)
  const owner = await newOwner(network, platform.id)
  const agent = agentCaller(await newAgent(network, owner))
  const stranger = await newPlatform(network)
  const sessionId = newUuid(new Date())
  const readers: Caller[] = [
    ADMIN,
    agent,
    platformCaller(platform.id),
    { kind: 'owner', ownerIds: [owner.id], sessionId },
  ]
  const strangers: Caller[] = [
    platformCaller(stranger.platform.id),
    { ...agent, agentId: newUuid(new Date()) },
    { kind: 'owner', ownerIds: [newUuid(new Date())], sessionId },
  ]
  const [ofAgent] = await recordSome(stage, 1, { agentId: agent.agentId })
  const [ofOwner] = await recordSome(stage, 1, { agentId: null, target: formatId('own', owner.id) })
  const [ofPlatform] = await recordSome(stage, 1, {
    agentId: null,
    actor: { type: 'platform', id: formatId('plt', platform.id) },
  })
  for (const caller of readers) expect((await verified(ofAgent, caller)).entry?.data).not.toBeNull()
  for (const caller of strangers) {
    for (const id of [ofAgent, ofOwner, ofPlatform])
      expect(await verified(id, caller)).toMatchObject({ valid: true, entry: { data: null } })
  }
  const [admin, , asPlatform, asOwner] = readers
  const sees = async (id: Uuid | undefined, caller: Caller | undefined) =>
    (await verified(id, caller)).entry?.data !== null
  expect([await sees(ofOwner, admin), await sees(ofOwner, asPlatform), await sees(ofOwner, asOwner)]).toEqual(
    [true, false, true],
  )
  expect([await sees(ofPlatform, asPlatform), await sees(ofPlatform, asOwner)]).toEqual([true, false])
})

test('the payee and its platform see the entry of a transfer, and the payee of a payment that was only requested does not', async () => {
  const network = networkContext(database)
  const { platform } = await newPlatform(network)
  const payee = agentCaller(await newAgent(network, await newOwner(network, platform.id)))
  const data = { to_agent_id: formatId('agt', payee.agentId) }
  const payer = newUuid(new Date())
  const [released] = await recordSome(stage, 1, { agentId: payer, action: 'escrow.released', data })
  const [asked] = await recordSome(stage, 1, { agentId: payer, action: 'approval.requested', data })
  for (const caller of [payee, platformCaller(platform.id)]) {
    expect((await verified(released, caller)).entry?.data).toEqual(data)
    expect((await verified(asked, caller)).entry?.data).toBeNull()
  }
})
