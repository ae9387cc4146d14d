import { routes } from '@batua/contract'
import pMap from 'p-map'
import { type Api, openApi } from './api.ts'
import { type EmbeddedService, startEmbedded } from './embedded.ts'
import {
  type Agent,
  type Network,
  newBankAccount,
  type Owner,
  openNetwork,
  type Platform,
} from './network.ts'
import { openSandboxScenarios } from './sandbox-scenarios.ts'

const AT_ONCE = { concurrency: 12 }
const KYC_WITHIN_S = 600

/** Every verifiable account with a special behaviour, and a normal one. */
const ACCOUNTS: readonly string[] = [
  newBankAccount(),
  '900000000004',
  '900000000005',
  '900000000006',
  '900000000007',
  '900000000008',
  '7766671735000',
  '900000000012',
  '900000000021',
  '900000000022',
  '900000000023',
  '900000000024',
  '900000000025',
  '900000000026',
]

/** A bank account that never accepts money: it returns, and is sent again by the next settlement. */
const NEVER_TAKING = new Set(['900000000006', '7766671735000', '900000000022', '900000000023'])

export interface PayingOut {
  readonly agent: Agent
  readonly takesMoney: boolean
}

/** A service with its own database, and wallets of owners with bank accounts of every kind. */
export interface PayoutStage {
  readonly service: EmbeddedService
  readonly api: Api
  readonly wallets: readonly PayingOut[]
  /** The number of wallets that settlement always skips, by reason. */
  readonly leftAlone: Readonly<Record<string, number>>
  /** Stops everything, and returns the secrets that are in the log. */
  close(): Promise<readonly string[]>
}

export interface PayoutStageOptions {
  readonly walletsPerAccount: number
  /** Wallets of an owner without a verified account: they make the runs long, and are skipped. */
  readonly strangers: number
}

interface Stand {
  readonly api: Api
  readonly network: Network
  readonly platform: Platform
}

export async function openPayoutStage(options: PayoutStageOptions): Promise<PayoutStage> {
  const service = await startEmbedded()
  const api = openApi(service.address)
  const network = openNetwork(api)
  const stand: Stand = { api, network, platform: await network.platform() }
  const stranger = await network.owner(stand.platform)
  const orders = shuffled([
    ...ACCOUNTS.flatMap(account => Array.from({ length: options.walletsPerAccount }, () => account)),
    ...Array.from({ length: options.strangers }, () => null),
  ])
  const made = await pMap(
    orders,
    async account => {
      const owner = account === null ? stranger : await ownerAt(stand, account)
      const agent = await network.agent(owner)
      await network.fund(agent, account === null ? 5 : 300)
      return { agent, account }
    },
    AT_ONCE,
  )
  await openSandboxScenarios(api).advance(KYC_WITHIN_S)
  const wallets = made.flatMap(({ agent, account }) =>
    account === null ? [] : [{ agent, takesMoney: !NEVER_TAKING.has(account) }],
  )
  await expectVerified(stand, wallets)
  await stopTwo(stand)
  return {
    service,
    api,
    wallets,
    leftAlone: { no_verified_bank_account: options.strangers, agent_frozen: 1, agent_quarantined: 1 },
    async close() {
      const secrets = [service.password(), ...network.confidential]
      await service.remove()
      return secrets.filter(text => service.output().includes(text))
    },
  }
}

async function ownerAt({ api, network, platform }: Stand, account: string): Promise<Owner> {
  const owner = await network.owner(platform)
  await openSandboxScenarios(api).kyc(owner, account)
  return owner
}

async function expectVerified({ api, platform }: Stand, wallets: readonly PayingOut[]): Promise<void> {
  const { headers } = platform
  await pMap(
    wallets,
    async ({ agent }) => {
      const { kyc_status } = await api.ok(routes.getOwner, { params: { owner_id: agent.owner.id }, headers })
      if (kyc_status !== 'verified') throw new Error(`an owner is ${kyc_status}`)
    },
    AT_ONCE,
  )
}

/** One wallet of a frozen and one of a quarantined agent, whose money stays. */
async function stopTwo({ api, network, platform }: Stand): Promise<void> {
  const owner = await network.owner(platform)
  await network.verify(owner)
  const [frozen, quarantined] = [await network.fundedAgent(owner), await network.fundedAgent(owner)]
  const headers = await network.admin()
  await api.ok(routes.bulkFreezeAgents, { headers, body: { agent_ids: [frozen.id] } })
  await api.ok(routes.bulkQuarantineAgents, { headers, body: { agent_ids: [quarantined.id] } })
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map(item => [Math.random(), item] as const)
    .toSorted(([left], [right]) => left - right)
    .map(([, item]) => item)
}
