import type { listEscrows, QueryOf, ResponseOf } from '@batua/contract'
import type { Database } from '../../../db/database.ts'
import type { Caller, PlatformCaller } from '../../../http/caller.ts'
import { page, pageOf } from '../../../http/paging.ts'
import { AppError, raise, refuse } from '../../../kernel/app-error.ts'
import { parseId, type Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { selectDecidingVersions } from '../../limits/index.ts'
import { mayAccess, requireAccess, selectAgentsOfPlatform } from '../../parties/index.ts'
import type { Escrow } from './escrow.ts'
import { escrowRecord } from './escrow-record.ts'
import { countEscrows, selectEscrows } from './list-store.ts'
import { type Party, selectEscrow, selectParties } from './store.ts'

export interface EscrowReader {
  readonly database: Database
  readonly vault: Vault
}

export interface FoundEscrow {
  readonly escrow: Escrow
  readonly parties: ReadonlyMap<Uuid, Party>
}

/** The escrow of an id in a path, for a party to it: a stranger does not learn that it exists. */
export async function requireEscrow(
  { database, vault }: EscrowReader,
  caller: Caller,
  address: string,
): Promise<FoundEscrow> {
  const id = parseId('esc', address)
  const escrow = id === null ? null : await selectEscrow(database, vault, id)
  if (escrow !== null) {
    const { agentId, toAgentId, attestorId, releasedTo } = escrow
    const parties = await selectParties(
      database,
      [agentId, toAgentId, attestorId, releasedTo].filter(each => each !== null),
    )
    if ([...parties.values()].some(party => mayAccess(caller, party))) return { escrow, parties }
  }
  return raise(NO_ESCROW)
}

/** The refusal for a stranger, and for an id without an escrow. */
export const NO_ESCROW = refuse('not_found', 'There is no escrow with this id')

/** The same for the platform of the payer, which alone may release or refund the money. */
export async function requireOwnEscrow(
  context: EscrowReader,
  caller: PlatformCaller,
  address: string,
): Promise<FoundEscrow> {
  const found = await requireEscrow(context, caller, address)
  if (found.parties.get(found.escrow.agentId)?.platformId === caller.platformId) return found
  throw new AppError(
    'authorization_error',
    'Only the platform of the paying agent can do this; use its credentials',
  )
}

/** A page of the escrows of a platform's money, newest first. */
export async function findEscrows(
  { database, vault }: EscrowReader,
  caller: PlatformCaller,
  query: QueryOf<typeof listEscrows>,
): Promise<ResponseOf<typeof listEscrows>> {
  const request = pageOf(query)
  const agentIds =
    query.agent_id === undefined
      ? await selectAgentsOfPlatform(database, caller.platformId)
      : [(await requireAccess(database, caller, query.agent_id)).id]
  const filter = { agentIds, status: query.status ?? null }
  const [found, total] = await Promise.all([
    selectEscrows(database, vault, filter, request),
    countEscrows(database, filter),
  ])
  const versions = await selectDecidingVersions(database, found)
  return page('escrows', found, each => escrowRecord(each, versions.get(each.id) ?? null), total, request)
}
