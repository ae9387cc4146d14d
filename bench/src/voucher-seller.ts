import { mkdtempSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@batua/sdk'
import { fileTabStore } from '@batua/sdk/file-tabs'
import { requirePayment } from '@batua/sdk/node'
import { memoryTabStore } from '@batua/sdk/seller'
import type { ShopAddresses } from './vouchers.ts'

/** A seller's process: the same handler for free, for vouchers in memory, and for vouchers in a file. */

const [baseUrl = '', agentKey = '', payTo = '', price = ''] = process.argv.slice(2)
const client = createClient({ baseUrl, agentKey })

const serveCall: RequestListener = (_request, response) => void response.end('sunny')

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/weather`
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'batua-bench-vouchers-'))
  const stores = { memory: memoryTabStore(), file: await fileTabStore(join(folder, 'vouchers.jsonl')) }
  const shop = (store: (typeof stores)['file']) =>
    listen(requirePayment({ client, payTo, amount: price, tab: { store } }, serveCall))
  const addresses: ShopAddresses = {
    free: await listen(serveCall),
    memory: await shop(stores.memory),
    file: await shop(stores.file),
  }
  process.send?.(addresses)
  process.on('message', () => process.send?.(process.cpuUsage()))
  process.once('disconnect', () => process.exit(0))
}

await main()
