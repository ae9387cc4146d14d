import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest'
import { type CoveredTable, type MacRow, macColumns, whyAltered, writeMacs } from '../../db/row-mac.ts'
import { formatId, newUuid, type Uuid } from '../../kernel/ids.ts'
import { silentLogger } from '../../kernel/logger.ts'
import { hashSecret } from '../../kernel/secrets.ts'
import { service } from '../../operations/facts.ts'
import { fund, order, startNode, type TestNode } from '../../testing/builders.ts'
import { changesOfColumns, keepTables } from '../../testing/column-changes.ts'
import { TEST_VAULT } from '../../testing/database.ts'
import { db, test } from '../../testing/database-test.ts'
import { type ManualClock, manualClock } from '../../testing/manual-clock.ts'
import {
  type NetworkContext,
  networkContext,
  newAgent,
  newOwner,
  newPlatform,
  platformCaller,
  randomPhone,
} from '../../testing/network.ts'
import { openPayoutNode, type PayoutNode, verify } from '../../testing/paying-out.ts'
import { scriptedPayouts } from '../../testing/scripted-payouts.ts'
import { payoutAttempts } from '../banking/payouts/check-payout.ts'
import { withdrawCommand } from '../banking/payouts/withdraw.ts'
import { openAgentPolicyCache } from '../limits/agent-facts.ts'
import { OPEN_POLICY } from '../limits/controls.ts'
import { AGENT_ROWS, OWNER_POLICY_ROWS, TIER_ROWS } from '../limits/covered-tables.ts'
import { deactivateAgent, rotateAgentKey, updatePolicy } from '../parties/agents/change-agent.ts'
import { changeStates, pauseAgent } from '../parties/agents/change-states.ts'
import type { CreatedAgent } from '../parties/agents/create-agent.ts'
import { openHandleCache } from '../parties/agents/find-agent.ts'
import { selectPublicAgent } from '../parties/agents/store.ts'
import { requireOrganization } from '../parties/organizations/access.ts'
import { createOrganization } from '../parties/organizations/create-organization.ts'
import { ORGANIZATION_ROWS, type Organization } from '../parties/organizations/store.ts'
import { KYC_CHECK_ROWS } from '../parties/owners/check-store.ts'
import { personalIndex } from '../parties/owners/personal-data.ts'
import { OWNER_ROWS, type Owner } from '../parties/owners/store.ts'
import type { CreatedPlatform } from '../parties/platforms/create-platform.ts'
import { createAuthenticators } from '../parties/platforms/credentials.ts'
import { PLATFORM_ROWS } from '../parties/platforms/store.ts'
import { lockOwnerPolicy, updateOwnerPolicy } from '../parties/policies/owner-policy-store.ts'
import { createSessionAuthenticators } from '../parties/sessions/authenticate.ts'
import { insertSession, SESSION_ROWS, sessionPhoneOf } from '../parties/sessions/store.ts'
import { pay } from '../payments/pay.ts'
import { completeRows } from './row-macs.ts'

/** Tables whose MACs are made in the database's words, and those that the posting engine writes. */
const COVERED: readonly CoveredTable[] = [
  PLATFORM_ROWS,
  OWNER_ROWS,
  AGENT_ROWS,
  OWNER_POLICY_ROWS,
  TIER_ROWS,
  KYC_CHECK_ROWS,
  SESSION_ROWS,
  ORGANIZATION_ROWS,
]

let clock: ManualClock
let context: NetworkContext
let node: TestNode
let platform: CreatedPlatform
let owner: Owner
let made: CreatedAgent
let organization: Organization
let session: { readonly id: Uuid; readonly token: string }

test.beforeAll(async () => {
  clock = manualClock(new Date('2026-03-02T10:00:00Z'))
  node = startNode({ database: db.database, clock })
  context = { ...networkContext(db.database, clock), ledger: node.ledger }
})
afterAll(async () => {
  await node.ledger.close()
})
beforeEach(async () => {
  platform = await newPlatform(context)
  owner = await newOwner(context, platform.platform.id)
  await db.database.query(`update owners set link_status = 'accepted' where id = $1`, [owner.id])
  await verify(context, owner.id)
  made = await newAgent(context, owner, { spend_limit_per_tx: 100 })
  await setOwnerPolicy()
  session = await logIn()
  await newCheck()
  organization = await found()
})

const organizations = () => ({
  ...context,
  ledger: node.ledger,
  agents: node.agents,
  limitIncreaseCooldownS: 0,
})

const asOwner = () => ({ kind: 'owner', sessionId: session.id, ownerIds: [owner.id] }) as const

const found = () => createOrganization(organizations(), asOwner(), { name: 'A team', tier: 'tier1' })

async function setOwnerPolicy(): Promise<void> {
  await db.database.inTransaction(async tx => {
    await lockOwnerPolicy(tx, TEST_VAULT, owner.id)
    await updateOwnerPolicy(tx, TEST_VAULT, owner.id, { policy: OPEN_POLICY, pending: [] })
  })
}

async function logIn(): Promise<{ readonly id: Uuid; readonly token: string }> {
  const id = newUuid(clock.now())
  const token = `ses_live_${id}`
  const phone = TEST_VAULT.decrypt(owner.phone, `owners.phone:${owner.id}`)
  await insertSession(db.database, TEST_VAULT, TEST_VAULT.credentialHash(token, 'sessions.token'), {
    id,
    audience: 'owner',
    phone: TEST_VAULT.encrypt(phone, sessionPhoneOf(id)),
    phoneIndex: personalIndex(TEST_VAULT, 'phone', phone),
    createdAt: clock.now(),
    expiresAt: new Date(clock.now().getTime() + 3_600_000),
    openedFrom: Buffer.alloc(0),
  })
  return { id, token }
}

async function newCheck(): Promise<void> {
  const { replaceCheck } = await import('../parties/owners/check-store.ts')
  const account = { encrypted: Buffer.from('an account'), last4: '1234', ifsc: 'HDFC0001234' }
  const check = { ownerId: owner.id, id: newUuid(clock.now()), account, reference: null, attempts: 0 }
  await replaceCheck(db.database, TEST_VAULT, check, new Date('2100-01-01'))
}

async function readRows(
  { table, id }: CoveredTable,
  covered: CoveredTable,
): Promise<(MacRow & { id: string })[]> {
  return db.database.query(
    `select r.${id} as id, ${macColumns(covered, 'r')} from ${table} r order by r.${id}`,
  )
}

/** Why the rows of a table that are not genuine are not. */
async function altered(covered: CoveredTable): Promise<string[]> {
  const rows = await readRows(covered, covered)
  return rows.map(row => whyAltered(TEST_VAULT, row)).filter(why => why !== null)
}

/** Whether a statement was refused by the database or left a row that is not genuine. */
async function isNoticed(covered: CoveredTable, statement: string): Promise<boolean> {
  try {
    await db.database.query(statement)
  } catch {
    return true
  }
  return (await altered(covered)).length > 0
}

function coveredColumns({ columns, laterColumns = [] }: CoveredTable): string[] {
  return [...columns, ...laterColumns]
}

test.each(COVERED)(
  'every column of $table is in its MAC, or listed with the reason why not',
  async covered => {
    const columns = await db.database.query<{ name: string }>(
      `select column_name::text as name from information_schema.columns
     where table_schema = current_schema() and table_name = $1`,
      [covered.table],
    )
    const known = [
      covered.id,
      'mac',
      'mac_version',
      ...coveredColumns(covered),
      ...Object.keys(covered.uncovered),
    ]
    expect(columns.map(({ name }) => name).toSorted()).toEqual(known.toSorted())
  },
)

test.each(COVERED)('a change by hand of any covered column of $table is noticed', async covered => {
  expect(await altered(covered)).toEqual([])
  const guarded = [covered.id, 'mac', 'mac_version', ...coveredColumns(covered)]
  const changes = (await changesOfColumns(db.database, covered.table)).filter(({ column }) =>
    guarded.includes(column),
  )
  const unnoticed: string[] = []
  for (const { column, set } of changes) {
    const putBack = await keepTables(db.database, [covered.table])
    const before = JSON.stringify(await readRows(covered, covered))
    const noticed = await isNoticed(covered, `update ${covered.table} set ${column} = ${set}`)
    const same = before === JSON.stringify(await readRows(covered, covered))
    if (!noticed && !same) unnoticed.push(`${column} = ${set}`)
    await putBack()
    await db.database.query(`drop table ${covered.table}_kept`)
  }
  expect(unnoticed).toEqual([])
})

test('a column that is added later leaves old MACs valid, and is covered once it is set', async () => {
  const putBack = await keepTables(db.database, ['owner_policies'])
  await db.database.query(
    'alter table owner_policies add column later_paise int8, add column later_until timestamptz',
  )
  const laterColumns = [...(OWNER_POLICY_ROWS.laterColumns ?? []), 'later_paise', 'later_until']
  const covered = { ...OWNER_POLICY_ROWS, laterColumns }
  expect(await altered(covered)).toEqual([])
  expect(await isNoticed(covered, 'update owner_policies set later_paise = 0')).toBe(true)

  await db.database.query(`update owner_policies set later_paise = 500, later_until = '2027-01-01'`)
  const ids = await db.database.query<{ id: Uuid }>('select owner_id as id from owner_policies')
  await db.database.inTransaction(tx =>
    writeMacs(
      tx,
      TEST_VAULT,
      covered,
      ids.map(({ id }) => id),
    ),
  )
  expect(await altered(covered)).toEqual([])
  for (const set of ['later_paise = 501', 'later_paise = null', `later_until = '2028-01-01'`]) {
    expect(await altered(covered)).toEqual([])
    expect(await isNoticed(covered, `update owner_policies set ${set}`), set).toBe(true)
    await db.database.query(`update owner_policies set later_paise = 500, later_until = '2027-01-01'`)
  }

  await db.database.query('alter table owner_policies drop column later_paise, drop column later_until')
  await putBack()
  await db.database.query('drop table owner_policies_kept')
})

test('a row without a MAC is refused, and stays so', async () => {
  await db.database.query('update agents set mac = null where id = $1', [made.agent.id])
  await expect(payFrom(made)).rejects.toThrow('no MAC')
  await expect(payFrom(made)).rejects.toThrow('no MAC')
})

test('the MAC of another row does not match', async () => {
  const other = await newAgent(context, owner)
  await db.database.query(
    `update agents a set mac = b.mac, mac_version = b.mac_version from agents b where a.id = $1 and b.id = $2`,
    [made.agent.id, other.agent.id],
  )
  await expect(payFrom(made)).rejects.toThrow('no MAC that fits')
  await db.database.query('delete from agents where id = $1', [made.agent.id])
})

async function payFrom(payer: CreatedAgent, amount = 100n): Promise<unknown> {
  const payee = await newAgent(context, owner)
  await fund(node.ledger, payer.agent.id, 100_000n)
  const { keyHash } = payer.agent
  return pay(node.ledger, openAgentPolicyCache(), {
    ...order(payer.agent.id, payee.agent.id, amount),
    keyHash,
  })
}

describe('an attacker who writes to the database', () => {
  test('cannot raise a limit: the payment is refused before it is decided', async () => {
    await expect(payFrom(made, 20_000n)).rejects.toMatchObject({ code: 'spend_limit_exceeded' })
    await db.database.query('update agents set spend_limit_per_tx_paise = 50000 where id = $1', [
      made.agent.id,
    ])
    await db.database.query('update accounts set agent_version = agent_version + 1 where id = $1', [
      made.agent.id,
    ])
    await expect(payFrom(made, 20_000n)).rejects.toThrow('no MAC that fits')
  })

  test('cannot unfreeze an agent by restoring its old row and MAC', async () => {
    const { id } = made.agent
    await db.database.query(`create table before_freeze as select * from agents where id = $1`, [id])
    const recording = { actor: service('test'), vault: TEST_VAULT, now: clock.now() }
    await db.database.inTransaction(tx => changeStates(tx, [id], 'freeze', recording))
    await db.database.query(`delete from agents where id = $1`, [id])
    await db.database.query(`insert into agents select * from before_freeze`)
    await db.database.query('update accounts set agent_version = agent_version + 1 where id = $1', [id])
    await expect(payFrom(made)).rejects.toThrow('older than its audited version')
    expect(await createAuthenticators(db.database, TEST_VAULT).agent(made.agentKey)).toBeNull()
    await db.database.query(`drop table before_freeze`)
  })

  test('cannot make a waiting increase of a limit take effect', async () => {
    await db.database.query(
      `insert into pending_policy_changes (subject, subject_kind, control, value, effective_at)
       values ($1, 'agent', 'spend_limit_per_tx', '100000', now() - interval '1 day')`,
      [made.agent.id],
    )
    const change = { name: 'Renamed' }
    const address = formatId('agt', made.agent.id)
    const changed = updatePolicy(context, platformCaller(owner.platformId), address, change)
    await expect(changed).rejects.toThrow('no MAC that fits')
    await db.database.query('delete from pending_policy_changes')
  })

  test('cannot make an agent a member of an organization', async () => {
    await db.database.query(
      `insert into org_members (agent_id, org_id, role, joined_at) values ($1, $1, 'treasury', now())`,
      [made.agent.id],
    )
    await expect(payFrom(made)).rejects.toThrow('no MAC that fits')
  })

  test('cannot redirect a handle to another agent, and a handle that a process has cached needs no look-up', async () => {
    const thief = await newAgent(context, owner)
    const find = openHandleCache(db.database, TEST_VAULT)
    const known = openHandleCache(db.database, TEST_VAULT)
    expect(await known(made.agent.handle)).toBe(made.agent.id)
    await db.database.query('update handles set agent_id = $2 where handle = $1', [
      made.agent.handle,
      thief.agent.id,
    ])
    await expect(find(made.agent.handle)).rejects.toThrow('does not carry it')
    expect(known(made.agent.handle)).toBe(made.agent.id)
    await db.database.query('update agents set handle = $2 where id = $1', [made.agent.id, 'freed-handle'])
    await db.database.query('update agents set handle = $2 where id = $1', [
      thief.agent.id,
      made.agent.handle,
    ])
    await expect(find(made.agent.handle)).rejects.toThrow('no MAC that fits')
    await expect(selectPublicAgent(db.database, TEST_VAULT, thief.agent.id)).rejects.toThrow(
      'no MAC that fits',
    )
    await db.database.query('delete from agents where id = any($1::uuid[])', [
      [made.agent.id, thief.agent.id],
    ])
  })

  test('cannot give an agent the tier of an altered owner, nor unfreeze the owner', async () => {
    await db.database.query(`update owners set tier = 'tier3', status = 'active' where id = $1`, [owner.id])
    await expect(newAgent(context, owner)).rejects.toThrow('of owners has no MAC that fits')
    await expect(found()).rejects.toThrow('of owners has no MAC that fits')
  })

  test('cannot take over or create an organization', async () => {
    const thief = await newOwner(context, platform.platform.id)
    const address = formatId('org', organization.id)
    await db.database.query('update organizations set owner_id = $2 where id = $1', [
      organization.id,
      thief.id,
    ])
    const caller = { ...asOwner(), ownerIds: [thief.id] }
    await expect(requireOrganization(organizations(), caller, address)).rejects.toThrow(
      'of organizations has no MAC that fits',
    )
    await db.database.query('delete from organizations where id = $1', [organization.id])
  })

  test.each([
    ['rotates its key', rotateAgentKey],
    ['pauses it', pauseAgent],
    ['deactivates it', deactivateAgent],
  ])('names no other platform for a moment that %s', async (_does, change) => {
    const { database } = db
    const thief = (await newPlatform(context)).platform.id
    const swap = (id: Uuid) =>
      database.query('update agents set platform_id = $2 where id = $1', [made.agent.id, id])
    const swapsBack: typeof database = {
      ...database,
      query: (...statement) => database.query(...statement),
      async inTransaction(work, options) {
        await swap(platform.platform.id)
        return database.inTransaction(work, options)
      },
    }
    await swap(thief)
    const address = formatId('agt', made.agent.id)
    const changed = change({ ...context, database: swapsBack }, platformCaller(thief), address)
    await expect(changed).rejects.toMatchObject({ code: 'authorization_error' })
    const { agent } = createAuthenticators(database, TEST_VAULT)
    expect(await agent(made.agentKey)).toMatchObject({ agentId: made.agent.id })
  })

  test('cannot delete the limits of an owner', async () => {
    await limitAsOwner()
    await db.database.query('delete from owner_policies where owner_id = $1', [owner.id])
    await expect(payFrom(made)).rejects.toThrow('of owner_policies')
  })

  test('cannot authenticate with a key, secret or session that the service did not create', async () => {
    const authenticators = {
      ...createAuthenticators(db.database, TEST_VAULT),
      ...createSessionAuthenticators({ ...context, adminPhones: [] }),
    }
    const { id } = platform.platform
    expect(await authenticators.agent(made.agentKey)).not.toBeNull()
    expect(await authenticators.platform(formatId('plt', id), platform.platformSecret)).not.toBeNull()
    expect(await authenticators.owner(session.token)).toMatchObject({ ownerIds: [owner.id] })

    const stranger = await newAgent(context, await newOwner(context, platform.platform.id))
    await db.database.query('delete from agents where id = $1', [stranger.agent.id])
    await db.database.query('update agents set key_hash = $2 where id = $1', [
      made.agent.id,
      stranger.agent.keyHash,
    ])
    expect(await authenticators.agent(stranger.agentKey)).toBeNull()
    const secret = `${platform.platformSecret.slice(0, -1)}x`
    await db.database.query('update platforms set secret_hash = $2 where id = $1', [id, hashSecret(secret)])
    expect(await authenticators.platform(formatId('plt', id), secret)).toBeNull()
    await db.database.query('update platforms set secret_hash = $2 where id = $1', [
      id,
      TEST_VAULT.credentialHash(secret, 'platforms.secret'),
    ])
    expect(await authenticators.platform(formatId('plt', id), secret)).toBeNull()
    await db.database.query('update sessions set phone_index = $2 where id = $1', [
      session.id,
      Buffer.from('x'),
    ])
    expect(await authenticators.owner(session.token)).toBeNull()
  })

  test('cannot give an owner to the session of another phone', async () => {
    const victim = await newOwner(context, platform.platform.id)
    await db.database
      .query(
        `update owners o set phone_index = p.phone_index from owners p where o.id = $1 and p.id = $2 and o.id <> p.id`,
        [victim.id, owner.id],
      )
      .catch(() => undefined)
    const elsewhere = await newPlatform(context)
    const other = await newOwner(context, elsewhere.platform.id)
    await db.database.query(
      `update owners o set phone_index = p.phone_index from owners p where o.id = $1 and p.id = $2`,
      [other.id, owner.id],
    )
    const { owner: authenticate } = createSessionAuthenticators({ ...context, adminPhones: [] })
    expect(await authenticate(session.token)).toMatchObject({ ownerIds: [owner.id] })
  })

  async function limitAsOwner(): Promise<void> {
    const { recordFacts } = await import('../../operations/facts.ts')
    await db.database.inTransaction(async tx => {
      await lockOwnerPolicy(tx, TEST_VAULT, owner.id)
      const policy = { ...OPEN_POLICY, max_counterparties_per_hour: 3 }
      const versions = await updateOwnerPolicy(tx, TEST_VAULT, owner.id, { policy, pending: [] })
      const fact = { agentId: null, actor: service('test'), target: formatId('own', owner.id), data: {} }
      await recordFacts(tx, TEST_VAULT, clock.now(), [{ ...fact, action: 'owner.policy_changed' }], versions)
    })
  }
})

describe('money that goes to a bank', () => {
  let payouts: PayoutNode
  const provider = scriptedPayouts()

  beforeAll(() => {
    payouts = openPayoutNode(db, provider, clock)
  })
  afterAll(() => payouts.close())

  const withdraw = async () => {
    await fund(node.ledger, made.agent.id, 10_000n)
    const asked = {
      agentId: made.agent.id,
      amountPaise: null,
      requestKey: null,
      idempotencyKey: null,
      actor: service('test'),
    }
    return payouts.ledger.submit(withdrawCommand(payouts, asked))
  }

  test('never goes to an account that was swapped between two owners', async () => {
    const thief = await newOwner(context, platform.platform.id)
    await verify(context, thief.id, '999999999999')
    await db.database.query(
      `update owners o set bank_account = t.bank_account, bank_account_last4 = t.bank_account_last4
       from owners t where o.id = $1 and t.id = $2`,
      [owner.id, thief.id],
    )
    await expect(withdraw()).rejects.toThrow('of owners has no MAC that fits')
    expect(() => TEST_VAULT.decrypt(thief.phone, `owners.phone:${owner.id}`)).toThrow()
  })

  test('is not paid out to an owner whom only an altered row calls verified', async () => {
    await db.database.query(`update owners set kyc_status = 'verified', tier = 'tier3' where id = $1`, [
      owner.id,
    ])
    await expect(withdraw()).rejects.toThrow('no MAC that fits')
  })

  test.each([
    `amount_paise = 9999999`,
    `bank_ifsc = 'ICIC0000001'`,
    `bank_account = '\\x00'`,
    `beneficiary_id = 'ben_thief'`,
    `owner_id = gen_random_uuid()`,
    `mac = null`,
  ])('is not sent after its payout was changed: %s', async change => {
    const { id } = await withdraw()
    const sent = provider.sent.length
    await db.database.query(`update payouts set ${change} where id = $1`, [id])
    await payoutAttempts(payouts).run(clock.now())
    expect(provider.sent).toHaveLength(sent)
    await db.database.query(`update payouts set next_check_at = null where id = $1`, [id])
  })
})

describe('rows of the release before', () => {
  const start = () =>
    completeRows({ database: db.database, clock, vault: TEST_VAULT, logger: silentLogger() })

  /** As the release before wrote them: plain hashes, encryption for the column alone, no MACs. */
  async function age(): Promise<void> {
    const { database } = db
    const old = (value: Buffer, now: string, then: string) =>
      TEST_VAULT.encrypt(TEST_VAULT.decrypt(value, now), then)
    for (const table of COVERED) await database.query(`update ${table.table} set mac = null, mac_version = 0`)
    await database.query('update agents set key_hash = $2 where id = $1', [
      made.agent.id,
      hashSecret(made.agentKey),
    ])
    await database.query(
      'update platforms set secret_hash = $2, webhook_secret = $3, email = null where id = $1',
      [
        platform.platform.id,
        hashSecret(platform.platformSecret),
        TEST_VAULT.encrypt(platform.webhookSecret, 'platforms.webhook_secret'),
      ],
    )
    const [row] = await database.query<{ phone: Buffer; pan: Buffer; account: Buffer }>(
      'select phone, pan, bank_account as account from owners where id = $1',
      [owner.id],
    )
    if (row === undefined) throw new Error('the owner is there')
    await database.query('update owners set phone = $2, pan = $3, bank_account = $4 where id = $1', [
      owner.id,
      old(row.phone, `owners.phone:${owner.id}`, 'owners.phone'),
      old(row.pan, `owners.pan:${owner.id}`, 'owners.pan'),
      old(row.account, `owners.bank_account:${owner.id}`, 'owners.bank_account'),
    ])
    await database.query('update sessions set token_hash = $2, phone = $3 where id = $1', [
      session.id,
      hashSecret(session.token),
      TEST_VAULT.encrypt('9876543210', 'sessions.phone'),
    ])
    await database.query('update agents set private_key = null where id = $1', [made.agent.id])
  }

  test('get their MACs once, however many nodes start, and work; later ones without a MAC are refused', async () => {
    for (const table of [
      'sessions',
      'kyc_checks',
      'owner_policies',
      'agents',
      'organizations',
      'owners',
      'platforms',
    ]) {
      const key =
        { sessions: session.id, agents: made.agent.id, platforms: platform.platform.id }[table] ?? owner.id
      const column = ['kyc_checks', 'owner_policies', 'organizations'].includes(table) ? 'owner_id' : 'id'
      await db.database.query(`delete from ${table} where ${column} <> $1`, [key])
    }
    await db.database.query('delete from kyc_checks; delete from audit_entries; delete from payouts')
    await age()
    await db.database.query('delete from agents where id <> $1', [made.agent.id])

    const completed = await Promise.all([start(), start(), start()])
    expect(completed.reduce((sum, rows) => sum + rows, 0)).toBeGreaterThan(8)
    for (const table of COVERED) expect(await altered(table)).toEqual([])
    const { agent, platform: asPlatform } = createAuthenticators(db.database, TEST_VAULT)
    expect(await agent(made.agentKey)).toMatchObject({ agentId: made.agent.id })
    expect(await asPlatform(formatId('plt', platform.platform.id), platform.platformSecret)).not.toBeNull()
    const sessions = createSessionAuthenticators({ ...context, adminPhones: [] })
    expect(await sessions.owner(session.token)).toMatchObject({ ownerIds: [owner.id] })
    const [row] = await db.database.query<{ account: Buffer }>('select bank_account as account from owners')
    expect(TEST_VAULT.decrypt(row?.account ?? Buffer.alloc(0), `owners.bank_account:${owner.id}`)).toBe(
      '501234567890',
    )

    await db.database.query(`update agents set mac = null, status = 'active'`)
    await db.database.query(`update row_macs set completed_at = null`)
    expect(await start()).toBe(0)
    expect(await agent(made.agentKey)).toBeNull()
    expect(randomPhone()).toHaveLength(10)
  })
})
