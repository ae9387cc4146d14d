import { setTimeout as delay } from 'node:timers/promises'
import { routes } from '@batua/contract'
import pMap from 'p-map'
import type { Api, Headers } from './api.ts'
import { headOf, isConsistent } from './consistent-log.ts'
import type { TestDatabase } from './database.ts'
import { bytesOfCheckpoint, isSignedBy, leadsToRoot } from './independent-verifier.ts'
import type { Attempt } from './load.ts'

const AT_ONCE = { concurrency: 8 }
const ROUND_S = 15 * 60
/** The log check takes a slice of four tiles each second, so a few thousand leaves take several seconds. */
const MOST_SLICES = 2_000
/** The last ones before the crash are read one by one over HTTP; the rest is read from the tables. */
const VERIFIED = 40

/** Longer than new leaves wait for the tree. */
const LASTING_MS = 30_000

/**
 * The faults of the leaves: each entry and each payment must be exactly one leaf, and there must be no other. Jobs go on
 * writing entries, whose leaves wait for a moment, so only what lasts is a fault.
 */
export async function leafFaults(window: TestDatabase): Promise<string[]> {
  const until = performance.now() + LASTING_MS
  for (;;) {
    const faults = await presentLeafFaults(window)
    if (faults.length === 0 || performance.now() > until) return faults
    await delay(200)
  }
}

async function presentLeafFaults({ query }: TestDatabase): Promise<string[]> {
  const rows = await query<{ id: string; times: number | null; isStored: boolean }>(
    `select coalesce(stored.id, leaves.id)::text as id, leaves.times::float8 as times,
       stored.id is not null as "isStored"
     from (select id from audit_entries union all select id from transfers where kind = 'payment') stored
     full join (select l.id, count(*) as times from audit_tiles t, unnest(t.ids) l(id) where t.level = 0 group by l.id)
       leaves on leaves.id = stored.id
     where stored.id is null or leaves.times is distinct from 1`,
  )
  const [left] = await query<{ refused: number }>(`select count(*)::float8 as refused from audit_refused`)
  const faults = rows.map(({ id, times, isStored }) =>
    isStored ? `${id} is a leaf ${times ?? 0} times` : `${id} is a leaf and is not stored`,
  )
  if (left?.refused !== 0) faults.push(`${left?.refused} rows were put aside`)
  return faults
}

/** The number of commits whose leaves are not in the tree yet. */
export async function leavesThatWait({ query }: TestDatabase): Promise<number> {
  const [row] = await query<{ waiting: number }>(`select count(*)::float8 as waiting from audit_queue`)
  return row?.waiting ?? Number.NaN
}

/** The faults of kept checkpoints: each must be signed, and the current log must begin with it. */
export async function checkpointFaults(
  api: Api,
  headers: Headers,
  kept: ReadonlySet<string>,
): Promise<string[]> {
  const keys = await api.ok(routes.getServiceKeys)
  const { checkpoint } = await api.ok(routes.getCheckpoint, { headers })
  const to = headOf(checkpoint)
  const isSigned = (note: string) =>
    keys.keys.some(({ key_id }) => isSignedBy(bytesOfCheckpoint(note), keys, key_id))
  const faults = await pMap(
    [...kept, checkpoint],
    async note => {
      const from = headOf(note)
      if (!isSigned(note)) return [`the checkpoint of ${from.size} leaves is not signed`]
      const query = { from: from.size, to: to.size }
      const { proof } = await api.ok(routes.getConsistency, { query, headers })
      return isConsistent({ from, to, proof })
        ? []
        : [`the log of ${from.size} leaves is not in that of ${to.size}`]
    },
    AT_ONCE,
  )
  return faults.flat()
}

/** The acknowledged payments that cannot be proven. */
export async function unprovenPayments(api: Api, attempts: readonly Attempt[]): Promise<string[]> {
  const paid = attempts.filter(attempt => attempt.outcome.kind === 'paid').slice(-VERIFIED)
  const faults = await pMap(
    paid,
    async ({ from, outcome }) => {
      const audit_id = outcome.kind === 'paid' ? outcome.paymentId.replace('pay_', 'aud_') : ''
      const response = await api.ok(routes.verifyAuditEntry, { query: { audit_id }, headers: from.headers })
      return response.valid && leadsToRoot(response) ? [] : [`${audit_id} is ${response.reason}`]
    },
    AT_ONCE,
  )
  return faults.flat()
}

/** Makes the service check its whole log, and returns the findings. */
export async function foundByCheck(api: Api, { query }: TestDatabase): Promise<string[]> {
  // The current round began before the changes to check; a new one is due after a quarter of an hour.
  await api.ok(routes.advanceClock, { body: { advance_seconds: ROUND_S } })
  const first = await position(query)
  const isDone = async () => {
    const { round, isUnderWay } = await position(query)
    return round > first.round + 1 || (round > first.round && !isUnderWay)
  }
  for (let slice = 0; !(await isDone()); slice++) {
    if (slice > MOST_SLICES) throw new Error('the check of the log does not end')
    const { isUnderWay } = await position(query)
    await api.ok(routes.advanceClock, { body: { advance_seconds: isUnderWay ? 1 : ROUND_S } })
  }
  const rows = await query<{ fault: string }>(
    `select subject || ' ' || kind || ': ' || detail as fault from scan_findings
     where scan = 'audit log check'`,
  )
  return rows.map(({ fault }) => fault)
}

async function position(query: TestDatabase['query']): Promise<{ round: number; isUnderWay: boolean }> {
  const [row] = await query<{ round: number; isUnderWay: boolean }>(
    `select round::float8 as round, is_running as "isUnderWay" from scans where name = 'audit log check'`,
  )
  return row ?? { round: 0, isUnderWay: false }
}
