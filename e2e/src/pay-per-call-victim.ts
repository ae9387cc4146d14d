import { flushCompileCache } from 'node:module'
import { createClient, type Journal, payingFetch } from '@batua/sdk'
import { fileJournal } from '@batua/sdk/file-journal'

/** A process that buys one thing and is killed meanwhile. It reports each entry of its journal, and continues when it
 * gets a reply.
 */
const [service = '', agentKey = '', journalPath = '', address = ''] = process.argv.slice(2)

function report(step: string): Promise<void> {
  return new Promise(resolve => {
    process.once('message', () => resolve())
    process.send?.(step)
  })
}

async function announced<T>(step: string, take: () => Promise<T>): Promise<T> {
  await report(`before ${step}`)
  const response = await take()
  await report(`after ${step}`)
  return response
}

function reportingJournal(journal: Journal): Journal {
  return {
    ...journal,
    begin: (purchase, limits) => announced('begun', () => journal.begin(purchase, limits)),
    update: (id, change) => announced(change.state, () => journal.update(id, change)),
  }
}

// At its end a process stores its compiled code for the next one; this one is killed before that.
flushCompileCache()
const client = createClient({ baseUrl: service, agentKey })
const journal = reportingJournal(await fileJournal(journalPath))
await payingFetch(fetch, { client, maxAmount: 5, allowHttp: true, journal })(address)
process.disconnect?.()
