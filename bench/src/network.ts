import { MAX_AMOUNT_INR, routes } from '@batua/contract'
import pMap from 'p-map'
import type { Api, Headers } from './api.ts'
import { GROUPS, type Group, NEAR } from './loads.ts'
import type { Payer } from './messages.ts'

/** The agents that pay each other, created through the public interface. */
export interface Network {
  readonly platform: Headers
  /** All of them; the groups are parts of it. */
  readonly payers: readonly Payer[]
  readonly groups: Readonly<Record<Group, readonly Payer[]>>
  /** The agent that was funded and paid every other its opening balance. */
  readonly bank: Payer
  /** The sum of all wallets after the set-up, in paise. */
  readonly heldPaise: number
  readonly openingPayments: number
  readonly seconds: { readonly agents: number; readonly openings: number }
}

/** The tier's limits, far above what is paid here, because they are evaluated as well. */
const TIER = {
  per_tx: 100_000,
  daily: 1_000_000_000,
  monthly: 10_000_000_000,
  escrow_above: 50_000,
  approval_above: 100_000,
} as const

/** All ten controls. None of them ever refuses here, and the lists name agents as real ones do. */
function strictPolicy(payers: readonly Payer[], index: number) {
  const after = (places: number) => payers[(index + places) % payers.length]?.id ?? ''
  return {
    ...LIMITS,
    allowed_payees: Array.from({ length: NEAR }, (_, place) => after(place + 1)),
    blocked_payee_agents: [after(NEAR + 1), after(NEAR + 2)],
    per_counterparty_daily_limit: 100_000,
    max_counterparties_per_hour: 100_000,
    require_escrow_above: 400,
    require_human_approval_above: 300,
  }
}

/** Every usual agent is under all four limits. They are evaluated with each payment and never refuse one here. */
export const LIMITS = {
  spend_limit_per_tx: 500,
  spend_limit_hourly: 100_000,
  spend_limit_daily: 200_000,
  spend_limit_monthly: 2_000_000,
} as const

export const OPENING_BALANCE_INR = 10_000

const OWNERS = 20
const ADMIN_PHONE = '9999999999'
/** The groups whose policies are compared only need to be so large that no agent makes two payments at once. */
const COMPARED_SHARE = 0.2
const AT_ONCE = { concurrency: 32 }
const PAISE = 100
const GATEWAY_KEEPS = 0.975
const FEE_SHARE = 0.005

/** Creates a platform, owners, agents and money through the public interface only. */
export async function createNetwork(api: Api, size: number): Promise<Network> {
  const { platform_id, platform_secret } = await api.call(routes.createPlatform, {
    body: { name: 'Benchmark' },
  })
  const platform = { 'x-platform-id': platform_id, 'x-platform-secret': platform_secret ?? '' }
  const owners = await pMap(
    Array.from({ length: OWNERS }),
    (_, index) => createOwner(api, platform, index),
    AT_ONCE,
  )
  const bank = await createAgent(api, platform, {
    name: 'Bank',
    handle: 'bench-bank',
    owner_id: owners[0] ?? '',
  })

  await raiseTier(api)
  const agentsMs = performance.now()
  const join = (group: Group, count: number, policy: Partial<typeof LIMITS>) =>
    pMap(
      Array.from({ length: count }),
      (_, index) =>
        createAgent(api, platform, {
          name: `Agent ${index}`,
          handle: `${group}-${index}`,
          owner_id: owners[index % OWNERS] ?? '',
          ...policy,
        }),
      AT_ONCE,
    )
  const compared = Math.round(size * COMPARED_SHARE)
  const groups = {
    usual: await join('usual', size, LIMITS),
    open: await join('open', compared, {}),
    strict: await join('strict', compared, {}),
  }
  await pMap(
    groups.strict,
    ({ id }, index) =>
      api.call(routes.updateAgent, {
        params: { agent_id: id },
        headers: platform,
        body: strictPolicy(groups.strict, index),
      }),
    AT_ONCE,
  )
  const payers = GROUPS.flatMap(group => groups[group])
  const openingsMs = performance.now()
  const fundedPaise = await fundBank(api, bank, payers.length)
  const costs = await pMap(payers, payee => openWallet(api, bank, payee), AT_ONCE)
  return {
    platform,
    payers,
    groups,
    bank,
    heldPaise: fundedPaise - costs.reduce((sum, cost) => sum + cost, 0),
    openingPayments: costs.length,
    seconds: { agents: (openingsMs - agentsMs) / 1000, openings: (performance.now() - openingsMs) / 1000 },
  }
}

/** An administrator logs in and sets the limits of the benchmark for the tier of verified owners; returns the session. */
export async function raiseTier(api: Api): Promise<Headers> {
  await api.call(routes.sendAdminOtp, { body: { phone: ADMIN_PHONE } })
  const { code } = await api.call(routes.getSandboxOtp, { params: { phone: ADMIN_PHONE } })
  const cookie = await api.cookieOf(routes.verifyAdminOtp, { body: { phone: ADMIN_PHONE, code } })
  await api.call(routes.updateTier, { params: { tier: 'tier1' }, headers: cookie, body: TIER })
  return cookie
}

export async function createOwner(api: Api, platform: Headers, index: number): Promise<string> {
  const number = String(index).padStart(4, '0')
  const { owner_id } = await api.call(routes.createOwner, {
    headers: platform,
    body: { name: 'Asha Rao', phone: `900000${number}`, pan: `BENCH${number}R` },
  })
  const { kyc_status } = await api.call(routes.submitKyc, {
    params: { owner_id },
    headers: platform,
    body: { bank_account: `12345678${number}`, bank_ifsc: 'HDFC0001234' },
  })
  if (kyc_status !== 'verified') throw new Error(`the bank did not verify an owner: ${kyc_status}`)
  return owner_id
}

export async function createAgent(
  api: Api,
  platform: Headers,
  body: { name: string; handle: string; owner_id: string } & Partial<typeof LIMITS>,
): Promise<Payer> {
  const { agent_id, handle, agent_key } = await api.call(routes.createAgent, { headers: platform, body })
  return { id: agent_id, handle, key: agent_key ?? '' }
}

/** Funds one agent with the opening balances of all others, in as many sessions as necessary. */
export async function fundBank(api: Api, bank: Payer, payees: number): Promise<number> {
  const wantedInr = Math.ceil((payees * OPENING_BALANCE_INR * (1 + FEE_SHARE)) / GATEWAY_KEEPS) + 1
  let fundedPaise = 0
  for (let leftInr = wantedInr; leftInr > 0; leftInr -= MAX_AMOUNT_INR) {
    fundedPaise += await fund(api, bank, Math.min(leftInr, MAX_AMOUNT_INR))
  }
  return fundedPaise
}

async function fund(api: Api, bank: Payer, amount: number): Promise<number> {
  const headers = { 'x-agent-key': bank.key }
  const session = await api.call(routes.createFunding, {
    params: { agent_id: bank.id },
    headers,
    body: { amount },
  })
  await api.call(routes.completeSandboxPayment, {
    params: { payment_session_id: session.payment_session_id },
    body: { outcome: 'success' },
  })
  const { status, net_amount } = await api.call(routes.getFunding, {
    params: { agent_id: bank.id, funding_id: session.funding_id },
    headers,
  })
  if (status !== 'completed' || net_amount === null) throw new Error(`the funding is ${status}`)
  return Math.round(net_amount * PAISE)
}

/** Pays one agent its opening balance; returns the fee in paise. */
export async function openWallet(api: Api, bank: Payer, payee: Payer): Promise<number> {
  const { status, cost } = await api.call(routes.pay, {
    params: { agent_id: bank.id },
    headers: { 'x-agent-key': bank.key },
    body: { to: payee.id, amount: OPENING_BALANCE_INR, idempotency_key: `opening-${payee.handle}` },
  })
  if (status !== 'completed') throw new Error(`an opening payment is ${status}`)
  return Math.round(cost * PAISE)
}
