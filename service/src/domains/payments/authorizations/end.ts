import { type Refusal, refuse } from '../../../kernel/app-error.ts'
import { assert } from '../../../kernel/assert.ts'
import { type Paise, paise } from '../../../kernel/money.ts'
import { type Command, type LedgerBatch, read, SYSTEM, type Transfer } from '../../../ledger/index.ts'
import { save } from '../../../operations/entity.ts'
import { type Actor, agentActor, service } from '../../../operations/facts.ts'
import {
  type AgentFacts,
  type AgentPolicyCache,
  type AppKey,
  appReads,
  decidePayee,
  type ReversedSpend,
  returnToApp,
  reverseSpend,
  reverseSpendPhases,
  reverseSpendReads,
} from '../../limits/index.ts'
import { proveKey } from '../escrow/decide.ts'
import { type Authorization, feeOn, hasEnded } from './authorization.ts'
import { noteOpen } from './authorize.ts'
import { decideOpen, decideVoid } from './decide.ts'
import { recordClosing, recordEnded } from './facts.ts'
import { closingAt, type Present, presentAt } from './present.ts'
import { authorizations } from './store.ts'

/** An authorization under the locks of both sides, with its state at the time of the batch. */
export interface Locked {
  readonly batch: LedgerBatch
  readonly agents: AgentPolicyCache
  readonly authorization: Authorization
  readonly payer: AgentFacts
  readonly payee: AgentFacts
  readonly present: Present
}

/**
 * A command about an authorization that was read before: both accounts are locked, and everything is read again. One that
 * may end it also reads what the payer's windows have counted.
 */
export function commandOn<Result extends object>(
  agents: AgentPolicyCache,
  { seen, mayEnd }: { readonly seen: Authorization; readonly mayEnd: boolean },
  decide: (locked: Locked) => Refusal | Result,
): Command<Result> {
  const { agentId, payeeId } = seen
  const parties = [agentId, payeeId]
  return {
    accounts: parties,
    reads: [
      read(authorizations, seen),
      ...(mayEnd ? [...reverseSpendReads(givenBack(seen)), ...appReads(openerOf(seen))] : []),
    ],
    phases: [batch => agents.reads(batch, parties), ...(mayEnd ? reverseSpendPhases(givenBack(seen)) : [])],
    decide(batch) {
      const authorization = batch.read(authorizations, seen)
      const [payer, payee] = [agents.facts(batch, agentId), agents.facts(batch, payeeId)]
      if (authorization === undefined || payer === undefined || payee === undefined) return NO_AUTHORIZATION
      const present = presentAt(authorization, payer, batch.nowMs)
      return decide({ batch, agents, authorization, payer, payee, present })
    },
  }
}

/** The refusal for a stranger, and for an id without an authorization. */
export const NO_AUTHORIZATION = refuse('not_found', 'There is no authorization with this id')

/** The payer, its platform or its owner begins the closing. To begin it again changes nothing. */
export function beginClosingCommand(
  agents: AgentPolicyCache,
  seen: Authorization,
  { actor, keyHash }: { readonly actor: Actor; readonly keyHash: Buffer | null },
): Command<Authorization> {
  return commandOn(agents, { seen, mayEnd: false }, locked => {
    const { authorization, present, payer } = locked
    const refused = (keyHash === null ? null : proveKey(payer, keyHash)) ?? decideOpen(authorization, present)
    return refused ?? beginClosing(locked, actor)
  })
}

/** The payee ends it at once: closes it, or gives all of it back. */
export function endCommand(
  agents: AgentPolicyCache,
  seen: Authorization,
  { keyHash, as }: { readonly keyHash: Buffer; readonly as: 'closed' | 'voided' },
): Command<Authorization> {
  return commandOn(agents, { seen, mayEnd: true }, locked => {
    const { authorization, present, payee } = locked
    const unproved = proveKey(payee, keyHash)
    const refused = unproved ?? (as === 'voided' ? decideVoid : decideOpen)(authorization, present)
    return refused ?? end(locked, agentActor(payee.id), as)
  })
}

/** Who begins and ends what nobody asked for. */
export const CLOSER = service('authorizations')

/**
 * Writes down what has happened by itself: the closing has begun, or the end has come. So it begins when the payer may no
 * longer pay the payee, and it ends when the payee was deactivated.
 */
export function advanceCommand(agents: AgentPolicyCache, seen: Authorization): Command<Authorization> {
  return commandOn(agents, { seen, mayEnd: true }, advance)
}

function advance(locked: Locked): Authorization {
  const { batch, authorization, payee, present } = locked
  if (hasEnded(authorization)) return authorization
  if (present.isOver || payee.status === 'deactivated') return end(locked, CLOSER, 'closed')
  if (mustClose(locked)) return beginClosing(locked, CLOSER)
  const { nextMs } = present
  assert(nextMs !== null, 'what has not ended changes again')
  const waiting = { ...authorization, nextTryAt: new Date(nextMs) }
  save(batch, authorizations, waiting)
  return waiting
}

/** Whether the closing has to begin, or has begun without being written down. */
export function mustClose({ authorization, payer, payee, present }: Locked): boolean {
  if (authorization.status !== 'open') return false
  return present.status === 'closing' || decidePayee(payer.layers, payee.id) !== null
}

/** Begins the closing, now or when it began by itself. */
export function beginClosing(locked: Locked, actor: Actor): Authorization {
  const { batch, agents, authorization, payer, present } = locked
  if (authorization.status === 'closing') return authorization
  const { sinceMs, blockedMs } = present.closing ?? closingAt(payer, batch.nowMs)
  const closing: Authorization = {
    ...authorization,
    status: 'closing',
    closingSince: new Date(sinceMs),
    closingBlockedMs: BigInt(blockedMs),
  }
  const { closesMs, nextMs } = presentAt(closing, payer, batch.nowMs)
  const saved = { ...closing, nextTryAt: nextMs === null ? null : new Date(nextMs) }
  save(batch, authorizations, saved)
  noteOpen(batch, authorization.agentId, -1)
  recordClosing(batch, agents, saved, { actor, closesMs })
  return saved
}

/** Charges the fee on what was captured, gives the rest back, and takes it out of the payer's limits. */
export function end(locked: Locked, actor: Actor, as: 'closed' | 'voided'): Authorization {
  const { batch, agents, authorization } = locked
  const { capturedPaise } = authorization
  const feePaise = feeOn(capturedPaise)
  const last = postEnd(locked, feePaise)
  if (authorization.status === 'open') noteOpen(batch, authorization.agentId, -1)
  const ended = {
    ...authorization,
    status: as === 'voided' ? as : capturedPaise === 0n ? ('expired' as const) : ('closed' as const),
    lastTransferId: last.id,
    feePaise,
    closedAt: new Date(batch.nowMs),
    nextTryAt: null,
  }
  save(batch, authorizations, ended)
  recordEnded(batch, agents, ended, actor)
  return ended
}

function postEnd({ batch, authorization, payer }: Locked, feePaise: Paise): Transfer {
  const { id, agentId, amountPaise, capturedPaise, feeReservedPaise, reference } = authorization
  const shared = {
    debit: SYSTEM.authorizations,
    linkedId: id,
    spentBy: agentId,
    spentPaise: feePaise,
    reference,
  }
  const leftPaise = paise(amountPaise - capturedPaise)
  if (leftPaise === 0n) {
    return batch.post({ ...shared, kind: 'authorization_fee', credit: SYSTEM.fees, amountPaise: feePaise })
  }
  const account = batch.account(agentId)
  assert(account !== undefined, 'the payer is locked')
  const given = givenBack(authorization)
  const returned = batch.post({
    ...shared,
    kind: 'authorization_return',
    credit: agentId,
    amountPaise: paise(leftPaise + feeReservedPaise - feePaise),
    feePaise,
    undoes: given,
  })
  reverseSpend(batch, account, payer.ceiling, given)
  returnToApp(batch, openerOf(authorization), leftPaise, given.postedMs)
  return returned
}

/** The app that opened it; null: none did. */
function openerOf({ agentId, appId }: Authorization): AppKey | null {
  return appId === null ? null : { agentId, id: appId }
}

/** What leaves the payer's windows, and the payee too if nothing was captured. */
function givenBack(authorization: Authorization): ReversedSpend {
  const { id, agentId, payeeId, amountPaise, capturedPaise, createdAt, holdSequence } = authorization
  return {
    ...{ id, payerId: agentId, payeeId },
    amountPaise: paise(amountPaise - capturedPaise),
    isWhole: capturedPaise === 0n,
    postedMs: createdAt.getTime(),
    sequence: holdSequence,
  }
}
