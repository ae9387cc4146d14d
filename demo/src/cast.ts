import { randomInt } from 'node:crypto'
import { type BodyOf, routes } from '@batua/contract'
import { inr } from './money.ts'
import { type Actor, type Headers, insist, type Stage, veiled } from './stage.ts'

/** The developer account of this run. */
export interface Platform {
  readonly id: string
  readonly headers: Headers
  /** The secret of its webhooks. */
  readonly webhookSecret: string
}

export async function signUpPlatform({ client, paper }: Stage): Promise<Platform> {
  paper.chapter('A platform signs up')
  const made = await client.ok(routes.createPlatform, { body: { name: 'Demo Agents' } })
  paper.facts([
    ['platform', made.platform_id],
    ['secret', veiled(made.platform_secret), 'shown this once; the service keeps a hash of it'],
  ])
  return {
    id: made.platform_id,
    headers: { 'x-platform-id': made.platform_id, 'x-platform-secret': made.platform_secret ?? '' },
    webhookSecret: made.webhook_secret ?? '',
  }
}

/** The owner of this run. A new one each time, so that no code was sent to her phone recently. */
export interface Owner {
  readonly id: string
  readonly phone: string
}

export async function verifyOwner({ client, paper }: Stage, platform: Headers): Promise<Owner> {
  paper.chapter('An owner is registered, and a bank verifies her')
  const phone = `98${digits(8)}`
  const owner = await client.ok(routes.createOwner, {
    headers: platform,
    body: { name: 'Asha Rao', phone, pan: 'ABCDE1234F', email: 'asha@example.com' },
  })
  const verified = await client.ok(routes.submitKyc, {
    params: { owner_id: owner.owner_id },
    headers: platform,
    body: { bank_account: '123456789012', bank_ifsc: 'HDFC0001234' },
  })
  insist(verified.kyc_status === 'verified', 'the sandbox bank verifies the owner')
  paper.facts([
    ['owner', `${owner.name}, ${owner.owner_id}`],
    ['pan', owner.pan, 'stored encrypted, shown masked'],
    ['kyc', `${owner.kyc_status} → ${verified.kyc_status}`, `the bank says ${verified.name_at_bank ?? ''}`],
    ['tier', `${owner.tier} → ${verified.tier}`],
  ])
  return { id: owner.owner_id, phone }
}

function digits(count: number): string {
  return String(randomInt(10 ** count)).padStart(count, '0')
}

export interface Agents {
  readonly payer: Actor
  readonly payee: Actor
}

export async function createAgents(stage: Stage, platform: Headers, ownerId: string): Promise<Agents> {
  const { paper } = stage
  paper.chapter('Two agents are created, one of them with limits')
  const limits = { spend_limit_per_tx: 500, spend_limit_daily: 2000 }
  const payer = await createAgent(stage, platform, {
    name: 'Research Agent',
    handle: newHandle('researcher'),
    owner_id: ownerId,
    ...limits,
  })
  const payee = await createAgent(stage, platform, {
    name: 'Translation Agent',
    handle: newHandle('translator'),
    owner_id: ownerId,
  })
  paper.facts([
    [`@${payer.handle}`, payer.id, `at most ${inr(500)} INR at once, ${inr(2000)} INR a day`],
    [`@${payee.handle}`, payee.id, 'no limits of its own'],
  ])
  return { payer, payee }
}

export async function createAgent(
  { client }: Stage,
  headers: Headers,
  body: BodyOf<typeof routes.createAgent>,
): Promise<Actor> {
  const made = await client.ok(routes.createAgent, { headers, body })
  const key = made.agent_key ?? ''
  return { id: made.agent_id, handle: made.handle, key, headers: { 'x-agent-key': key } }
}

/** Handles are never reassigned, so each run uses new ones. */
export function newHandle(role: string): string {
  return `${role}-${randomInt(36 ** 6)
    .toString(36)
    .padStart(6, '0')}`
}
