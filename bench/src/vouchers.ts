import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { closeTabs, createClient, payingFetch } from '@batua/sdk'
import { requirePayment } from '@batua/sdk/node'
import { memoryTabStore } from '@batua/sdk/seller'
import { hasRedis, startRedis } from '../../e2e/src/redis-server.ts'
import { openApi } from './api.ts'
import type { Cleanup } from './cleanup.ts'
import { figure, median, percentile } from './figures.ts'
import { type Goal, verdict } from './goals.ts'
import { table } from './markdown.ts'
import type { Payer } from './messages.ts'
import { createNetwork } from './network.ts'
import type { Options } from './options.ts'
import { readServerAddress, urlOf } from './server-address.ts'
import { SERVICE_SETTINGS, startService } from './service.ts'

/** What one seller's process offers; null: this machine has no Redis. */
export interface ShopAddresses {
  readonly free: string
  readonly single: string
  readonly memory: string
  readonly file: string
  readonly sql: string
  readonly redis: string | null
}

type Shop = keyof ShopAddresses

interface Round {
  readonly shop: Shop
  readonly p50Ms: number
  readonly p99Ms: number
  readonly perSecond: number
  /** CPU time of a call at that rate, in µs, of the buyer's process and of the seller's. */
  readonly buyerUs: number
  readonly sellerUs: number
}

export interface VouchersReport {
  readonly rounds: readonly Round[]
  /** The median of the paid calls of a round minus that of its free ones, of each round. */
  readonly overheadMs: Readonly<Record<Exclude<Shop, 'free'>, readonly number[]>>
  /** What the calls of `MANY` cost together in fees, INR. */
  readonly feeInr: number
}

/** Calls that are not worth a payment each. */
const MANY = { calls: 1_000, priceInr: 0.1 } as const
/** What each of them would cost singly, INR. */
const LEAST_FEE_INR = 1

const SHOPS: readonly Shop[] = ['free', 'single', 'memory', 'file', 'sql', 'redis']
const PRICE_INR = '0.01'
const AMOUNT_INR = 500
const AGENTS = 300
const TURNS = 1_000
/** Until V8 has compiled the code of a call. */
const WARM_UP = 500
const AT_ONCE = 16
const OVERHEAD_MS = 0.5
const LEAST_PER_SECOND = 3_000
const SELLER = fileURLToPath(new URL('voucher-seller.ts', import.meta.url))

/** A separate service; one buyer in this process and one seller in another. */
export async function measureVouchers(
  options: Options,
  undo: Cleanup,
  say: (line: string) => void,
): Promise<VouchersReport> {
  const dataDir = mkdtempSync(join(options.dataParent ?? tmpdir(), 'batua-bench-'))
  undo.add(() => rmSync(dataDir, { recursive: true, force: true }))
  const service = startService(dataDir, options.profileFolder, SERVICE_SETTINGS)
  undo.add(service.stop)
  const baseUrl = await service.ready
  const network = await createNetwork(openApi(baseUrl), AGENTS)
  const [buyer, seller, singleBuyer, ...others] = network.groups.open
  if (buyer === undefined || seller === undefined || singleBuyer === undefined)
    throw new Error('vouchers take three agents')
  const feeInr = await feeOfMany(baseUrl, others, undo)
  say(`${figure(MANY.calls)} calls of ${figure(MANY.priceInr, 2)} INR: ${figure(feeInr, 2)} INR of fee`)
  const redis = hasRedis ? await startRedis() : null
  if (redis !== null) undo.add(redis.close)
  const places = [urlOf(readServerAddress(dataDir)), String(redis?.port ?? '')]
  const { shops, sellerCpuUs } = await openShops(
    [baseUrl, seller.key, seller.handle, PRICE_INR, ...places],
    undo,
  )
  const buying = (agent: Payer, tab?: { readonly amount: number }) => {
    const client = createClient({ baseUrl, agentKey: agent.key })
    const fetch = payingFetch(globalThis.fetch, {
      ...{ client, maxAmount: 1, allowHttp: true },
      ...(tab === undefined ? {} : { tab }),
    })
    undo.add(() => closeTabs(fetch))
    return fetch
  }
  const paying = buying(buyer, { amount: AMOUNT_INR })
  const fetches = { free: globalThis.fetch, single: buying(singleBuyer) }
  const open = SHOPS.flatMap(shop => {
    const [url, fetch] = [shops[shop], shop === 'free' || shop === 'single' ? fetches[shop] : paying]
    return url === null ? [] : [{ shop, visit: () => visit(fetch, url) }]
  })

  for (const shop of open) for (let call = 0; call < WARM_UP; call++) await shop.visit()
  const rounds: Round[] = []
  const overheadMs = newTimes()
  for (let round = 0; round < options.rounds; round++) {
    const order = round % 2 === 0 ? open : open.toReversed()
    const times = { ...newTimes(), free: [] as number[] }
    for (let turn = 0; turn < TURNS; turn++) {
      for (const each of order) times[each.shop].push(await timed(each.visit))
    }
    for (const each of open) {
      if (each.shop === 'free') continue
      overheadMs[each.shop].push(percentile(times[each.shop], 0.5) - percentile(times.free, 0.5))
    }
    for (const { shop, visit: call } of order) {
      const [p50Ms, p99Ms] = [percentile(times[shop], 0.5), percentile(times[shop], 0.99)]
      const rate = await rateOf(call, options.seconds, sellerCpuUs)
      rounds.push({ shop, p50Ms, p99Ms, ...rate })
      say(`round ${round + 1}: ${shop}: ${figure(p50Ms, 2)} ms, ${figure(rate.perSecond)}/s`)
    }
  }
  return { rounds, overheadMs, feeInr }
}

function newTimes(): Record<Exclude<Shop, 'free'>, number[]> {
  return { single: [], memory: [], file: [], sql: [], redis: [] }
}

/** What many small calls cost in fees: the buyer's authorizations say it once they have ended. */
async function feeOfMany(baseUrl: string, [buyer, seller]: readonly Payer[], undo: Cleanup): Promise<number> {
  if (buyer === undefined || seller === undefined) throw new Error('many calls take two agents')
  const buying = createClient({ baseUrl, agentKey: buyer.key })
  const selling = createClient({ baseUrl, agentKey: seller.key })
  const store = memoryTabStore()
  const offer = { client: selling, payTo: seller.handle, amount: MANY.priceInr, tab: { store } }
  const server = createServer(requirePayment(offer, (_request, response) => response.end('sunny')))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  undo.add(() => {
    server.closeAllConnections()
    server.close()
  })
  const tab = { amount: MANY.calls * MANY.priceInr }
  const paying = payingFetch(globalThis.fetch, { client: buying, maxAmount: 1, allowHttp: true, tab })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/weather`
  for (let call = 0; call < MANY.calls; call++) await visit(paying, url)
  await closeTabs(paying)
  await store.close()
  const { authorizations } = await buying.listAuthorizations({ agent_id: buyer.id })
  const capturedInr = authorizations.reduce((sum, { captured }) => sum + captured, 0)
  if (capturedInr !== tab.amount) throw new Error(`${capturedInr} INR were captured for ${MANY.calls} calls`)
  return authorizations.reduce((sum, { fee }) => sum + fee, 0)
}

interface Seller {
  readonly shops: ShopAddresses
  /** The CPU time of its process so far. */
  sellerCpuUs(): Promise<number>
}

async function openShops(argv: readonly string[], undo: Cleanup): Promise<Seller> {
  const child = fork(SELLER, argv, { execArgv: ['--conditions=@batua/source'] })
  undo.add(() => child.disconnect())
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', () => reject(new Error('the seller ended')))
  })
  ended.catch(() => {})
  async function next<Message>(): Promise<Message> {
    const [message] = (await Promise.race([once(child, 'message'), ended])) as [Message]
    return message
  }
  return {
    shops: await next<ShopAddresses>(),
    async sellerCpuUs() {
      const response = next<NodeJS.CpuUsage>()
      child.send('usage')
      return sumOf(await response)
    },
  }
}

function sumOf({ user, system }: NodeJS.CpuUsage): number {
  return user + system
}

/** Calls a second with several in progress at a time. */
async function rateOf(
  call: () => Promise<void>,
  seconds: number,
  sellerCpuUs: Seller['sellerCpuUs'],
): Promise<Pick<Round, 'perSecond' | 'buyerUs' | 'sellerUs'>> {
  const [sellerBefore, buyerBefore] = [await sellerCpuUs(), process.cpuUsage()]
  const [startedMs, endMs] = [performance.now(), performance.now() + seconds * 1_000]
  let calls = 0
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (; performance.now() < endMs; calls++) await call()
    }),
  )
  const perSecond = (calls / (performance.now() - startedMs)) * 1_000
  const buyerUs = sumOf(process.cpuUsage(buyerBefore)) / calls
  return { perSecond, buyerUs, sellerUs: ((await sellerCpuUs()) - sellerBefore) / calls }
}

async function visit(fetch: typeof globalThis.fetch, url: string): Promise<void> {
  const response = await fetch(url)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`a call returned ${response.status}: ${text}`)
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

export function goalsOfVouchers(report: VouchersReport | null): Goal[] {
  const overheadMs = report === null ? Number.NaN : median(report.overheadMs.memory)
  const perSecond = report === null ? Number.NaN : rateAt(report, 'memory')
  const feeInr = report?.feeInr ?? Number.NaN
  return [
    {
      name: 'a call paid by a voucher minus a free call, median',
      measured: `${figure(overheadMs, 2)} ms`,
      wanted: `under ${OVERHEAD_MS} ms`,
      verdict: verdict(overheadMs, overheadMs < OVERHEAD_MS),
    },
    {
      name: 'calls a second paid by vouchers, one buyer and one seller',
      measured: figure(perSecond),
      wanted: `at least ${figure(LEAST_PER_SECOND)}`,
      verdict: verdict(perSecond, perSecond >= LEAST_PER_SECOND),
    },
    {
      name: `fees of ${MANY_CALLS}, paid by vouchers`,
      measured: `${figure(feeInr, 2)} INR`,
      wanted: `${LEAST_FEE_INR} INR`,
      verdict: verdict(feeInr, feeInr === LEAST_FEE_INR),
    },
  ]
}

const MANY_CALLS = `${figure(MANY.calls)} calls of ${figure(MANY.priceInr, 2)} INR`

function rateAt({ rounds }: VouchersReport, shop: Shop): number {
  return median(rounds.filter(round => round.shop === shop).map(({ perSecond }) => perSecond))
}

const CALLS: Readonly<Record<Shop, string>> = {
  free: 'a free call',
  single: 'a call paid singly, by a payment of its own',
  memory: 'a call paid by a voucher, store in memory',
  file: 'a call paid by a voucher, store in a file',
  sql: 'a call paid by a voucher, store in PostgreSQL',
  redis: 'a call paid by a voucher, store in Redis (`appendfsync always`)',
}

export function renderVouchers(report: VouchersReport): string {
  const { rounds, overheadMs } = report
  const measured = SHOPS.filter(shop => rounds.some(round => round.shop === shop))
  const rows = measured.map(shop => {
    const own = rounds.filter(round => round.shop === shop)
    const [p50, p99] = [median(own.map(({ p50Ms }) => p50Ms)), median(own.map(({ p99Ms }) => p99Ms))]
    const more = shop === 'free' ? '' : figure(median(overheadMs[shop]), 2)
    const cpu = [median(own.map(({ buyerUs }) => buyerUs)), median(own.map(({ sellerUs }) => sellerUs))]
    const times = [figure(p50, 2), figure(p99, 2), more]
    return [CALLS[shop], ...times, figure(rateAt(report, shop)), ...cpu.map(each => figure(each))]
  })
  return [
    `One buyer and one seller with the sdk, each in a process of its own, over HTTP on the same machine; the service takes part when something is captured. Medians of ${rounds.length / measured.length} rounds. The times are of ${figure(TURNS)} calls a round, one at a time, alternately; the rates of ${AT_ONCE} calls at a time. A call costs ${PRICE_INR} INR.`,
    table(
      ['', 'p50 ms', 'p99 ms', 'more than free, p50 ms', 'per second', 'buyer CPU µs', 'seller CPU µs'],
      rows,
    ),
    `${MANY_CALLS}, paid by the vouchers of one authorization, cost ${figure(report.feeInr, 2)} INR in fees. Paid singly they would cost ${figure(MANY.calls * LEAST_FEE_INR)} INR.`,
  ].join('\n\n')
}
