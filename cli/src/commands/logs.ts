import { setTimeout as delay } from 'node:timers/promises'
import type { Client, LoggedRequest, LoggedRequestList } from '@batua/sdk'
import { ist } from '../output.ts'
import { printable } from '../printable.ts'
import { open, type Session, untilInterrupted } from '../session.ts'
import { describe, type Run, wholeNumberFrom } from './command.ts'

interface LogsOptions {
  readonly follow?: boolean
  readonly limit: number
  readonly count?: number
}

export function logsCommand(run: Run) {
  return describe({
    name: 'logs',
    summary: 'Show the requests of a platform and its agents',
    examples: [
      'batua logs',
      'batua logs --follow',
      'batua logs --follow --json | jq "select(.status >= 400)"',
    ],
  })
    .option('-f, --follow', 'continue with new ones until Ctrl-C')
    .option('--limit <number>', 'how many of the past, at most 100', wholeNumberFrom, 20)
    .option('--count <number>', 'with --follow: end after so many', wholeNumberFrom)
    .action(run(logs))
}

async function logs(session: Session, { follow, limit, count }: LogsOptions): Promise<void> {
  const { out, signal } = session
  const { client } = await open(session, 'platform')
  const page = await client.listRequests({ limit }, { signal })
  if (!follow) {
    out.body(page)
    for (const request of page.requests.toReversed()) out.lines(lineOf(session, request))
    return
  }
  await untilInterrupted(session, () => goOn(session, client, page, count ?? Number.POSITIVE_INFINITY))
}

const ASK_EVERY_MS = 1_000
const PAGE = 100
const MAX_SEEN = 10_000

async function goOn(
  session: Session,
  client: Client,
  first: LoggedRequestList,
  count: number,
): Promise<void> {
  const { signal } = session
  const seen = new Set<string>()
  let shown = 0
  for (let page = first; ; page = await client.listRequests({ limit: PAGE }, { signal })) {
    for (const request of page.requests.toReversed()) {
      if (seen.has(request.request_id) || shown >= count) continue
      seen.add(request.request_id)
      session.out.bodyLine(request)
      session.out.lines(lineOf(session, request))
      shown += 1
    }
    for (const oldest of seen) if (seen.size > MAX_SEEN) seen.delete(oldest)
    if (shown >= count) return
    await delay(ASK_EVERY_MS, undefined, { signal })
  }
}

function lineOf({ out }: Session, request: LoggedRequest): string {
  const { created_at, method, route, status, code, duration_ms, request_id, app_id } = request
  const colour = status < 400 ? 'green' : status < 500 ? 'yellow' : 'red'
  const words = [
    out.colour('dim', ist(created_at)),
    out.colour(colour, String(status)),
    printable(method).padEnd(6),
    printable(route),
    `${duration_ms.toFixed(1)} ms`,
    out.colour('dim', printable(request_id)),
    // Absent in responses of earlier releases.
    ...(typeof app_id === 'string' ? [out.colour('dim', printable(app_id))] : []),
  ]
  return [...words, ...(code === null ? [] : [out.colour(colour, printable(code))])].join('  ')
}
