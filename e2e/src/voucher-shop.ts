import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { flushCompileCache } from 'node:module'
import { setTimeout as delay } from 'node:timers/promises'
import { createClient } from '@batua/sdk'
import { fileTabStore } from '@batua/sdk/file-tabs'
import { requirePayment } from '@batua/sdk/node'
import { redisTabStore, sqlTabStore, type TabStore } from '@batua/sdk/seller'
import { Redis } from 'ioredis'
import { Pool } from 'pg'

/**
 * A seller's process that is killed. It notes each call before it responds to it. Its store takes `writeMs` longer to write,
 * and its clock is ahead by `aheadMs`.
 */
const [service = '', agentKey = '', payTo = '', kind = '', place = '', port = '', responded = '', ...more] =
  process.argv.slice(2)
const [writeMs = 0, aheadMs = 0] = more.map(Number)
const { now } = Date
Date.now = () => now() + aheadMs

async function open(): Promise<TabStore> {
  if (kind === 'file') return fileTabStore(place)
  if (kind === 'sql') return sqlTabStore(new Pool({ connectionString: place, max: 4 }))
  return redisTabStore(new Redis(Number(place), '127.0.0.1', { enableReadyCheck: false }))
}

// At its end a process stores its compiled code for the next one; this one is killed before that.
flushCompileCache()
const client = createClient({ baseUrl: service, agentKey })
const opened = await open()
const store: TabStore =
  writeMs === 0
    ? opened
    : {
        ...opened,
        async write(...change) {
          await delay(writeMs)
          return opened.write(...change)
        },
      }
// Each crash leaves the calls of its moment open for minutes, so the buyer may owe more than it may by default.
const tab = { store, captureEveryMs: 100, captureAbove: 3, maxOutstanding: 50 }
const sell = requirePayment({ client, payTo, amount: 1, tab, onError: () => {} }, (_request, response) => {
  setTimeout(() => {
    appendFileSync(responded, '.')
    response.end('sunny')
  }, Math.random() * 5)
})
createServer(sell).listen(Number(port), '127.0.0.1', () => process.send?.('open'))
