import { randomInt } from 'node:crypto'
import { type BodyOf, type ErrorCode, type ResponseOf, routes } from '@batua/contract'
import type { Api, ApiError, Headers } from './api.ts'
import { ADMIN_PHONE, sessionOf, tokenOf } from './log-in.ts'

export interface Platform {
  readonly id: string
  readonly secret: string
  readonly webhookSecret: string
  readonly headers: Headers
}

export interface Owner {
  readonly id: string
  readonly phone: string
  readonly platform: Platform
}

export interface Agent {
  readonly id: string
  readonly handle: string
  readonly key: string
  readonly headers: Headers
  readonly owner: Owner
}

type Payment = ResponseOf<typeof routes.pay>
type PayBody = BodyOf<typeof routes.pay>
type PaymentExtras = Partial<Omit<PayBody, 'to' | 'amount'>>
type Refused = readonly [status: number, code: ErrorCode]
type PlatformExtras = Partial<BodyOf<typeof routes.createPlatform>>
type AgentExtras = Partial<Omit<BodyOf<typeof routes.createAgent>, 'owner_id'>>

/** Platforms, owners and agents of one service, with their most frequent calls. */
export interface Network {
  /** Everything that must not appear anywhere else: secrets, keys and personal data. */
  readonly confidential: readonly string[]
  platform(extras?: PlatformExtras): Promise<Platform>
  /** A new owner, with a new phone or a given one. */
  owner(platform: Platform, phone?: string): Promise<Owner>
  /** Verifies an owner's bank account, which raises the tier. */
  verify(owner: Owner): Promise<void>
  /** The headers of a logged-in owner's browser: the session and the origin. */
  login(owner: Owner): Promise<Headers>
  /** The same of the sandbox's administrator. */
  admin(): Promise<Headers>
  agent(owner: Owner, extras?: AgentExtras): Promise<Agent>
  /** A new agent with 975 INR. */
  fundedAgent(owner: Owner, extras?: AgentExtras): Promise<Agent>
  /** Several new agents, each after a funding of this amount. */
  fundedAgents(owner: Owner, count: number, amount: number, extras?: AgentExtras): Promise<Agent[]>
  /** Opens a session and pays it; the wallet is credited with the amount minus 2.5 %. */
  fund(agent: Agent, amount: number): Promise<void>
  pay(from: Agent, to: Agent, amount: number, extras?: PaymentExtras): Promise<Payment>
  /** The error of a payment that must be refused; 1 INR unless the body says otherwise. */
  refusedPayment(from: Agent, to: Agent, wanted: Refused, body?: Partial<PayBody>): Promise<ApiError>
  balance(agent: Agent): Promise<ResponseOf<typeof routes.getBalance>>
}

export function openNetwork(api: Api): Network {
  const confidential: string[] = []
  async function session(phone: string, kind: 'owner' | 'admin'): Promise<Headers> {
    const headers = await sessionOf(api, phone, kind)
    confidential.push(tokenOf(headers))
    return headers
  }
  const network: Network = {
    confidential,
    async platform(extras = {}) {
      const email = `ops-${letters(12)}@example.com`
      const made = await api.ok(routes.createPlatform, { body: { name: 'Example Agents', email, ...extras } })
      const [secret, webhookSecret] = [shown(made.platform_secret), shown(made.webhook_secret)]
      confidential.push(email, secret, webhookSecret)
      return {
        id: made.platform_id,
        secret,
        webhookSecret,
        headers: { 'x-platform-id': made.platform_id, 'x-platform-secret': secret },
      }
    },
    async owner(platform, phone = newPhone()) {
      const person = { phone, pan: newPan(), email: `${letters(12)}@example.com` }
      const body = { name: 'Asha Rao', ...person }
      const { owner_id } = await api.ok(routes.createOwner, { headers: platform.headers, body })
      confidential.push(...Object.values(person))
      return { id: owner_id, phone: person.phone, platform }
    },
    async verify(owner) {
      const bank_account = newBankAccount()
      confidential.push(bank_account)
      await api.ok(routes.submitKyc, {
        params: { owner_id: owner.id },
        headers: owner.platform.headers,
        body: { bank_account, bank_ifsc: 'HDFC0001234' },
      })
    },
    login: owner => session(owner.phone, 'owner'),
    admin: () => session(ADMIN_PHONE, 'admin'),
    async agent(owner, extras = {}) {
      const body = { name: 'Research Agent', handle: newHandle(), ...extras, owner_id: owner.id }
      const made = await api.ok(routes.createAgent, { headers: owner.platform.headers, body })
      const key = shown(made.agent_key)
      confidential.push(key, made.vendor_id)
      return { id: made.agent_id, handle: made.handle, key, headers: { 'x-agent-key': key }, owner }
    },
    async fundedAgent(owner, extras) {
      const agent = await network.agent(owner, extras)
      await network.fund(agent, 1000)
      return agent
    },
    fundedAgents: (...wanted) => fundedAgents(network, ...wanted),
    fund: (agent, amount) => fund(api, agent, amount),
    pay: (from, to, amount, extras = {}) =>
      api.ok(routes.pay, {
        params: { agent_id: from.id },
        headers: from.headers,
        body: { to: to.id, amount, ...extras },
      }),
    refusedPayment: (from, to, [status, code], body = {}) =>
      api.refused(routes.pay, status, code, {
        params: { agent_id: from.id },
        headers: from.headers,
        body: { to: to.id, amount: 1, ...body },
      }),
    balance: agent => api.ok(routes.getBalance, { params: { agent_id: agent.id }, headers: agent.headers }),
  }
  return network
}

async function fundedAgents(
  network: Network,
  ...[owner, count, amount, extras]: Parameters<Network['fundedAgents']>
): Promise<Agent[]> {
  const agents: Agent[] = []
  for (let made = 0; made < count; made++) {
    const agent = await network.agent(owner, extras)
    await network.fund(agent, amount)
    agents.push(agent)
  }
  return agents
}

async function fund(api: Api, agent: Agent, amount: number): Promise<void> {
  const session = await api.ok(routes.createFunding, {
    params: { agent_id: agent.id },
    headers: agent.headers,
    body: { amount },
  })
  const { status } = await api.ok(routes.completeSandboxPayment, {
    params: { payment_session_id: session.payment_session_id },
    body: { outcome: 'success' },
  })
  if (status !== 'completed') throw new Error(`the funding is ${status}`)
}

/** A secret of a first response; a replayed response has null instead. */
export function shown(secret: string | null): string {
  if (secret === null) throw new Error('a first response contains its secret')
  return secret
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz'

function letters(count: number): string {
  return Array.from({ length: count }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')
}

function digits(count: number): string {
  return Array.from({ length: count }, () => String(randomInt(10))).join('')
}

export function newHandle(): string {
  return `bot-${letters(12)}`
}

export function newPhone(): string {
  return `9${digits(9)}`
}

export function newPan(): string {
  return `${letters(5)}${digits(4)}${letters(1)}`.toUpperCase()
}

export function newBankAccount(): string {
  return `5${digits(13)}`
}
