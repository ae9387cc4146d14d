import type { Capture } from '@batua/contract'
import type { Queryable } from '../db/database.ts'
import type { Authorization, AuthorizationIntent } from '../domains/payments/authorizations/authorization.ts'
import { type Authorized, authorizeCommand } from '../domains/payments/authorizations/authorize.ts'
import { captureCommand } from '../domains/payments/authorizations/capture.ts'
import type { Wanted } from '../domains/payments/authorizations/decide.ts'
import { beginClosingCommand, endCommand } from '../domains/payments/authorizations/end.ts'
import { authorizationJobs } from '../domains/payments/authorizations/jobs.ts'
import { selectAuthorization } from '../domains/payments/authorizations/store.ts'
import type { Uuid } from '../kernel/ids.ts'
import { paise } from '../kernel/money.ts'
import { hashSecret } from '../kernel/secrets.ts'
import { agentActor } from '../operations/facts.ts'
import type { TestNode } from './builders.ts'
import { TEST_VAULT } from './database.ts'

export function authorizationIntent(
  payerId: Uuid,
  payeeId: Uuid | null,
  amount: bigint,
  more: Partial<AuthorizationIntent> = {},
): AuthorizationIntent {
  return {
    ...{ payerId, payeeId, amountPaise: paise(amount) },
    expiresInSeconds: 86_400,
    reference: null,
    idempotencyKey: null,
    voucherKey: null,
    context: null,
    app: null,
    ...more,
  }
}

/** What the use cases need of a node. */
type Poster = Pick<TestNode, 'ledger' | 'agents'>

/** The use cases of authorizations on a node. The key of each agent is its id until a test changes it. */
export function authorizeOn({ ledger, agents }: Poster, intent: AuthorizationIntent): Promise<Authorized> {
  return ledger.submit(authorizeCommand(agents, intent, hashSecret(intent.payerId)))
}

/** Authorizes what needs no approval. */
export async function authorizedOn(node: Poster, intent: AuthorizationIntent): Promise<Authorization> {
  const made = await authorizeOn(node, intent)
  if ('waiting' in made) throw new Error('it waits for the owner')
  return made.authorization
}

export function captureOn(
  { ledger, agents }: Poster,
  seen: Authorization,
  kind: Wanted['kind'],
  amount: bigint,
  isFinal = false,
): Promise<Capture> {
  const keyHash = hashSecret(seen.payeeId)
  return ledger.submit(
    captureCommand(agents, { seen, wanted: { kind, paise: paise(amount) }, isFinal, keyHash }),
  )
}

/** The payee ends it. */
export function endOn(
  { ledger, agents }: Poster,
  seen: Authorization,
  as: 'closed' | 'voided',
): Promise<Authorization> {
  return ledger.submit(endCommand(agents, seen, { keyHash: hashSecret(seen.payeeId), as }))
}

/** The payer begins the closing. */
export function beginClosingOn({ ledger, agents }: Poster, seen: Authorization): Promise<Authorization> {
  const mandate = { actor: agentActor(seen.agentId), keyHash: hashSecret(seen.agentId) }
  return ledger.submit(beginClosingCommand(agents, seen, mandate))
}

/** Runs the jobs of authorizations until nothing is due. */
export async function runAuthorizationJobs(node: TestNode, now: Date): Promise<void> {
  for (const job of authorizationJobs(node)) {
    while ((await job.run(now)) > 0) continue
  }
}

export async function writtenAuthorization(db: Queryable, id: Uuid): Promise<Authorization> {
  const authorization = await selectAuthorization(db, TEST_VAULT, id)
  if (authorization === null) throw new Error(`no authorization ${id}`)
  return authorization
}

/** What is set aside: by the authorizations, and by the ledger. */
export async function setAside(db: Queryable): Promise<{ left: bigint; inLedger: bigint }> {
  const [row] = await db.query<{ left: bigint; inLedger: bigint }>(
    `select (select coalesce(sum(amount_paise + fee_reserved_paise - captured_paise), 0)::int8 from authorizations
         where status in ('open', 'closing')) as left,
       (select coalesce(sum(case kind when 'authorization' then amount_paise + fee_paise
           else -amount_paise - fee_paise end), 0)::int8
        from transfers where kind in ('authorization', 'capture', 'authorization_return', 'authorization_fee')) as "inLedger"`,
  )
  return row ?? { left: -1n, inLedger: -1n }
}
