import { randomBytes } from 'node:crypto'
import { payoutAttempts } from '../domains/banking/payouts/check-payout.ts'
import { withdrawCommand } from '../domains/banking/payouts/withdraw.ts'
import { OPEN_POLICY } from '../domains/limits/controls.ts'
import { rotateAgentKey, updatePolicy } from '../domains/parties/agents/change-agent.ts'
import { changeStates } from '../domains/parties/agents/change-states.ts'
import type { CreatedAgent } from '../domains/parties/agents/create-agent.ts'
import { addMember, removeMember } from '../domains/parties/organizations/change-members.ts'
import { createOrganization } from '../domains/parties/organizations/create-organization.ts'
import { replaceCheck } from '../domains/parties/owners/check-store.ts'
import { personalIndex } from '../domains/parties/owners/personal-data.ts'
import type { Owner } from '../domains/parties/owners/store.ts'
import { insertPasskey, passkeyPhoneOf } from '../domains/parties/passkeys/store.ts'
import { lockOwnerPolicy, updateOwnerPolicy } from '../domains/parties/policies/owner-policy-store.ts'
import { insertSession, sessionPhoneOf } from '../domains/parties/sessions/store.ts'
import { endCommand, giveCommand } from '../domains/payments/allowances/change-allowance.ts'
import { simulateOutcome } from '../domains/sandbox/simulate-outcome.ts'
import { openWorld, type World } from '../domains/sandbox/testing/world.ts'
import { HOUR_MS } from '../kernel/clock.ts'
import { fixedCalendar } from '../kernel/holiday-file.ts'
import { formatId, newUuid, type Uuid } from '../kernel/ids.ts'
import { silentLogger } from '../kernel/logger.ts'
import { paise } from '../kernel/money.ts'
import { service } from '../operations/facts.ts'
import { approvalOf, approve, reject } from './approving.ts'
import { connectApp, endApp } from './apps.ts'
import { authorizationIntent, authorizedOn, captureOn, endOn } from './authorizing.ts'
import { fund, insertAgent, insertFundedAgent, order, startNode, type TestNode } from './builders.ts'
import { TEST_VAULT } from './database.ts'
import { held, intent, refundOn, releaseOn } from './escrows.ts'
import { networkContext, newAgent, newOwner, newPlatform, platformCaller, randomPhone } from './network.ts'
import { verify } from './paying-out.ts'
import { scriptedPayouts } from './scripted-payouts.ts'

/** A database in which every table with row MACs has rows, written by the service's own code. */
export interface MacRowsStage {
  readonly world: World
  /** Actions that insert or change rows with MACs; each can run at any time and concurrently. */
  readonly acts: readonly (() => Promise<unknown>)[]
  close(): Promise<void>
}

export async function openMacRowsStage(): Promise<MacRowsStage> {
  const world = await openWorld()
  const node = startNode({ database: world.db.database, clock: world.clock })
  const people = await peopleOf(world, node)
  const money = await moneyOf(world, node)
  return {
    world,
    acts: [...people, ...money, ...payoutsOf(world, node)],
    async close() {
      await node.ledger.close()
      await world.close()
    },
  }
}

/** Platforms, owners, agents, their policies, sessions and organizations. */
async function peopleOf({ db, clock }: World, node: TestNode): Promise<(() => Promise<unknown>)[]> {
  const { database } = db
  const context = { ...networkContext(database, clock), ledger: node.ledger, agents: node.agents }
  const organizations = { ...context, limitIncreaseCooldownS: 0 }
  const { platform } = await newPlatform(context)
  const owner = await newOwner(context, platform.id)
  await verify(context, owner.id)
  const caller = platformCaller(platform.id)
  const session = { kind: 'owner', sessionId: newUuid(clock.now()), ownerIds: [owner.id] } as const
  const founded = await createOrganization(organizations, session, { name: 'A team', tier: 'tier3' })
  const member = await newAgent(context, owner)
  const recording = () => ({ actor: service('test'), vault: TEST_VAULT, now: clock.now() })
  const addressOf = ({ agent }: CreatedAgent) => formatId('agt', agent.id)
  const set = (act: 'freeze' | 'unfreeze' | 'pause' | 'resume') =>
    database.inTransaction(tx => changeStates(tx, [member.agent.id], act, recording()))
  return [
    () => newPlatform(context),
    () => newOwner(context, platform.id),
    () => newAgent(context, owner, { spend_limit_per_tx: 100 }),
    () => createOrganization(organizations, session, { name: 'Another', tier: 'tier1' }),
    () =>
      updatePolicy(context, caller, addressOf(member), { origins: [`https://s${Math.random()}.example`] }),
    () =>
      updatePolicy(context, caller, addressOf(member), { spend_limit_daily: Math.ceil(Math.random() * 900) }),
    () => rotateAgentKey(context, caller, addressOf(member)),
    () => set('freeze'),
    () => set('unfreeze'),
    () => set('pause'),
    () => set('resume'),
    () => setOwnerPolicy(database, owner.id),
    () => logIn(database, clock.now()),
    () => enrol(database, clock.now()),
    () => submit(database, owner, clock.now()),
    async () => {
      const joining = await newAgent(context, owner)
      const address = { org_id: formatId('org', founded.id), agent_id: addressOf(joining) }
      await addMember(organizations, session, address.org_id, { agent_id: address.agent_id, role: 'worker' })
      await removeMember(organizations, session, address)
    },
  ]
}

async function setOwnerPolicy(database: World['db']['database'], ownerId: Uuid): Promise<void> {
  const policy = { ...OPEN_POLICY, max_counterparties_per_hour: 1 + Math.floor(Math.random() * 50) }
  await database.inTransaction(async tx => {
    await lockOwnerPolicy(tx, TEST_VAULT, ownerId)
    await updateOwnerPolicy(tx, TEST_VAULT, ownerId, { policy, pending: [] })
  })
}

async function enrol(database: World['db']['database'], now: Date): Promise<void> {
  const [id, phone] = [newUuid(now), randomPhone()]
  await database.inTransaction(tx =>
    insertPasskey(tx, TEST_VAULT, {
      id,
      audience: 'owner',
      phone: TEST_VAULT.encrypt(phone, passkeyPhoneOf(id)),
      phoneIndex: personalIndex(TEST_VAULT, 'phone', phone),
      name: 'Phone',
      credentialId: randomBytes(16),
      publicKey: randomBytes(77),
      transports: ['internal'],
      signCount: 0,
      createdAt: now,
      effectiveAt: now,
      removedAt: null,
      lastUsedAt: null,
    }),
  )
}

async function logIn(database: World['db']['database'], now: Date): Promise<void> {
  const [id, phone] = [newUuid(now), randomPhone()]
  await database.inTransaction(tx =>
    insertSession(tx, TEST_VAULT, TEST_VAULT.credentialHash(`ses_live_${id}`, 'sessions.token'), {
      id,
      audience: 'owner',
      phone: TEST_VAULT.encrypt(phone, sessionPhoneOf(id)),
      phoneIndex: personalIndex(TEST_VAULT, 'phone', phone),
      createdAt: now,
      expiresAt: new Date(now.getTime() + HOUR_MS),
      openedFrom: Buffer.alloc(0),
    }),
  )
}

async function submit(database: World['db']['database'], { id: ownerId }: Owner, now: Date): Promise<void> {
  const account = { encrypted: Buffer.from('an account'), last4: '1234', ifsc: 'HDFC0001234' }
  const check = { ownerId, id: newUuid(now), account, reference: null, attempts: 0 }
  await database.inTransaction(tx => replaceCheck(tx, TEST_VAULT, check, new Date('2100-01-01')))
}

/** Escrows, authorizations, approvals, fundings and refunds at the gateway, in each of their states. */
async function moneyOf(world: World, node: TestNode): Promise<(() => Promise<unknown>)[]> {
  const { clock, db } = world
  const { database } = db
  const asks = { require_human_approval_above_paise: 10_000n }
  const payer = await insertFundedAgent(node.ledger, database, clock, 900_000_000n, asks)
  const payee = await insertAgent(database, clock.now())
  const hold = () =>
    held(database, node, {
      ...intent(payer, 5_000n, { toAgentId: payee }),
      timeoutMs: HOUR_MS,
      autoAction: 'release',
    })
  const ask = async () => approvalOf(database, await node.pay(order(payer, payee, 20_000n)))
  const simulate = async (...outcomes: readonly ('success' | 'late' | 'chargeback' | 'failure')[]) => {
    const { session } = await world.open(await world.newAgentOfNewOwner())
    for (const outcome of outcomes) await simulateOutcome(world.sandbox, session, outcome)
  }
  return [
    hold,
    async () => releaseOn(node, await hold(), payee),
    async () => refundOn(node, await hold()),
    async () => {
      const authorization = await authorizedOn(node, authorizationIntent(payer, payee, 5_000n))
      await captureOn(node, authorization, 'total', 1_000n, Math.random() < 0.5)
    },
    async () => {
      await endOn(node, await authorizedOn(node, authorizationIntent(payer, payee, 5_000n)), 'voided')
    },
    async () => approve(node, await ask()),
    async () => {
      const pair = { agentId: payer, payeeId: await insertAgent(database, clock.now()) }
      const given = { amountPaise: paise(30_000n), until: new Date(clock.now().getTime() + 60_000) }
      const allowance = await node.ledger.submit(giveCommand(node.agents, pair, given, service('test')))
      await node.pay(order(payer, pair.payeeId, 20_000n))
      if (Math.random() < 0.5) await node.ledger.submit(endCommand(allowance, service('test')))
    },
    async () => reject(node, await ask()),
    async () => {
      const app = await connectApp(node, payer, { daily: 30_000n })
      await node.pay(order(payer, payee, 1_000n, { app }))
      await held(database, node, intent(payer, 1_000n, { toAgentId: payee, app }))
      if (Math.random() < 0.5) await endApp(node, payer, app)
    },
    () => simulate(),
    () => simulate('success'),
    () => simulate('success', 'chargeback'),
    () => simulate('late'),
    () => simulate('failure'),
  ]
}

/** Payouts that arrive, fail and wait. */
function payoutsOf({ db, clock }: World, node: TestNode): (() => Promise<unknown>)[] {
  const { database } = db
  const payoutProvider = scriptedPayouts()
  const context = {
    ...{ database, clock, payoutProvider, ledger: node.ledger, agents: node.agents, vault: TEST_VAULT },
    ...{ logger: silentLogger(), holidays: fixedCalendar() },
  }
  const network = networkContext(database, clock)
  const withdraw = async () => {
    const { platform } = await newPlatform(network)
    const owner = await newOwner(network, platform.id)
    await verify(network, owner.id)
    const { agent } = await newAgent(network, owner)
    await fund(node.ledger, agent.id, 10_000n)
    const asked = {
      agentId: agent.id,
      amountPaise: null,
      requestKey: null,
      idempotencyKey: null,
      actor: service('test'),
    }
    await node.ledger.submit(withdrawCommand(context, asked))
  }
  return [
    withdraw,
    async () => {
      payoutProvider.script('success', 'failed', 'pending')
      await withdraw()
      await payoutAttempts(context).run(clock.now())
    },
  ]
}
