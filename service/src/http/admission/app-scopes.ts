import type { AppScope, Credential, OperationId } from '@batua/contract'
import { AppError } from '../../kernel/app-error.ts'
import type { Caller } from '../caller.ts'

const READING: readonly AppScope[] = ['wallet:read', 'payments:write', 'approvals:request']

/**
 * What an app needs to call a route: one of these scopes. No other route that needs an agent's key takes an app,
 * whatever its owner lets it do: it replaces no key, funds nothing and withdraws nothing. An app that may pay may also
 * read the outcome of a payment.
 */
const SCOPES_OF: { readonly [Name in OperationId]?: readonly AppScope[] } = {
  // A purchase asks who buys. Without `wallet:read` no tool shows it.
  getCurrentAgent: ['wallet:read', 'payments:write'],
  getBalance: ['wallet:read'],
  getAgentPolicy: ['wallet:read'],
  getExposure: ['wallet:read'],
  listTransactions: ['wallet:read'],
  getStatement: ['wallet:read'],
  verifyReceipt: ['wallet:read'],
  getReceipt: ['wallet:read'],
  evaluatePolicy: READING,
  getPayment: READING,
  listPayments: READING,
  getApproval: READING,
  // A payment that does not ask the owner needs `payments:write`: its handler checks that.
  pay: ['payments:write', 'approvals:request'],
  holdEscrow: ['payments:write'],
  holdEscrowWithTimeout: ['payments:write'],
  holdEscrowWithAttestation: ['payments:write'],
  authorize: ['payments:write'],
  // Its handler takes an app for the payer alone.
  closeAuthorization: ['payments:write'],
  getAuthorization: READING,
  getEscrow: READING,
  refundPayment: ['payments:write'],
}

/** Refuses an app a route that it may not call. Public routes it may. */
export function requireScopeOf(caller: Caller, operationId: string, who: readonly Credential[]): void {
  if (caller.kind !== 'agent' || caller.app === undefined || who.length === 0) return
  const { scopes } = caller.app
  const needed = Object.hasOwn(SCOPES_OF, operationId) ? SCOPES_OF[operationId as OperationId] : undefined
  if (needed?.some(scope => scopes.includes(scope)) === true) return
  throw notAllowed(needed?.[0])
}

/** Refuses an app without this scope. */
export function requireScope(caller: Caller, scope: AppScope): void {
  if (caller.kind !== 'agent' || caller.app === undefined || caller.app.scopes.includes(scope)) return
  throw notAllowed(scope)
}

function notAllowed(scope: AppScope | undefined): AppError {
  const message =
    scope === undefined
      ? 'A connected app cannot do this'
      : `This app may not do this: its owner has to connect it again and allow ${scope}`
  return new AppError('authorization_error', message, scope === undefined ? {} : { details: { scope } })
}
