import { mkdtempSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@batua/sdk'
import { fileTabStore } from '@batua/sdk/file-tabs'
import { requirePayment } from '@batua/sdk/node'
import { memoryTabStore, redisTabStore, sqlTabStore, type TabStore } from '@batua/sdk/seller'
import { Redis } from 'ioredis'
import { Pool } from 'pg'
import type { ShopAddresses } from './vouchers.ts'

/** A seller's process: the same handler for free, for single payments, and for vouchers in each store. */

const [baseUrl = '', agentKey = '', payTo = '', price = '', databaseUrl = '', redisPort = ''] =
  process.argv.slice(2)
const client = createClient({ baseUrl, agentKey })

const serveCall: RequestListener = (_request, response) => void response.end('sunny')

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/weather`
}

async function openSqlStore(): Promise<TabStore> {
  const pool = new Pool({ connectionString: databaseUrl })
  await pool.query(
    `create table if not exists voucher_tabs (payee text not null, buyer text not null, state text not null,
      version text not null, primary key (payee, buyer))`,
  )
  return sqlTabStore(pool)
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'batua-bench-vouchers-'))
  const offer = { client, payTo, amount: price }
  const shop = (store: TabStore) => listen(requirePayment({ ...offer, tab: { store } }, serveCall))
  const addresses: ShopAddresses = {
    free: await listen(serveCall),
    single: await listen(requirePayment(offer, serveCall)),
    memory: await shop(memoryTabStore()),
    file: await shop(await fileTabStore(join(folder, 'vouchers.jsonl'))),
    sql: await shop(await openSqlStore()),
    redis: redisPort === '' ? null : await shop(redisTabStore(new Redis(Number(redisPort), '127.0.0.1'))),
  }
  process.send?.(addresses)
  process.on('message', () => process.send?.(process.cpuUsage()))
  process.once('disconnect', () => process.exit(0))
}

await main()
