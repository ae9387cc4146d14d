import {
  type Allowance,
  type Certificate,
  type Organization,
  type ResponseOf,
  type RiskAlert,
  routes,
  type WebhookDelivery,
} from '@batua/contract'
import type { Api, Headers } from './api.ts'
import { logPlatformIn, ownSessionId } from './log-in.ts'
import { type Agent, type Network, type Owner, openNetwork, type Platform } from './network.ts'
import { openOAuth } from './oauth.ts'
import { newSubscription } from './push-service.ts'
import { webhookSink } from './webhook-sink.ts'

/** A platform with two agents of a verified owner and a payment between them, and a stranger without access to it. */
export interface World {
  readonly api: Api
  readonly network: Network
  readonly platform: Platform
  readonly owner: Owner
  /** Of the platform, who has never logged in. */
  readonly newcomer: Owner
  /** An owner that another platform created with the same phone, and that is not accepted. */
  readonly invitation: Owner
  /** The owner's session. */
  readonly ownerHeaders: Headers
  /** The id of that session. */
  readonly ownerSessionId: string
  /** An administrator's session. */
  readonly adminHeaders: Headers
  /** The platform's session. */
  readonly platformSession: Headers
  readonly payer: Agent
  readonly payee: Agent
  /** Of the same owner, in no organization. */
  readonly loner: Agent
  /** From payer to payee, 100 INR, reference `invoice-1`, key `key-1`. */
  readonly payment: ResponseOf<typeof routes.pay>
  /** From payer to payee, 460 INR, which waits for the owner's approval. */
  readonly approval: ResponseOf<typeof routes.pay>
  /** From payer to payee, 1 INR: it covers no payment that would need approval. */
  readonly allowance: Allowance
  /** A connected app of the payer. */
  readonly appId: string
  /** The owner’s, at a push service that does not exist. */
  readonly subscription: ResponseOf<typeof routes.createPushSubscription>
  /** Of the payer, 50 INR, held until the payee attests. */
  readonly escrow: ResponseOf<typeof routes.holdEscrowWithAttestation>
  /** From payer to payee, 20 INR, which the payee may capture. */
  readonly authorization: ResponseOf<typeof routes.authorize>
  /** An open alert about the platform, because wrong secrets were tried. */
  readonly alert: RiskAlert
  /** The business day of the latest settlement run. */
  readonly settlementDay: string
  /** An unpaid payment session of the payer. */
  readonly session: ResponseOf<typeof routes.createFunding>
  /** The payer's first. */
  readonly certificate: Certificate
  /** The owner's; the payer is its treasury, the payee a worker. */
  readonly organization: Organization
  /** The delivery of a test webhook to the platform's receiver, which accepts everything from then on. */
  readonly delivery: WebhookDelivery
  readonly stranger: {
    readonly platform: Platform
    readonly owner: Owner
    readonly ownerHeaders: Headers
    readonly agent: Agent
  }
}

export async function openWorld(api: Api): Promise<World> {
  const network = openNetwork(api)
  const platform = await network.platform()
  const owner = await network.owner(platform)
  await network.verify(owner)
  const payer = await network.agent(owner, { require_human_approval_above: 450, [PENDING_CONTROL]: 50 })
  const payee = await network.agent(owner)
  await network.fund(payer, 1000)
  const payment = await network.pay(payer, payee, 100, { reference: 'invoice-1', idempotency_key: 'key-1' })
  const approval = await network.pay(payer, payee, 460)
  const escrow = await api.ok(routes.holdEscrowWithAttestation, {
    params: { agent_id: payer.id },
    headers: platform.headers,
    body: { amount: 50, attestor_agent_id: payee.id },
  })
  const authorization = await api.ok(routes.authorize, {
    params: { agent_id: payer.id },
    headers: payer.headers,
    body: { to: payee.id, amount: 20 },
  })
  const session = await api.ok(routes.createFunding, {
    params: { agent_id: payer.id },
    headers: payer.headers,
    body: { amount: 500 },
  })
  const adminHeaders = await network.admin()
  const ownerHeaders = await network.login(owner)
  await letChangesWait(api, payer, ownerHeaders)
  const allowance = await api.ok(routes.createAllowance, {
    headers: ownerHeaders,
    body: { agent_id: payer.id, to: payee.id, amount: 1, until: dayAfter(payment.created_at) },
  })
  const appId = await connectApp(api, payer, ownerHeaders)
  const subscription = await api.ok(routes.createPushSubscription, {
    headers: ownerHeaders,
    body: newSubscription(),
  })
  // Another account, which waits while the first is in force.
  await network.verify(owner)
  return {
    api,
    network,
    platform,
    owner,
    ownerHeaders,
    ownerSessionId: await ownSessionId(api, ownerHeaders),
    adminHeaders,
    platformSession: await logPlatformIn(api, platform),
    newcomer: await network.owner(platform),
    invitation: await network.owner(await network.platform(), owner.phone),
    alert: await openAlert(api, platform, adminHeaders),
    settlementDay: await latestSettlement(api, adminHeaders),
    payer,
    payee,
    certificate: await firstCertificate(api, payer),
    loner: await network.agent(owner),
    organization: await openOrganization(api, ownerHeaders, payer, payee),
    payment,
    approval,
    allowance,
    appId,
    subscription,
    escrow,
    authorization,
    session,
    stranger: await openStranger(network),
    // The last step, so that the receiver gets few events of the set-up.
    delivery: await openReceiver(api, platform),
  }
}

/** A world that calls may use up: each acts in what the calls before have left. */
export interface UsedWorld {
  /** Does this in the world as it is; if it fails there, once more in a new world, where it must succeed. */
  attempt<Result>(work: (world: World) => Promise<Result>): Promise<Result>
}

export function useUp(first: World): UsedWorld {
  let world = first
  return {
    async attempt(work) {
      try {
        return await work(world)
      } catch {
        world = await openWorld(first.api)
        return work(world)
      }
    },
  }
}

/** The control with a pending change in the payer's and in the owner's policy. */
export const PENDING_CONTROL = 'max_counterparties_per_hour'

async function letChangesWait(api: Api, payer: Agent, ownerHeaders: Headers): Promise<void> {
  const raised = { [PENDING_CONTROL]: 60 }
  const params = { agent_id: payer.id }
  await api.ok(routes.updateAgent, { params, headers: payer.owner.platform.headers, body: raised })
  for (const body of [{ [PENDING_CONTROL]: 50 }, raised]) {
    await api.ok(routes.updateOwnerPolicy, { headers: ownerHeaders, body })
  }
}

const WRONG_SECRETS = 20

/** Tries wrong secrets for a platform until an alert is opened. */
async function openAlert(api: Api, platform: Platform, adminHeaders: Headers): Promise<RiskAlert> {
  // Different ones: the same secret in many concurrent requests is looked up, and counted, once.
  const guess = (_: unknown, index: number) => {
    const secret = `sk_live_${String(index).padStart(43, 'w')}`
    return { 'x-platform-id': platform.id, 'x-platform-secret': secret }
  }
  const guesses = Array.from({ length: WRONG_SECRETS }, guess)
  await Promise.all(guesses.map(headers => api.send(routes.listOwners, { headers })))
  await api.ok(routes.advanceClock, { body: { advance_seconds: 0 } })
  const query = { rule: 'failed_authentication', status: 'open', limit: 100 }
  const { alerts } = await api.ok(routes.listRiskAlerts, { headers: adminHeaders, query })
  const alert = alerts.find(each => each.platform_id === platform.id)
  if (alert === undefined) throw new Error('no alert was opened')
  return alert
}

async function openOrganization(
  api: Api,
  headers: Headers,
  treasury: Agent,
  worker: Agent,
): Promise<Organization> {
  const body = { name: 'Research Lab', tier: 'tier1' } as const
  const { id } = await api.ok(routes.createOrganization, { headers, body })
  const params = { org_id: id }
  await api.ok(routes.addMember, { params, headers, body: { agent_id: treasury.id, role: 'treasury' } })
  await api.ok(routes.addMember, { params, headers, body: { agent_id: worker.id, role: 'worker' } })
  return api.ok(routes.getOrganization, { params, headers })
}

async function firstCertificate(api: Api, { id, headers }: Agent): Promise<Certificate> {
  const { certificates } = await api.ok(routes.listCertificates, { params: { agent_id: id }, headers })
  const [certificate] = certificates
  if (certificate === undefined) throw new Error('every agent has a certificate')
  return certificate
}

/** By now the jobs have run, and the first thing they do is the settlement run that was missed. */
async function latestSettlement(api: Api, adminHeaders: Headers): Promise<string> {
  const { settlements } = await api.ok(routes.listSettlements, { headers: adminHeaders })
  const [latest] = settlements
  if (latest === undefined) throw new Error('there was no settlement run')
  return latest.day
}

async function openReceiver(api: Api, { id, headers }: Platform): Promise<WebhookDelivery> {
  const webhook_url = await webhookSink()
  await api.ok(routes.updatePlatform, { params: { platform_id: id }, headers, body: { webhook_url } })
  return api.ok(routes.testWebhook, { headers })
}

async function connectApp(api: Api, payer: Agent, headers: Headers): Promise<string> {
  await openOAuth(api.address).connect(payer, headers)
  const { connected_apps } = await api.ok(routes.listConnectedApps, { headers })
  const [app] = connected_apps
  if (app === undefined) throw new Error('an app was connected')
  return app.app_id
}

async function openStranger(network: Network): Promise<World['stranger']> {
  const platform = await network.platform()
  const owner = await network.owner(platform)
  const ownerHeaders = await network.login(owner)
  return { platform, owner, ownerHeaders, agent: await network.agent(owner) }
}

/** A day after a time of the service, whose clock tests move. */
export function dayAfter(time: string): string {
  return new Date(Date.parse(time) + 86_400_000).toISOString()
}
