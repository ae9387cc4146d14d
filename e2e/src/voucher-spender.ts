import { appendFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { createClient, payingFetch } from '@batua/sdk'
import { fileJournal } from '@batua/sdk/file-journal'

/** A buyer's process that is killed. It notes each response that it got. */
const [service = '', agentKey = '', path = '', address = '', served = ''] = process.argv.slice(2)

flushCompileCache()
const client = createClient({ baseUrl: service, agentKey })
const journal = await fileJournal(path)
const buy = payingFetch(fetch, { client, maxAmount: 1, allowHttp: true, journal, tab: { amount: 100 } })
for (;;) {
  const response = await buy(address)
  if ((await response.text()) === 'sunny') appendFileSync(served, '.')
  process.send?.('bought')
}
