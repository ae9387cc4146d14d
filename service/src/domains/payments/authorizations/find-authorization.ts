import type {
  AuthorizationStatus,
  listAuthorizations,
  QueryOf,
  ResponseOf,
  Authorization as Shown,
} from '@batua/contract'
import type { Database } from '../../../db/database.ts'
import type { Caller } from '../../../http/caller.ts'
import { page, pageOf } from '../../../http/paging.ts'
import { raise } from '../../../kernel/app-error.ts'
import { assert } from '../../../kernel/assert.ts'
import { parseId } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { selectDecidingVersions, stopsOfRow } from '../../limits/index.ts'
import { mayAccess, requireAccess } from '../../parties/index.ts'
import type { Authorization } from './authorization.ts'
import { authorizationRecord, authorizationToken, type TokenContext } from './authorization-record.ts'
import { NO_AUTHORIZATION } from './end.ts'
import { countAuthorizations, selectAuthorizations } from './list-store.ts'
import { presentAt } from './present.ts'
import { type Party, selectAuthorization, selectParties } from './store.ts'

export interface AuthorizationReader extends TokenContext {
  readonly database: Database
  readonly vault: Vault
}

export interface FoundAuthorization {
  readonly authorization: Authorization
  readonly payer: Party
  readonly payee: Party
}

/** The authorization of an id in a path, for a party to it: a stranger does not learn that it exists. */
export async function requireAuthorization(
  { database, vault }: Pick<AuthorizationReader, 'database' | 'vault'>,
  caller: Caller,
  address: string,
): Promise<FoundAuthorization> {
  const id = parseId('ath', address)
  const authorization = id === null ? null : await selectAuthorization(database, vault, id)
  if (authorization === null) return raise(NO_AUTHORIZATION)
  const parties = await selectParties(database, [authorization.agentId, authorization.payeeId])
  const [payer, payee] = [parties.get(authorization.agentId), parties.get(authorization.payeeId)]
  assert(payer !== undefined && payee !== undefined, 'agents are never removed')
  if (!mayAccess(caller, payer) && !mayAccess(caller, payee)) return raise(NO_AUTHORIZATION)
  return { authorization, payer, payee }
}

/** An authorization as its payee sees it. */
export interface ReceivedAuthorization {
  readonly authorization: Authorization
  readonly status: AuthorizationStatus
  /** Whether neither side is stopped. */
  readonly mayCapture: boolean
}

/** The authorization that a token names, at a moment; null unless the service has signed exactly this token. */
export async function findByToken(
  context: AuthorizationReader,
  token: string,
  now: Date,
): Promise<ReceivedAuthorization | null> {
  const { database, vault } = context
  const id = parseId('ath', String(contentIn(token)['jti']))
  const authorization = id === null ? null : await selectAuthorization(database, vault, id)
  if (authorization === null || token !== (await authorizationToken(context, authorization))) return null
  const { agentId, payeeId } = authorization
  const parties = await selectParties(database, [agentId, payeeId])
  const [payer, payee] = [parties.get(agentId), parties.get(payeeId)]
  assert(payer !== undefined && payee !== undefined, 'agents are never removed')
  const { status } = presentAt(
    authorization,
    { status: payer.status, stops: stopsOfRow(payer) },
    now.getTime(),
  )
  return { authorization, status, mayCapture: payer.blocked_at === null && payee.status === 'active' }
}

/** The content of a token, before anything verifies who made it. */
function contentIn(token: string): Readonly<Record<string, unknown>> {
  try {
    const content: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    return { ...Object(content) }
  } catch {
    return {}
  }
}

/** The records of authorizations at a moment, in their order. */
export async function shownAt(
  context: AuthorizationReader,
  found: readonly Authorization[],
  now: Date,
): Promise<Shown[]> {
  const [versions, parties] = await Promise.all([
    selectDecidingVersions(context.database, found),
    selectParties(
      context.database,
      found.map(({ agentId }) => agentId),
    ),
  ])
  return Promise.all(
    found.map(authorization => {
      const party = parties.get(authorization.agentId)
      assert(party !== undefined, 'agents are never removed')
      const payer = { status: party.status, stops: stopsOfRow(party) }
      const policyVersion = versions.get(authorization.id) ?? null
      return authorizationRecord(context, authorization, { payer, now, policyVersion })
    }),
  )
}

/** A page of the authorizations of an agent's money, newest first. */
export async function findAuthorizations(
  context: AuthorizationReader,
  caller: Caller,
  {
    agentRef,
    query,
    now,
  }: {
    readonly agentRef: string
    readonly query: QueryOf<typeof listAuthorizations>
    readonly now: Date
  },
): Promise<ResponseOf<typeof listAuthorizations>> {
  const { database, vault } = context
  const agent = await requireAccess(database, caller, agentRef)
  const request = pageOf(query)
  const filter = { agentId: agent.id, status: query.status ?? null }
  const [found, total] = await Promise.all([
    selectAuthorizations(database, vault, filter, request),
    countAuthorizations(database, filter),
  ])
  const shown = await shownAt(context, found, now)
  const records = found.map(({ id }, place) => ({ id, record: shown[place] }))
  return page(
    'authorizations',
    records,
    ({ record }) => {
      assert(record !== undefined, 'each has a record')
      return record
    },
    total,
    request,
  )
}
