import { randomInt, randomUUID } from 'node:crypto'
import type { Client, CreateAgentInput, SubmitKycInput } from '@batua/sdk'
import { cookieJar, SESSION_COOKIE } from '../cookies.ts'
import { type Access, clientFor, type Session } from '../session.ts'
import { connectApp } from './trigger-app.ts'

export interface StageOwner {
  readonly id: string
  readonly phone: string
}

export interface StageAgent {
  readonly id: string
  /** With the agent's key. */
  readonly client: Client
}

/** New owners and agents of a platform, for one event. */
export interface Stage {
  /** With the platform's credential. */
  readonly client: Client
  /** Whether an event is about what was made here. */
  concerns(data: object): boolean
  owner(): Promise<StageOwner>
  verify(owner: StageOwner, bankAccount?: string): Promise<void>
  agent(owner: StageOwner, policy?: Partial<CreateAgentInput>): Promise<StageAgent>
  /** Opens a funding and ends it so; returns its session. */
  fund(agent: StageAgent, outcome: 'success' | 'failure', amount?: number): Promise<string>
  chargeBack(paymentSessionId: string): Promise<void>
  logIn(owner: StageOwner): Promise<Client>
  /** Connects an app to an agent of the owner. */
  connectApp(agent: StageAgent, owner: StageOwner): Promise<void>
  /** Advances the clock of the whole sandbox. */
  wait(seconds: number): Promise<void>
}

const IFSC = 'HDFC0001234'

export function openStage(session: Session, { client, url, credentials }: Access): Stage {
  const ids = new Set([credentials.platformId])
  const { signal } = session

  async function sessionOf({ phone }: StageOwner): Promise<string> {
    const cookies = cookieJar()
    const guest = clientFor(session, url, { fetch: cookies.fetch })
    await guest.sendOtp({ phone }, { signal })
    const { code } = await guest.getSandboxOtp({ phone }, { signal })
    await guest.verifyOtp({ phone, code }, { signal })
    return cookies.value(SESSION_COOKIE) ?? ''
  }

  return {
    client,
    concerns: data => Object.values(data).some(value => typeof value === 'string' && ids.has(value)),
    async owner() {
      const phone = `98${digits(8)}`
      const pan = `${letters(5)}${digits(4)}${letters(1)}`.toUpperCase()
      const { owner_id: id } = await client.createOwner({ name: 'Asha Rao', phone, pan }, { signal })
      ids.add(id)
      return { id, phone }
    },
    async verify({ id }, bankAccount = `5${digits(13)}`) {
      const account: SubmitKycInput = { owner_id: id, bank_account: bankAccount, bank_ifsc: IFSC }
      await client.submitKyc(account, { signal })
    },
    async agent(owner, policy = {}) {
      const handle = `trigger-${randomUUID().slice(0, 13)}`
      const made = await client.createAgent(
        { name: 'Triggered Agent', handle, ...policy, owner_id: owner.id },
        { signal },
      )
      ids.add(made.agent_id)
      return { id: made.agent_id, client: clientFor(session, url, { agentKey: made.agent_key ?? '' }) }
    },
    async fund(agent, outcome, amount = 1_000) {
      const { payment_session_id } = await client.createFunding({ agent_id: agent.id, amount }, { signal })
      await client.completeSandboxPayment({ payment_session_id, outcome }, { signal })
      return payment_session_id
    },
    async chargeBack(payment_session_id) {
      await client.completeSandboxPayment({ payment_session_id, outcome: 'chargeback' }, { signal })
    },
    logIn: async owner => clientFor(session, url, { sessionToken: await sessionOf(owner) }),
    async connectApp({ id: agentId }, owner) {
      await connectApp({ url, signal, agentId, sessionToken: await sessionOf(owner) })
    },
    async wait(seconds) {
      session.out.note(`Advancing the clock of the sandbox by ${seconds} s`)
      await client.advanceClock({ advance_seconds: seconds }, { signal, timeoutMs: 120_000 })
    },
  }
}

function digits(count: number): string {
  return Array.from({ length: count }, () => String(randomInt(10))).join('')
}

function letters(count: number): string {
  return Array.from({ length: count }, () => String.fromCodePoint(97 + randomInt(26))).join('')
}
